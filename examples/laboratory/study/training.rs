//! Trains a model on the batches of one algorithm. As in the study each step is timed in two parts that do not overlap,
//! batching and the update.

use super::Outcome;
use super::data::Graphs;
use super::run::{Cell, Run, Step};
use graphpack_loader::{Batch, Loader, Options, Order};
use graphpack_tch::{Adam, TensorBatch, mse};
use indicatif::ProgressBar;
use laboratory::Model;
use std::time::{Duration, Instant};
use tch::{Device, nn};

const LEARNING_RATE: f64 = 1e-4;

/// How to train.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) steps: usize,
    pub(crate) device: Device,
    pub(crate) seed: u64,
    /// Replaces the study's width.
    pub(crate) width: Option<i64>,
}

/// A model, its optimizer, and the mean and deviation that normalise the target.
struct Trainer {
    device: Device,
    model: Model,
    optimizer: Adam,
    target: [f64; 2],
}

impl Trainer {
    fn new(cell: &Cell, data: &Graphs, Settings { device, seed, width, .. }: Settings) -> Outcome<Self> {
        tch::manual_seed(seed as i64);
        let variables = nn::VarStore::new(device);
        let width = width.unwrap_or(cell.model.width());
        let model = Model::new(cell.model, &variables.root(), width, &data.elements)?;
        let optimizer = Adam::new(&variables, LEARNING_RATE, 0.0)?;
        let target = data.target.ok_or("the data has no target to train on")?;
        Ok(Self { device, model, optimizer, target })
    }

    /// Does one update; returns the loss and the time until the device is done.
    fn step(&self, batch: Batch) -> Outcome<(f64, Duration)> {
        let begun = Instant::now();
        let batch = TensorBatch::new(batch, self.device)?;
        let [mean, deviation] = self.target;
        let normalised = batch.get("y")?.f_view([-1, 1])?.f_sub_scalar(mean)?.f_div_scalar(deviation)?;
        let loss = mse(&self.model.forward(&batch)?, &normalised, &batch)?;
        self.optimizer.backward_step(&loss)?;
        // Reading the loss waits for the device.
        Ok((f64::try_from(&loss)?, begun.elapsed()))
    }
}

/// Trains a new model.
pub(crate) fn train(data: &Graphs, cell: &Cell, settings: Settings, bar: &ProgressBar) -> Outcome<Run> {
    let seed = cell.seed(settings.seed);
    let trainer = Trainer::new(cell, data, Settings { seed, ..settings })?;
    let options = Options::default().order(Order::Shuffled).seed(seed).workers(0);
    let options = cell.algorithm.apply(options, &data.sample, cell.batch_size).ok_or("the shape exceeds 32 bits")?;
    // Batches that go to a GPU lie in pinned memory.
    let options = if settings.device.is_cuda() { options.memory(graphpack_tch::Pinned) } else { options };
    let loader = Loader::new(data.train.clone(), options)?;
    let mut steps = Vec::new();
    'epochs: for epoch in 0.. {
        let begun = Instant::now();
        let planned = loader.epoch(epoch);
        // Counted with the first batch of the epoch.
        let mut planning = begun.elapsed();
        for batch in planned {
            if steps.len() >= settings.steps {
                break 'epochs;
            }
            let batch = batch?;
            let (real, shape) = (batch.real(), batch.shape());
            let batching = batch.collating() + std::mem::take(&mut planning);
            let (loss, update) = trainer.step(batch)?;
            steps.push(Step {
                batching_ms: milliseconds(batching),
                update_ms: milliseconds(update),
                graphs: real.graphs(),
                nodes: real.nodes(),
                edges: real.edges(),
                node_slots: shape.nodes(),
                edge_slots: shape.edges(),
            });
            bar.set_message(format!("{cell}: loss {loss:.3}"));
            bar.inc(1);
        }
    }
    Ok(Run::new(cell, &steps))
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
