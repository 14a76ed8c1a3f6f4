//! [`ResumeKey`]: what the order of graphs follows from, beside the data.

use crate::layout::Shape;
use crate::options::{Batching, Options, Oversize, Padding, Weights};
use graphpack_core::Limits;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What the order of graphs follows from, beside the data. Made from the options and what they come to, and compared before a run resumes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResumeKey {
    /// The configured limits.
    limits: Limits<2>,
    batching: Batching,
    packs_per_batch: usize,
    padding: Padding,
    /// The shape of all batches, where they have one.
    shape: Option<Shape>,
    oversize: Oversize,
    seed: Option<u64>,
    /// Graphs of a block, where blocks are shuffled.
    block: Option<usize>,
    /// Fingerprint of the weights, where graphs are drawn.
    weights: Option<u64>,
    /// The world size for which batches of one step were made alike, where batches have several shapes.
    alike: u32,
}

impl ResumeKey {
    /// The key of options that come to these limits and this shape.
    pub(super) fn new(options: &Options, limits: Limits<2>, shape: Option<Shape>) -> Self {
        Self {
            limits,
            batching: options.batching,
            packs_per_batch: options.packs,
            padding: options.padding,
            shape,
            oversize: options.oversize,
            seed: options.seed,
            block: options.block,
            weights: options.weights.as_ref().map(Weights::fingerprint),
            alike: options.shard.world(),
        }
    }

    /// The world size for which batches of one step are alike.
    pub(crate) fn alike(&self) -> u32 {
        self.alike
    }

    /// The configured limits.
    pub(crate) fn limits(&self) -> Limits<2> {
        self.limits
    }

    fn size(&self) -> BatchSize {
        BatchSize { limits: self.limits, packs_per_batch: self.packs_per_batch, padding: self.padding }
    }

    /// Refuses a saved key that orders graphs otherwise. Another world size does not.
    pub(super) fn check(&self, saved: &Self) -> Result<(), ResumeError> {
        if (self.size(), self.shape) != (saved.size(), saved.shape) {
            return Err(ResumeError::Limits { expected: Box::new(self.size()), found: Box::new(saved.size()) });
        }
        if self.batching != saved.batching {
            return Err(ResumeError::Packer { expected: self.batching, found: saved.batching });
        }
        if self.oversize != saved.oversize {
            return Err(ResumeError::Oversize { expected: self.oversize, found: saved.oversize });
        }
        if self.seed != saved.seed {
            return Err(ResumeError::Seed { expected: self.seed, found: saved.seed });
        }
        if self.block != saved.block {
            return Err(ResumeError::Block { expected: self.block, found: saved.block });
        }
        if self.weights != saved.weights {
            return Err(ResumeError::Weights { expected: self.weights, found: saved.weights });
        }
        Ok(())
    }
}

/// What a batch holds, as far as a resumed run must agree with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchSize {
    /// The limits of a pack.
    pub limits: Limits<2>,
    /// Packs per batch.
    pub packs_per_batch: usize,
    /// How batches are padded.
    pub padding: Padding,
}

impl fmt::Display for BatchSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limits, packs_per_batch, padding } = self;
        write!(f, "limits {limits}, {packs_per_batch} packs per batch, padding {padding:?}")
    }
}

/// A state that a loader cannot go on from.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The order of graphs has changed since.
    #[error("the state is of version {found} of the order of graphs, this is version {expected}")]
    Version {
        /// The version here.
        expected: u32,
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
    #[error("the state belongs to {found}; here they are {expected}")]
    Limits {
        /// Of the loader.
        expected: Box<BatchSize>,
        /// Of the state.
        found: Box<BatchSize>,
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
    /// The state is of a batch that its epoch does not have.
    #[error("the state was taken after batch {done}, but epoch {epoch} has only {batches} batches")]
    Step {
        /// The epoch.
        epoch: u64,
        /// Batches that were consumed.
        done: u64,
        /// Batches of the epoch.
        batches: usize,
    },
}
