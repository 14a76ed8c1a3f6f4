//! [`BatchPosition`]: the place of a batch in its epoch.

use crate::plan::LoaderState;
use std::sync::Arc;

/// The place of a batch in its epoch.
#[derive(Clone)]
pub(crate) struct BatchPosition {
    epoch: u64,
    step: u64,
    /// Batches already consumed by all ranks once this one is.
    done: u64,
    /// Any state of the same epoch order.
    run: Arc<LoaderState>,
}

impl BatchPosition {
    /// Returns the position of batch `step` of this rank in epoch `epoch`. After it, all ranks together have consumed
    /// `done` batches of the epoch. `run` is any state of the same run.
    pub(crate) fn new(run: Arc<LoaderState>, epoch: u64, step: u64, done: u64) -> Self {
        Self { epoch, step, done, run }
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    pub(crate) fn step(&self) -> u64 {
        self.step
    }

    /// Returns the state after this batch.
    pub(crate) fn state(&self) -> LoaderState {
        self.run.at(self.epoch, self.done)
    }
}
