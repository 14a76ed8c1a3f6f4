//! [`LoaderState`]: where in the data a training is, to go on from there in another process.

use super::{ResumeError, ResumeKey};
use serde::{Deserialize, Serialize};

/// The version of the order of graphs for a given seed. It changes with a note in the changelog.
const VERSION: u32 = 1;

/// Where in the data a training is: right after one batch. [`Batch::state`](crate::Batch::state) gives it,
/// [`Loader::resume`](crate::Loader::resume) goes on from it, with any number of workers, prefetch depth and world size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoaderState {
    version: u32,
    /// Fingerprint of the data.
    data: u64,
    order: ResumeKey,
    epoch: u64,
    /// Batches of the epoch that all ranks together have consumed.
    done: u64,
}

impl LoaderState {
    /// Before the first batch of epoch 0.
    pub(super) fn start(data: u64, order: ResumeKey) -> Self {
        Self { version: VERSION, data, order, epoch: 0, done: 0 }
    }

    /// The same training after `done` batches of epoch `epoch`.
    pub(crate) fn at(&self, epoch: u64, done: u64) -> Self {
        Self { epoch, done, ..self.clone() }
    }

    /// The epoch that it is in.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Batches of the epoch that all ranks together have consumed.
    pub fn batches_done(&self) -> u64 {
        self.done
    }

    /// What the order of graphs follows from.
    pub(crate) fn key(&self) -> &ResumeKey {
        &self.order
    }

    /// Refuses a saved state of another order, or of other data.
    pub(crate) fn check(&self, saved: &Self) -> Result<(), ResumeError> {
        if saved.version != self.version {
            return Err(ResumeError::Version { expected: self.version, found: saved.version });
        }
        if saved.data != self.data {
            return Err(ResumeError::Data { expected: self.data, found: saved.data });
        }
        self.order.check(&saved.order)
    }
}
