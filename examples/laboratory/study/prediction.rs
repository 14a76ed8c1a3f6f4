//! [`Prediction`]: what a training takes with an algorithm, by the shapes of its batches and a few timed steps. The
//! study leaves it as further work to say which algorithm is fastest; `graphpack advise` does it.

use super::Outcome;
use super::data::Graphs;
use super::statistics::{Contents, Statistics};
use super::trainer::{Settings, Trainer};
use super::training::on;
use super::workload::{Workload, probe_shapes};
use graphpack_loader::step_cost::StepCost;
use graphpack_loader::{Capacity, Grouping, Loader, Options, Order, Oversize, Padding};
use laboratory::ModelName;
use serde::Serialize;

/// Shapes that are timed for each model.
const PROBED: usize = 12;

/// The batches that were measured, as a workload.
pub(crate) fn workload((_, contents): &(Statistics, Contents)) -> Workload {
    Workload::of_epoch(contents.shapes.clone())
}

/// Fits the time of an update to steps on shapes of all algorithms, and on some off the data's ratio of edges to nodes.
pub(crate) fn measure(
    data: &Graphs,
    model: ModelName,
    workloads: &[Workload],
    settings: Settings,
) -> Outcome<StepCost> {
    let mut trainer = Trainer::new(model, data, settings)?;
    StepCost::measure(&probe_shapes(workloads, PROBED), |shape| {
        let options = Options::default().order(Order::Shuffled).seed(settings.seed).workers(0).oversize(Oversize::Skip);
        let options = options.grouping(Grouping::InOrder).capacity(Capacity::shape(*shape)).padding(Padding::Jraph);
        let batch = Loader::new(data.train.clone(), on(options, settings.device))?.epoch(0).next();
        let batch =
            batch.ok_or_else(|| format!("no graph fits into {shape}, a shape to time: take larger batches"))??;
        Ok(trainer.step(batch, 0)?.1)
    })
}

/// What an algorithm is predicted to take.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Prediction {
    pub(crate) model: &'static str,
    pub(crate) algorithm: String,
    pub(crate) batch_size: u32,
    pub(crate) step_ms: f64,
    /// For the graphs of `steps` full batches, compilations included.
    pub(crate) total_seconds: f64,
}

impl Prediction {
    /// Combines the batches of an algorithm with the cost of an update. Here, as in the study, batches are made between
    /// updates.
    pub(crate) fn new(
        model: ModelName,
        cost: &StepCost,
        (statistics, workload): (&Statistics, &Workload),
        steps: usize,
    ) -> Self {
        let step_ms = workload.milliseconds(cost) + statistics.planning_ms + statistics.batching_ms_mean;
        let graphs = steps as f64 * f64::from(statistics.batch_size - 1);
        let per_batch = statistics.graphs as f64 / workload.batches_per_epoch();
        let needed = graphs / per_batch.max(1.0);
        Self {
            model: model.name(),
            algorithm: statistics.algorithm.clone(),
            batch_size: statistics.batch_size,
            step_ms,
            total_seconds: (needed * step_ms + workload.shapes_met(needed) * cost.compilation()) / 1e3,
        }
    }
}
