//! [`BatchPosition`]: the place of a batch in its epoch.

use crate::layout::Shape;
use crate::plan::{EpochPlan, LoaderState};
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
    plan: Arc<EpochPlan>,
    /// The number of the batch in the epoch of all ranks.
    batch: usize,
}

impl BatchPosition {
    /// Returns the position of batch `step` of this rank in epoch `epoch`, which is number `batch` of `plan`. After it, all
    /// ranks together have consumed `done` batches of the epoch. `run` is any state of the same run.
    pub(crate) fn new(
        run: &Arc<LoaderState>,
        (epoch, step, done): (u64, u64, u64),
        (plan, batch): (&Arc<EpochPlan>, usize),
    ) -> Self {
        Self { epoch, step, done, run: run.clone(), plan: plan.clone(), batch }
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    pub(crate) fn step(&self) -> u64 {
        self.step
    }

    /// The graphs of the batch; none if it only fills the last step of all ranks.
    pub(crate) fn graphs(&self) -> &[u32] {
        self.plan.graphs(self.batch)
    }

    /// How often each graph of the batch comes before in the epoch; none if no graph comes twice.
    pub(crate) fn copies(&self) -> &[u32] {
        self.plan.copies(self.batch)
    }

    /// The shape of the batch.
    pub(crate) fn shape(&self) -> Shape {
        self.plan.shape(self.batch)
    }

    /// Returns the state after this batch.
    pub(crate) fn state(&self) -> LoaderState {
        self.run.at(self.epoch, self.done)
    }
}
