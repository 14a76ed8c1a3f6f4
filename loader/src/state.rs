//! [`LoaderState`]: where in the data a training is, to go on from there in another process.

use crate::{Batching, Oversize};
use graphpack_core::Limits;
use serde::{Deserialize, Serialize};

/// The version of the order of graphs for a given seed. It changes with a note in the changelog.
pub(crate) const VERSION: u32 = 1;

/// Where in the data a training is: right behind one batch. [`Batch::state`](crate::Batch::state) gives it,
/// [`Loader::resume`](crate::Loader::resume) goes on from it, with any number of workers, prefetched batches and processes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoaderState {
    pub(crate) version: u32,
    /// Fingerprint of the data.
    pub(crate) data: u64,
    pub(crate) plan: Order,
    pub(crate) epoch: u64,
    /// Batches of the epoch that are behind all processes.
    pub(crate) done: u64,
}

/// All that decides the order of graphs, beside the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    pub(crate) limits: Limits<2>,
    pub(crate) batching: Batching,
    pub(crate) packs_per_batch: usize,
    pub(crate) oversize: Oversize,
    pub(crate) seed: Option<u64>,
    /// Graphs of a block, where blocks are shuffled.
    pub(crate) block: Option<usize>,
    /// Fingerprint of the weights, where graphs are drawn.
    pub(crate) weights: Option<u64>,
    /// Processes whose batches of one step were made alike, where batches have several shapes.
    pub(crate) alike: u32,
}

/// What the order of graphs follows from: the data, and all that decides it beside them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Origin {
    pub(crate) data: u64,
    pub(crate) plan: Order,
}

impl Origin {
    pub(crate) fn state(&self, epoch: u64, done: u64) -> LoaderState {
        LoaderState { version: VERSION, data: self.data, plan: self.plan.clone(), epoch, done }
    }
}

impl LoaderState {
    /// The epoch that it is in.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Batches of the epoch that are behind all processes together.
    pub fn batches_done(&self) -> u64 {
        self.done
    }

    /// Whether a loader of this order of these data can go on from here.
    pub(crate) fn check(&self, Origin { data, plan }: &Origin) -> Result<(), ResumeError> {
        if self.version != VERSION {
            return Err(ResumeError::Version { found: self.version });
        }
        if self.data != *data {
            return Err(ResumeError::Data { expected: *data, found: self.data });
        }
        let limits = [plan.limits, self.plan.limits];
        let same_limits = limits[0] == limits[1] && plan.packs_per_batch == self.plan.packs_per_batch;
        if !same_limits {
            let packs = [plan.packs_per_batch, self.plan.packs_per_batch];
            return Err(ResumeError::Limits { expected: limits[0], found: limits[1], packs });
        }
        if (plan.batching, plan.oversize) != (self.plan.batching, self.plan.oversize) {
            return Err(ResumeError::Packer { expected: plan.batching, found: self.plan.batching });
        }
        if (plan.seed, plan.block, plan.weights) != (self.plan.seed, self.plan.block, self.plan.weights) {
            return Err(ResumeError::Shuffle { expected: plan.seed, found: self.plan.seed });
        }
        Ok(())
    }
}

/// A state that a loader cannot go on from.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The order of graphs has changed since.
    #[error("the state is of version {found} of the order of graphs, this is version {VERSION}")]
    Version {
        /// That of the state.
        found: u32,
    },
    /// The data are others.
    #[error("the state belongs to other data: its fingerprint is {found:016x}, that of the data here {expected:016x}")]
    Data {
        /// Of the loader's data.
        expected: u64,
        /// Of the state's.
        found: u64,
    },
    /// Batches have another size.
    #[error("the state belongs to limits {found}, {} packs per batch; here they are {expected}, {} packs per batch", .packs[1], .packs[0])]
    Limits {
        /// Of the loader.
        expected: Limits<2>,
        /// Of the state.
        found: Limits<2>,
        /// Packs per batch of the loader and of the state.
        packs: [usize; 2],
    },
    /// Graphs come together otherwise.
    #[error("the state belongs to {found:?}, here graphs come together by {expected:?}, or others are left out")]
    Packer {
        /// Of the loader.
        expected: Batching,
        /// Of the state.
        found: Batching,
    },
    /// Graphs come in another order.
    #[error("the state belongs to seed {found:?}, here it is {expected:?}, or blocks or weights differ")]
    Shuffle {
        /// Of the loader.
        expected: Option<u64>,
        /// Of the state.
        found: Option<u64>,
    },
    /// The state lies behind the end of its epoch.
    #[error("the state is behind batch {done} of epoch {epoch}, which has {batches} batches")]
    Step {
        /// The epoch.
        epoch: u64,
        /// Batches behind.
        done: u64,
        /// Batches of the epoch.
        batches: usize,
    },
}
