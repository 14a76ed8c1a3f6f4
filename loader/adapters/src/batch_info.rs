//! [`BatchInfo`]: what a batch of tensors is, beside the tensors.

use graphpack_loader::{Batch, Layout, LoaderState, Shape};
use std::sync::Arc;

/// What a batch of tensors is, beside the tensors: its arrays, how much of them is real, where it comes from. All of it
/// stays on the host, so asking never waits for a device.
#[derive(Clone, Debug)]
pub struct BatchInfo {
    layout: Arc<Layout>,
    real: Shape,
    epoch: u64,
    step: u64,
    state: LoaderState,
}

impl BatchInfo {
    pub(crate) fn of(batch: &Batch) -> Self {
        let layout = batch.layout().clone();
        Self { layout, real: batch.real(), epoch: batch.epoch(), step: batch.step(), state: batch.state() }
    }

    /// Names and shapes of the arrays, and the dtypes that they have in the batch: some tensors have
    /// [others](crate).
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The fixed shape.
    pub fn shape(&self) -> Shape {
        self.layout.shape()
    }

    /// How much of the shape is real.
    pub fn real(&self) -> Shape {
        self.real
    }

    /// The epoch that the batch belongs to.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The number of the batch in its epoch.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The state of the loader after this batch, however many batches were made ahead of it.
    pub fn state(&self) -> &LoaderState {
        &self.state
    }
}
