//! [`BatchInfo`]: where a batch comes from, and how much of it is real.

use crate::BridgeError;
use crate::ffi::{Owner, tensor_over};
use graphpack_loader::{Batch, BatchMemory, LoaderState, Shape};
use tch::{Device, Tensor};

/// Where a batch comes from, and how much of it is real.
#[derive(Clone)]
pub(crate) struct BatchInfo {
    real: Shape,
    epoch: u64,
    step: u64,
    state: LoaderState,
}

impl BatchInfo {
    /// Splits a batch into this and its bytes. The memory goes back to the loader when the last tensor over it is gone.
    pub(crate) fn split(batch: Batch) -> Result<(Self, Tensor), BridgeError> {
        let this = Self { real: batch.real(), epoch: batch.epoch(), step: batch.step(), state: batch.state() };
        Ok((this, tensor_over(batch.into_memory()).map_err(BridgeError::cannot("use the memory of a batch"))?))
    }

    /// How much of the shape is real.
    pub(crate) fn real(&self) -> Shape {
        self.real
    }

    /// The epoch that the batch belongs to.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The number of the batch in its epoch.
    pub(crate) fn step(&self) -> u64 {
        self.step
    }

    /// The state of the loader after this batch.
    pub(crate) fn state(&self) -> &LoaderState {
        &self.state
    }
}

impl Owner for BatchMemory {
    fn device(&self) -> Device {
        Device::Cpu
    }

    fn memory(&mut self) -> (*mut u8, usize) {
        let bytes = self.bytes_mut();
        (bytes.as_mut_ptr(), bytes.len())
    }
}
