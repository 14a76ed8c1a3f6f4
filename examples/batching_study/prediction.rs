//! [`Cost`]: the time of an update as a function of the shape, fitted to a few timed steps. With the shapes of each
//! algorithm it predicts which one is fastest, which the study leaves as further work.

use super::Outcome;
use super::algorithm::Algorithm;
use super::data::Data;
use super::statistics::{Contents, Statistics};
use super::training::{Settings, Trainer, on};
use example_models::ModelName;
use graphpack_loader::{Loader, Shape};
use serde::Serialize;

/// Steps that are timed at each batch size; one more comes before them.
const TIMED: usize = 3;

/// Milliseconds per update: `fixed + slope * (nodes + edges)`, with the nodes and edges of the shape.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Cost {
    pub(crate) fixed: f64,
    pub(crate) slope: f64,
}

impl Cost {
    /// Times updates on the dynamic shapes of the smallest, the middle and the largest batch size.
    pub(crate) fn measure(data: &Data, model: ModelName, batch_sizes: &[u32], settings: Settings) -> Outcome<Self> {
        let mut chosen = vec![batch_sizes[0], batch_sizes[batch_sizes.len() / 2], batch_sizes[batch_sizes.len() - 1]];
        chosen.dedup();
        let mut trainer = Trainer::new(model, data, settings)?;
        let mut points = Vec::new();
        for batch_size in chosen {
            let options = Loader::new(data.train.clone()).shuffle(settings.seed).workers(0);
            let options = Algorithm::Dynamic.apply(options, &data.sample, batch_size);
            let loader = on(options.ok_or("the shape exceeds 32 bits")?, settings.device).build()?;
            let mut fastest = f64::INFINITY;
            let mut slots = 0.0;
            for (step, batch) in (0..).flat_map(|epoch| loader.epoch(epoch)).take(1 + TIMED).enumerate() {
                let batch = batch?;
                slots = slots_of(&batch.shape());
                let (_, took) = trainer.step(batch)?;
                if step > 0 {
                    fastest = fastest.min(took.as_secs_f64() * 1e3);
                }
            }
            points.push((slots, fastest));
        }
        Ok(Self::fit(&points))
    }

    /// Fits a line by least squares; neither part is negative.
    fn fit(points: &[(f64, f64)]) -> Self {
        let count = points.len().max(1) as f64;
        let [x, y] = points.iter().fold([0.0, 0.0], |[x, y], point| [x + point.0 / count, y + point.1 / count]);
        let spread: f64 = points.iter().map(|point| (point.0 - x) * (point.0 - x)).sum();
        let both: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
        let slope = if spread > 0.0 { (both / spread).max(0.0) } else { 0.0 };
        let fixed = y - slope * x;
        if fixed >= 0.0 { Self { fixed, slope } } else { Self { fixed: 0.0, slope: if x > 0.0 { y / x } else { 0.0 } } }
    }

    fn of(&self, shape: &Shape) -> f64 {
        self.fixed + self.slope * slots_of(shape)
    }
}

fn slots_of(shape: &Shape) -> f64 {
    (shape.nodes() + shape.edges()) as f64
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
    /// Combines the batches of an algorithm with the cost of an update; each distinct shape costs `compile_ms` once.
    pub(crate) fn new(
        model: ModelName,
        cost: &Cost,
        (statistics, contents): (&Statistics, &Contents),
        steps: usize,
        compile_ms: f64,
    ) -> Self {
        let batches: u64 = contents.shapes.iter().map(|(_, batches)| batches).sum();
        let update: f64 = contents.shapes.iter().map(|(shape, batches)| cost.of(shape) * *batches as f64).sum();
        let step_ms = update / batches.max(1) as f64 + statistics.planning_ms + statistics.batching_ms_mean;
        let graphs = steps as f64 * f64::from(statistics.batch_size - 1);
        let needed = graphs * statistics.batches as f64 / statistics.graphs.max(1) as f64;
        // The expected number of distinct shapes among `needed` batches.
        let mut counts: Vec<u64> = contents.shapes.iter().map(|(_, batches)| *batches).collect();
        counts.sort_unstable();
        let met: f64 =
            counts.iter().map(|&count| 1.0 - (1.0 - count as f64 / batches.max(1) as f64).powf(needed)).sum();
        Self {
            model: model.name(),
            algorithm: statistics.algorithm.clone(),
            batch_size: statistics.batch_size,
            step_ms,
            total_seconds: (needed * step_ms + met * compile_ms) / 1e3,
        }
    }
}
