//! [`ResumeKey`]: everything besides the data that the epoch order depends on.

use super::PlanFingerprint;
use crate::layout::Shape;
use crate::options::{Batching, Limits, Options, Oversize, Padding, Weights};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Everything besides the data that the epoch order depends on: the options, and the limits, the shape and the plan that
/// they give. A saved key is compared with the loader's before a run resumes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResumeKey {
    /// The configured limits.
    limits: Limits,
    batching: Batching,
    packs_per_batch: usize,
    padding: Padding,
    /// The shape of all batches, if they have one.
    shape: Option<Shape>,
    oversize: Oversize,
    seed: Option<u64>,
    /// Number of graphs per block, if blocks are shuffled.
    block: Option<usize>,
    /// Fingerprint of the weights, if graphs are drawn.
    weights: Option<u64>,
    /// The world size for which the batches of one step got similar shapes, if batches have several shapes.
    alike: u32,
    /// Whether an incomplete last batch is left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    drop_last: bool,
    /// The plan that the epoch follows; `None` without one, and before the first batch if each epoch has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plan: Option<PlanFingerprint>,
}

impl ResumeKey {
    /// Returns the key of `options`, which give batches these limits, this shape and this plan.
    pub(super) fn new(options: &Options, limits: Limits, shape: Option<Shape>, plan: Option<PlanFingerprint>) -> Self {
        // All fields by name: a new option does not compile until somebody has decided whether the order follows from it.
        let &Options {
            batching,
            packs,
            padding,
            oversize,
            seed,
            block,
            ref weights,
            shard,
            drop_last,
            // Limits and shape stand for it.
            capacity: _,
            // The fingerprint stands for it.
            plan: _,
            // All ranks resume together, with batches of any shape.
            equal_shapes: _,
            // Contents and speed follow from these, the order does not.
            transform: _,
            workers: _,
            prefetch: _,
            memory: _,
            index: _,
            fields: _,
            arrays: _,
        } = options;
        let (weights, alike) = (weights.as_ref().map(Weights::fingerprint), shard.world());
        Self {
            limits,
            batching,
            packs_per_batch: packs,
            padding,
            shape,
            oversize,
            seed,
            block,
            weights,
            alike,
            drop_last,
            plan,
        }
    }

    /// Returns the key of an epoch that follows `plan`.
    pub(super) fn with_plan(self, plan: Option<PlanFingerprint>) -> Self {
        Self { plan, ..self }
    }

    /// The world size for which the batches of one step got similar shapes.
    pub(crate) fn alike(&self) -> u32 {
        self.alike
    }

    fn size(&self) -> BatchSize {
        let Self { limits, packs_per_batch, padding, shape, .. } = *self;
        BatchSize { limits, packs_per_batch, padding, shape }
    }

    /// Errors if `saved` gives another epoch order than this key. The world size may differ.
    pub(super) fn check(&self, saved: &Self) -> Result<(), ResumeError> {
        if self.size() != saved.size() {
            return Err(ResumeError::Limits { expected: Box::new(self.size()), found: Box::new(saved.size()) });
        }
        // Batches follow from the plan, whichever packer made it.
        let same_plan = self.plan.is_some() && self.plan == saved.plan;
        if self.batching != saved.batching && !same_plan {
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
        if self.drop_last != saved.drop_last {
            return Err(ResumeError::DropLast { expected: self.drop_last, found: saved.drop_last });
        }
        if self.weights != saved.weights {
            return Err(ResumeError::Weights { expected: self.weights, found: saved.weights });
        }
        Ok(())
    }

    /// Errors if this key belongs to another plan than `expected`, that of the epoch.
    pub(crate) fn check_plan(&self, expected: Option<PlanFingerprint>) -> Result<(), ResumeError> {
        match (expected, self.plan) {
            (Some(expected), Some(found)) if expected != found => Err(ResumeError::Plan { expected, found }),
            _ => Ok(()),
        }
    }
}

/// What a batch holds, which must be the same when a run resumes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchSize {
    /// The limits of a pack.
    pub limits: Limits,
    /// Number of packs per batch.
    pub packs_per_batch: usize,
    /// How batches are padded.
    pub padding: Padding,
    /// The shape of all batches, if they have one.
    pub shape: Option<Shape>,
}

