//! [`ResumeKey`]: everything besides the data that the epoch order depends on.

use super::order::Grouping;
use super::{BatchSize, PlanFingerprint, ResumeError};
use crate::layout::Shape;
use crate::options::{Batching, Limits, Options, Oversize, Padding, Weights};
use serde::{Deserialize, Serialize};

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
    /// The shape of all batches with the least padding, if they have one.
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
    /// Whether the packs of a plan are composed so that padding entries are spread; not in states of earlier releases.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    spread: bool,
}

/// An option as errors call it, whether it is the same, and what it is in words.
type Compared = (&'static str, bool, fn(&ResumeKey) -> String);

impl ResumeKey {
    /// Returns the key of `options`, which give batches these limits, this shape and this grouping.
    pub(super) fn new(options: &Options, limits: Limits, shape: Option<Shape>, grouping: &Grouping) -> Self {
        let (plan, spread) = (grouping.plan(), grouping.keeps_sums());
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
            // Limits and shape stand for them.
            capacity: _,
            shape: _,
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
            spread,
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

    /// Whether packs are composed so that padding entries are spread.
    pub(crate) fn spread(&self) -> bool {
        self.spread
    }

    fn size(&self) -> BatchSize {
        let Self { limits, packs_per_batch, padding, shape, .. } = *self;
        BatchSize { limits, packs_per_batch, padding, shape }
    }

    /// Which graphs share a batch, with a weight for every set that the data have.
    fn full_batching(&self) -> Batching {
        match self.batching {
            Batching::Packed(packer) => Batching::Packed(packer.resized(self.limits.size.sets())),
            other => other,
        }
    }

    /// The options that must be the same when a run resumes: what errors call each, whether those of `saved` are the same,
    /// and what both are in words.
    fn options(&self, saved: &Self) -> [Compared; 6] {
        [
            ("batching", self.full_batching() == saved.full_batching(), |key| format!("Batching::{:?}", key.batching)),
            ("treatment of graphs that exceed the limits", self.oversize == saved.oversize, |key| {
                format!("Oversize::{:?}", key.oversize)
            }),
            ("seed", self.seed == saved.seed, |key| key.seed.map_or_else(|| "none".into(), |seed| seed.to_string())),
            ("block of shuffling", self.block == saved.block, |key| {
                key.block.map_or_else(|| "all graphs".into(), |graphs| format!("{graphs} graphs"))
            }),
            ("treatment of an incomplete last batch", self.drop_last == saved.drop_last, |key| {
                if key.drop_last { "left out" } else { "kept" }.into()
            }),
            ("weighting of graphs", self.weights == saved.weights, |key| {
                key.weights.map_or_else(|| "none".into(), |hash| format!("weights of fingerprint {hash:016x}"))
            }),
        ]
    }

    /// Errors if `saved` gives another epoch order than this key. The world size may differ.
    pub(super) fn check(&self, saved: &Self) -> Result<(), ResumeError> {
        if self.size() != saved.size() {
            return Err(ResumeError::Limits { expected: Box::new(self.size()), found: Box::new(saved.size()) });
        }
        // Batches follow from the plan, whichever packer made it.
        let same_plan = self.plan.is_some() && self.plan == saved.plan;
        let [batching, others @ ..] = self.options(saved);
        let compared = (!same_plan).then_some(batching).into_iter().chain(others);
        for (name, same, words) in compared {
            if !same {
                return Err(ResumeError::Option { name, expected: words(self), found: words(saved) });
            }
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
