//! [`Run`]: a model trained on the batches of one algorithm. As in the study each step is timed in two parts that do
//! not overlap, batching and the update.

use super::Outcome;
use super::algorithm::Algorithm;
use super::data::Data;
use super::timing::Times;
use example_models::{Model, ModelName};
use graphpack_loader::{Batch, Loader, LoaderBuilder, Store, Subset};
use graphpack_tch::{TensorBatch, mse};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::time::{Duration, Instant};
use tch::nn::{self, OptimizerConfig};
use tch::{Device, Kind, Tensor};

/// The study lowers it every 100,000 steps, more than are made here.
const LEARNING_RATE: f64 = 1e-4;
/// Graphs per batch where the test error is computed.
const TEST_GRAPHS: u32 = 64;

/// What a run measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) timings: Timings,
    /// (step, mean of the combined milliseconds so far).
    pub(crate) running_average: Vec<(usize, f64)>,
    /// (step, root mean squared error on the test graphs, in the unit of the target).
    pub(crate) test_rmse: Vec<(usize, f64)>,
}

/// A run without its curves: a row of a table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Timings {
    pub(crate) model: String,
    pub(crate) algorithm: String,
    pub(crate) batch_size: u32,
    pub(crate) steps: usize,
    pub(crate) graphs: u64,
    pub(crate) distinct_shapes: usize,
    pub(crate) node_fill: f64,
    pub(crate) edge_fill: f64,
    pub(crate) batching_ms_mean: f64,
    pub(crate) batching_ms_median: f64,
    pub(crate) update_ms_mean: f64,
    pub(crate) update_ms_median: f64,
    pub(crate) combined_ms_mean: f64,
    pub(crate) combined_ms_median: f64,
    /// Mean loss of the first and of the last tenth of the steps.
    pub(crate) first_loss: f64,
    pub(crate) last_loss: f64,
}

/// A point of a curve, a row of a table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Point<'a> {
    model: &'a str,
    algorithm: &'a str,
    batch_size: u32,
    step: usize,
    value: f64,
}

impl Run {
    /// Labels the points of one of its curves with the run.
    pub(crate) fn curve<'a>(&'a self, points: &'a [(usize, f64)]) -> impl Iterator<Item = Point<'a>> {
        let Timings { model, algorithm, batch_size, .. } = &self.timings;
        points.iter().map(|&(step, value)| Point { model, algorithm, batch_size: *batch_size, step, value })
    }
}

impl Timings {
    /// Milliseconds per real graph.
    pub(crate) fn ms_per_graph(&self) -> f64 {
        self.combined_ms_mean * self.steps as f64 / self.graphs.max(1) as f64
    }

    /// Seconds for the graphs of `steps` full batches, with `compile_ms` for each distinct shape.
    pub(crate) fn seconds(&self, compile_ms: f64) -> f64 {
        let graphs = self.steps as f64 * f64::from(self.batch_size - 1);
        (graphs * self.ms_per_graph() + self.distinct_shapes as f64 * compile_ms) / 1e3
    }
}

/// One line per run, in Markdown.
pub(crate) fn table(all: &[Run]) -> String {
    let mut text = String::from(
        "| model | algorithm | batch size | batching ms, mean | median | update ms, mean | median \
         | combined ms, mean | per 1,000 graphs | shapes | loss, first to last tenth |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in all.iter().map(|run| &run.timings) {
        text += &format!(
            "| {} | {} | {} | {:.3} | {:.3} | {:.2} | {:.2} | {:.2} | {:.1} | {} | {:.3} to {:.3} |\n",
            row.model,
            row.algorithm,
            row.batch_size,
            row.batching_ms_mean,
            row.batching_ms_median,
            row.update_ms_mean,
            row.update_ms_median,
            row.combined_ms_mean,
            1000.0 * row.ms_per_graph(),
            row.distinct_shapes,
            row.first_loss,
            row.last_loss,
        );
    }
    text
}

/// A model, its optimizer, and the mean and deviation that normalise the target.
pub(crate) struct Trainer {
    device: Device,
    variables: nn::VarStore,
    model: Model,
    optimizer: nn::Optimizer,
    target: [f64; 2],
}

impl Trainer {
    pub(crate) fn new(name: ModelName, data: &Data, settings: Settings) -> Outcome<Self> {
        let Settings { device, seed, width, .. } = settings;
        tch::manual_seed(seed as i64);
        let variables = nn::VarStore::new(device);
        let model = Model::new(name, &variables.root(), width.unwrap_or(name.width()), &data.elements)?;
        let optimizer = nn::Adam::default().build(&variables, LEARNING_RATE)?;
        let target = data.target.ok_or("the data has no target to train on")?;
        Ok(Self { device, variables, model, optimizer, target })
    }

    pub(crate) fn parameters(&self) -> usize {
        self.variables.trainable_variables().iter().map(Tensor::numel).sum()
    }