impl fmt::Display for BatchSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limits, packs_per_batch, padding, shape } = self;
        write!(f, "limits {limits}, {packs_per_batch} packs per batch, padding {padding:?}, ")?;
        match shape {
            Some(shape) => write!(f, "a shape of {shape}"),
            None => f.write_str("several shapes"),
        }
    }
}

/// A loader cannot resume from a saved state.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The library has changed the epoch order since the state was saved.
    #[error(
        "the state has version {found} of the epoch order, this library writes version {expected}: resume with the \
         release that saved it, or begin its epoch again with Loader::epoch"
    )]
    Version {
        /// The version of this library.
        expected: u32,
        /// The version in the state.
        found: u32,
    },
    /// The state belongs to other data.
    #[error(
        "the state belongs to other data: its fingerprint is {found:016x}, this loader's data have {expected:016x}"
    )]
    Data {
        /// Fingerprint of the loader's data.
        expected: u64,
        /// Fingerprint in the state.
        found: u64,
    },
    /// The batches of the state have other limits, packs or padding.
    #[error("the state belongs to {found}; this loader has {expected}")]
    Limits {
        /// What the loader has.
        expected: Box<BatchSize>,
        /// What the state has.
        found: Box<BatchSize>,
    },
    /// The state belongs to another [`Batching`].
    #[error("the state belongs to {found:?}, this loader has {expected:?}")]
    Packer {
        /// What the loader has.
        expected: Batching,
        /// What the state has.
        found: Batching,
    },
    /// The state belongs to another [`Oversize`].
    #[error("the state belongs to Oversize::{found:?}, this loader has Oversize::{expected:?}")]
    Oversize {
        /// What the loader has.
        expected: Oversize,
        /// What the state has.
        found: Oversize,
    },
    /// The state belongs to another seed.
    #[error("the state belongs to seed {found:?}, this loader has {expected:?}")]
    Seed {
        /// What the loader has.
        expected: Option<u64>,
        /// What the state has.
        found: Option<u64>,
    },
    /// The state belongs to blocks of another size.
    #[error("the state belongs to shuffled blocks of {found:?} graphs, this loader has {expected:?}")]
    Block {
        /// What the loader has.
        expected: Option<usize>,
        /// What the state has.
        found: Option<usize>,
    },
    /// The state belongs to a loader that treats an incomplete last batch otherwise.
    #[error("the state belongs to a loader with drop_last = {found}, this loader has {expected}")]
    DropLast {
        /// Whether the loader leaves it out.
        expected: bool,
        /// Whether the loader of the state did.
        found: bool,
    },
    /// The state belongs to other weights.
    #[error("the state belongs to weights of fingerprint {found:x?}, this loader's have {expected:x?}")]
    Weights {
        /// What the loader has.
        expected: Option<u64>,
        /// What the state has.
        found: Option<u64>,
    },
    /// The state belongs to another plan of the same packer and limits.
    #[error(
        "the state belongs to a plan of {found}, this loader's has {expected}: build the loader with the plan of that \
         run, or begin the epoch again with Loader::epoch"
    )]
    Plan {
        /// What the loader has.
        expected: PlanFingerprint,
        /// What the state has.
        found: PlanFingerprint,
    },
    /// The state was taken after more batches than its epoch has.
    #[error("the state was taken after batch {done}, but epoch {epoch} has only {batches} batches")]
    Step {
        /// Number of the epoch.
        epoch: u64,
        /// Batches that all ranks had consumed, according to the state.
        done: u64,
        /// Number of batches of the epoch.
        batches: usize,
    },
}

graphpack_core::debug_is_display!(ResumeError);
