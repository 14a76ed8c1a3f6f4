//! [`Trainer`]: a model, its optimizer, and the mean and deviation that normalise the target; [`Settings`]: how to
//! train it.

use super::Outcome;
use super::data::Graphs;
use graphpack_loader::{Batch, Loader};
use graphpack_tch::{Adam, TensorBatch, mse};
use laboratory::{Model, ModelName};
use std::time::{Duration, Instant};
use tch::{Device, Kind, nn};

const LEARNING_RATE: f64 = 1e-4;
/// What the learning rate is multiplied by, smoothly, in this many steps.
const DECAY: (f64, f64) = (0.98, 1e5);

/// How to train.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) steps: usize,
    /// How often the test error is computed, the last step included; 0: never.
    pub(crate) evaluations: usize,
    pub(crate) device: Device,
    pub(crate) seed: u64,
    /// Replaces the study's width.
    pub(crate) width: Option<i64>,
    /// Steps after which a checkpoint is written.
    pub(crate) save_every: usize,
    /// When to write a checkpoint and stop.
    pub(crate) end: Option<Instant>,
}

pub(crate) struct Trainer {
    device: Device,
    pub(crate) variables: nn::VarStore,
    model: Model,
    pub(crate) optimizer: Adam,
    target: [f64; 2],
}

impl Trainer {
    pub(crate) fn new(name: ModelName, data: &Graphs, settings: Settings) -> Outcome<Self> {
        let Settings { device, seed, width, .. } = settings;
        tch::manual_seed(seed as i64);
        let variables = nn::VarStore::new(device);
        let model = Model::new(name, &variables.root(), width.unwrap_or(name.width()), &data.elements)?;
        let optimizer = Adam::new(&variables, LEARNING_RATE, 0.0)?;
        let target = data.target.ok_or("the data has no target to train on")?;
        Ok(Self { device, variables, model, optimizer, target })
    }

    /// Does one update, after `done` others; returns the loss and the time until the device is done.
    pub(crate) fn step(&mut self, batch: Batch, done: usize) -> Outcome<(f64, Duration)> {
        let begun = Instant::now();
        let batch = TensorBatch::new(batch, self.device)?;
        let [mean, deviation] = self.target;
        let normalised = batch.get("y")?.f_sub_scalar(mean)?.f_div_scalar(deviation)?;
        let loss = mse(&self.model.forward(&batch)?, &normalised, &batch)?;
        let (factor, steps) = DECAY;
        self.optimizer.set_learning_rate(LEARNING_RATE * factor.powf(done as f64 / steps))?;
        self.optimizer.backward_step(&loss)?;
        // Reading the loss waits for the device.
        Ok((f64::try_from(&loss)?, begun.elapsed()))
    }

    /// Root mean squared error, in the unit of the target.
    pub(crate) fn rmse(&self, loader: &Loader) -> Outcome<f64> {
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
