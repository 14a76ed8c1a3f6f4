//! [`BatchPosition`]: which batch of which epoch it is.

use crate::plan::LoaderState;
use std::sync::Arc;

/// Which batch of which epoch it is.
#[derive(Clone)]
pub(crate) struct BatchPosition {
    epoch: u64,
    step: u64,
    /// Batches of the epoch already consumed by all ranks after this step.
    done: u64,
    /// Any state of the same order of graphs.
    run: Arc<LoaderState>,
}

impl BatchPosition {
    /// Batch `step` of this rank in epoch `epoch`, after which all ranks have consumed `done` batches of the run that `run` is a state of.
    pub(crate) fn new(run: Arc<LoaderState>, epoch: u64, step: u64, done: u64) -> Self {
        Self { epoch, step, done, run }
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    pub(crate) fn step(&self) -> u64 {
        self.step
    }

    /// The state after this batch.
    pub(crate) fn state(&self) -> LoaderState {
        self.run.at(self.epoch, self.done)
    }
}
