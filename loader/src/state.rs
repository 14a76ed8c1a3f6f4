//! [`LoaderState`]: where in the data a training is, to go on from there in another process.

use crate::{Batching, Oversize, Padding};
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
    pub(crate) order: Order,
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
    pub(crate) padding: Padding,
    /// Nodes, edges and graphs of the fixed shape.
    pub(crate) shape: Option<[usize; 3]>,
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
    pub(crate) order: Order,
}

impl Origin {
    pub(crate) fn state(&self, epoch: u64, done: u64) -> LoaderState {
        LoaderState { version: VERSION, data: self.data, order: self.order.clone(), epoch, done }
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
    pub(crate) fn check(&self, Origin { data, order }: &Origin) -> Result<(), ResumeError> {
        if self.version != VERSION {
            return Err(ResumeError::Version { found: self.version });
        }
        if self.data != *data {
            return Err(ResumeError::Data { expected: *data, found: self.data });
        }
        let found = &self.order;
        let same_shape = (order.padding, order.shape) == (found.padding, found.shape);
        if order.limits != found.limits || order.packs_per_batch != found.packs_per_batch || !same_shape {
            return Err(ResumeError::Limits {
                expected: Box::new((order.limits, order.packs_per_batch, order.padding)),
                found: Box::new((found.limits, found.packs_per_batch, found.padding)),
            });
        }
        if order.batching != found.batching {
            return Err(ResumeError::Packer { expected: order.batching, found: found.batching });
        }
        if order.oversize != found.oversize {
            return Err(ResumeError::Oversize { expected: order.oversize, found: found.oversize });
        }
        if order.seed != found.seed {
            return Err(ResumeError::Seed { expected: order.seed, found: found.seed });
        }
        if order.block != found.block {
            return Err(ResumeError::Block { expected: order.block, found: found.block });
        }
        if order.weights != found.weights {
            return Err(ResumeError::Weights { expected: order.weights, found: found.weights });
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
    #[error(
        "the state belongs to limits {}, {} packs per batch, padding {:?}; here they are {}, {} packs per batch, padding {:?}",
        .found.0, .found.1, .found.2, .expected.0, .expected.1, .expected.2
    )]
    Limits {
        /// Limits, packs per batch and padding of the loader.
        expected: Box<(Limits<2>, usize, Padding)>,
        /// Those of the state.
        found: Box<(Limits<2>, usize, Padding)>,
    },
    /// Graphs come together otherwise.
    #[error("the state belongs to {found:?}, here graphs come together by {expected:?}")]
    Packer {
        /// Of the loader.
        expected: Batching,
        /// Of the state.
        found: Batching,
    },
    /// Other graphs are left out, or are alone.
    #[error("the state belongs to Oversize::{found:?}, here it is Oversize::{expected:?}")]
    Oversize {
        /// Of the loader.
        expected: Oversize,
        /// Of the state.
        found: Oversize,
    },
    /// Graphs come in another order.
    #[error("the state belongs to seed {found:?}, here it is {expected:?}")]
    Seed {
        /// Of the loader.
        expected: Option<u64>,
        /// Of the state.
        found: Option<u64>,
    },
    /// Other blocks are shuffled.
    #[error("the state belongs to blocks of {found:?} graphs, here they have {expected:?}")]
    Block {
        /// Of the loader.
        expected: Option<usize>,
        /// Of the state.
        found: Option<usize>,
    },
    /// Graphs are drawn by other weights.
    #[error("the state belongs to weights of fingerprint {found:x?}, here it is {expected:x?}")]
    Weights {
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