    /// Does one update; returns the loss and the time until the device is done.
    pub(crate) fn step(&mut self, batch: Batch) -> Outcome<(f64, Duration)> {
        let begun = Instant::now();
        let batch = TensorBatch::new(batch, self.device)?;
        let [mean, deviation] = self.target;
        let normalised = batch.get("y")?.f_sub_scalar(mean)?.f_div_scalar(deviation)?;
        let loss = mse(&self.model.forward(&batch)?, &normalised, &batch)?;
        self.optimizer.backward_step(&loss);
        // Reading the loss waits for the device.
        Ok((f64::try_from(&loss)?, begun.elapsed()))
    }

    /// Root mean squared error, in the unit of the target.
    fn rmse(&self, loader: &Loader<Subset<Store>>) -> Outcome<f64> {
        let _guard = tch::no_grad_guard();
        let [mean, deviation] = self.target;
        let (mut sum, mut graphs) = (0.0, 0);
        for batch in loader.epoch(0) {
            let batch = TensorBatch::new(batch?, self.device)?;
            let real = batch.real().graphs() as i64;
            let predicted = self.model.forward(&batch)?.f_mul_scalar(deviation)?.f_add_scalar(mean)?;
            let error = predicted.f_sub(batch.get("y")?)?.f_narrow(0, 0, real)?;
            sum += f64::try_from(error.f_square()?.f_sum(Kind::Double)?)?;
            graphs += real;
        }
        Ok((sum / graphs.max(1) as f64).sqrt())
    }
}

/// How to train.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) steps: usize,
    pub(crate) device: Device,
    pub(crate) seed: u64,
    /// Replaces the study's width.
    pub(crate) width: Option<i64>,
}

/// Trains a new model for the given number of steps.
pub(crate) fn train(
    data: &Data,
    model: ModelName,
    (algorithm, batch_size): (Algorithm, u32),
    settings: Settings,
    bar: &ProgressBar,
) -> Outcome<Run> {
    let mut trainer = Trainer::new(model, data, settings)?;
    let options = Loader::new(data.train.clone()).shuffle(settings.seed).workers(0);
    let options = algorithm.apply(options, &data.sample, batch_size).ok_or("the shape exceeds 32 bits")?;
    let loader = on(options, settings.device).build()?;
    let test = on(Loader::new(data.test.clone()).batch_graphs(TEST_GRAPHS), settings.device).build()?;

    let (mut batching, mut update, mut combined) = (Times::default(), Times::default(), Times::default());
    let (mut losses, mut running_average, mut test_rmse) = (Vec::new(), Vec::new(), Vec::new());
    let (mut graphs, mut real, mut slots, mut shapes) = (0, [0; 2], [0; 2], HashSet::new());
    let (mut sum, mut next_average, evaluate_every) = (0.0, 1, settings.steps.div_ceil(10).max(1));
    'steps: for epoch in 0.. {
        let begun = Instant::now();
        let planned = loader.epoch(epoch);
        // Counted with the first batch of the epoch.
        let mut planning = begun.elapsed();
        for batch in planned {
            if losses.len() == settings.steps {
                break 'steps;
            }
            let batch = batch?;
            let (found, shape) = (batch.real(), batch.shape());
            let collating = batch.collating() + std::mem::take(&mut planning);
            let (loss, updating) = trainer.step(batch)?;
            losses.push(loss);
            batching.push(collating);
            update.push(updating);
            combined.push(collating + updating);
            sum += (collating + updating).as_secs_f64() * 1e3;
            graphs += found.graphs() as u64;
            shapes.insert(shape);
            real = [real[0] + found.nodes(), real[1] + found.edges()];
            slots = [slots[0] + shape.nodes(), slots[1] + shape.edges()];
            let step = losses.len();
            // A constant number of points per decade.
            if step >= next_average || step == settings.steps {
                running_average.push((step, sum / step as f64));
                next_average = step + step.div_ceil(10);
            }
            if step % evaluate_every == 0 || step == settings.steps {
                test_rmse.push((step, trainer.rmse(&test)?));
            }
            bar.set_message(format!("{model:?}, {algorithm}, {batch_size}: loss {loss:.3}"));
            bar.inc(1);
        }
    }
    let tenth = losses.len().div_ceil(10).max(1);
    let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len().max(1) as f64;
    let timings = Timings {
        model: model.name().into(),
        algorithm: algorithm.to_string(),
        batch_size,
        steps: losses.len(),
        graphs,
        distinct_shapes: shapes.len(),
        node_fill: real[0] as f64 / slots[0].max(1) as f64,
        edge_fill: real[1] as f64 / slots[1].max(1) as f64,
        batching_ms_mean: batching.mean(),
        batching_ms_median: batching.median(),
        update_ms_mean: update.mean(),
        update_ms_median: update.median(),
        combined_ms_mean: combined.mean(),
        combined_ms_median: combined.median(),
        first_loss: mean(&losses[..tenth.min(losses.len())]),
        last_loss: mean(&losses[losses.len().saturating_sub(tenth)..]),
    };
    Ok(Run { timings, running_average, test_rmse })
}

/// Puts batches into pinned memory if they go to a GPU.
pub(crate) fn on<S: graphpack_loader::Source + 'static>(options: LoaderBuilder<S>, device: Device) -> LoaderBuilder<S> {
    if device.is_cuda() { options.memory(graphpack_tch::Pinned) } else { options }
}
