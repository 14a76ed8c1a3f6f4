//! [`run_epoch`]: trains for an epoch; [`Seen`]: what its batches had.

use super::Outcome;
use graphpack_loader::{Epoch, Shape};
use graphpack_tch::{DeviceLoader, TensorBatch};
use indicatif::ProgressBar;
use std::collections::HashSet;
use std::time::{Duration, Instant};
use tch::{Device, Kind, Tensor};

/// Sums over the batches of an epoch.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) graphs: usize,
    pub(crate) steps: u64,
    pub(crate) shapes: HashSet<Shape>,
    /// Nodes and edges: the real ones, and all with padding.
    real: [usize; 2],
    pub(crate) rows: [usize; 2],
    pub(crate) waited: Duration,
}

impl Seen {
    fn add(&mut self, batch: &TensorBatch) {
        let (real, shape) = (batch.real(), batch.shape());
        self.graphs += real.graphs();
        self.steps += 1;
        self.shapes.insert(shape);
        self.real = [self.real[0] + real.nodes(), self.real[1] + real.edges()];
        self.rows = [self.rows[0] + shape.nodes(), self.rows[1] + shape.edges()];
    }

    pub(crate) fn filled(&self) -> [f64; 2] {
        std::array::from_fn(|k| self.real[k] as f64 / self.rows[k].max(1) as f64)
    }
}

/// Trains for an epoch and returns the mean loss per graph. Only the end of the epoch waits for a GPU.
pub(crate) fn run_epoch(
    mut step: impl FnMut(&TensorBatch) -> Outcome<Tensor>,
    mut batches: DeviceLoader<Epoch>,
    device: Device,
    bar: &ProgressBar,
    start: Instant,
) -> Outcome<(f64, Seen)> {
    let mut sum = Tensor::f_zeros([] as [i64; 0], (Kind::Double, device))?;
    let mut seen = Seen::default();
    while let Some(batch) = batches.next() {
        let batch = batch?;
        let loss = step(&batch)?;
        let _ = sum.f_add_(&loss.f_mul_scalar(batch.real().graphs() as f64)?)?;
        seen.add(&batch);
        seen.waited = batches.waited();
        let took = start.elapsed().as_secs_f64();
        bar.set_message(format!(
            "{:.0} graphs/s, {:.1} % full, {:.1} % waiting",
            seen.graphs as f64 / took,
            100.0 * seen.filled()[0],
            100.0 * seen.waited.as_secs_f64() / took
        ));
        bar.inc(1);
    }
    Ok((f64::try_from(&sum)? / seen.graphs as f64, seen))
}
