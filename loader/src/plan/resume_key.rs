//! [`ResumeKey`]: everything besides the data that the epoch order depends on, plans included; [`ResumeError`]: why a
//! loader cannot resume.

use crate::error::{Cause, Error, ErrorKind};
use crate::fingerprint::mix;
use crate::layout::Shape;
use crate::options::{Grouping, Limits, Options, Order, Oversize, Padding, Shapes, Weights};
use graphpack_core::{Packer, Plan};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Everything besides the data that the epoch order depends on: the options, and the limits, the shape and the plan that
/// they give. A saved key is compared with the loader's before a run resumes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResumeKey {
    /// The limits of a pack.
    limits: Limits,
    grouping: SavedGrouping,
    shapes: Shapes,
    packs: usize,
    padding: Padding,
    /// The shape of all batches with the least padding, if they have one.
    shape: Option<Shape>,
    oversize: Oversize,
    order: Order,
    seed: u64,
    /// Fingerprint of the weights, if graphs are drawn.
    weights: Option<u64>,
    /// The world size for which the batches of one step got similar shapes, if batches have several shapes.
    alike: u32,
    /// Whether an incomplete last batch is left out.
    drop_last: bool,
    /// The plan that the epoch follows; `None` without one, and before the first batch if each epoch has its own.
    plan: Option<PlanFingerprint>,
    /// The names of the maps that change graphs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    maps: Vec<String>,
}

/// A [`Grouping`] without the packs of its plan, whose fingerprint the key has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum SavedGrouping {
    Packed(Packer),
    Plan,
    Window(u8),
    InOrder,
}

/// An option as errors call it, whether it is the same, and what it is in words.
type Compared = (&'static str, bool, fn(&ResumeKey) -> String);

impl ResumeKey {
    /// Returns the key of `options`, which give batches these limits, this shape and this plan, for graphs that these
    /// `maps` change.
    pub(super) fn new(
        options: &Options,
        maps: Vec<String>,
        limits: Limits,
        shape: Option<Shape>,
        plan: Option<PlanFingerprint>,
    ) -> Self {
        // All fields by name: a new option does not compile until somebody has decided whether the order follows from it.
        let &Options {
            ref grouping,
            shapes,
            packs,
            padding,
            oversize,
            order,
            seed,
            ref weights,
            shard,
            drop_last,
            // Limits and shape stand for them.
            capacity: _,
            sized_for: _,
            shape: _,
            // All ranks resume together, with batches of any shape.
            equal_shapes: _,
            // Contents and speed follow from these, the order does not.
            workers: _,
            prefetch: _,
            memory: _,
            index: _,
            fields: _,
            extra: _,
        } = options;
        let grouping = match grouping {
            // With a weight for every set that the data have.
            Grouping::Packed(packer) => SavedGrouping::Packed(packer.resized(limits.size.sets())),
            Grouping::Plan(_) => SavedGrouping::Plan,
            Grouping::Window(open) => SavedGrouping::Window(*open),
            Grouping::InOrder => SavedGrouping::InOrder,
        };
        let (weights, alike) = (weights.as_ref().map(Weights::fingerprint), shard.world());
        Self {
            limits,
            grouping,
            shapes,
            packs,
            padding,
            shape,
            oversize,
            order,
            seed,
            weights,
            alike,
            drop_last,
            plan,
            maps,
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

    /// The options that must be the same when a run resumes: what errors call each, whether those of `saved` are the same,
    /// and what both are in words.
    fn options(&self, saved: &Self) -> [Compared; 12] {
        // Batches follow from the plan, whichever packer made it; plans are compared for each epoch.
        let given = [self, saved].iter().any(|key| key.grouping == SavedGrouping::Plan);
        let planned = given && self.plan.is_some() && saved.plan.is_some();
        let same_plan = planned || self.plan.is_some() && self.plan == saved.plan;
        let shape = |key: &Self| key.shape.map_or_else(|| "several".into(), |shape| shape.to_string());
        [
            ("capacity of a pack", self.limits == saved.limits, |key| key.limits.to_string()),
            ("number of packs per batch", self.packs == saved.packs, |key| key.packs.to_string()),
            ("padding", self.padding == saved.padding, |key| format!("{:?}", key.padding)),
            ("choice of shapes", self.shapes == saved.shapes, |key| key.shapes.to_string()),
            ("shape of batches", self.shape == saved.shape, shape),
            ("grouping", same_plan || self.grouping == saved.grouping, |key| format!("{:?}", key.grouping)),
            ("treatment of graphs that exceed the capacity", self.oversize == saved.oversize, |key| {
                key.oversize.to_string()
            }),
            ("order of graphs", self.order == saved.order, |key| key.order.to_string()),
            ("seed", self.seed == saved.seed, |key| key.seed.to_string()),
            ("treatment of an incomplete last batch", self.drop_last == saved.drop_last, |key| {
                if key.drop_last { "left out" } else { "kept" }.into()
            }),
            ("weighting of graphs", self.weights == saved.weights, |key| {
                key.weights.map_or_else(|| "none".into(), |hash| format!("weights of fingerprint {hash:016x}"))
            }),
            ("list of maps", self.maps == saved.maps, |key| {
                if key.maps.is_empty() { "none".into() } else { key.maps.join(", ") }
            }),
        ]
    }

    /// Errors if `saved` gives another epoch order than this key. The world size may differ.
    pub(super) fn check(&self, saved: &Self) -> Result<(), Error> {
        for (name, same, words) in self.options(saved) {
            if !same {
                return Err(ResumeError::Option { name, expected: words(self), found: words(saved) }.into());
            }
        }
        Ok(())
    }

    /// Errors if this key belongs to another plan than `expected`, that of the epoch.
    pub(crate) fn check_plan(&self, expected: Option<PlanFingerprint>) -> Result<(), Error> {
        match (expected, self.plan) {
            (Some(expected), Some(found)) if expected != found => Err(ResumeError::Plan { expected, found }.into()),
            _ => Ok(()),
        }
    }
}

/// A loader cannot resume from a saved state.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResumeError {
    #[error(
        "the state belongs to other data: its fingerprint is {found:016x}, this loader's data have {expected:016x}"
    )]
    Data { expected: u64, found: u64 },
    #[error(
        "the state belongs to data with other values: the checksum of their contents is {found:016x}, that of this \
         loader's data {expected:016x}"
    )]
    Contents { expected: u64, found: u64 },
    #[error("the state belongs to another {name}: expected {expected}, found {found}")]
    Option { name: &'static str, expected: String, found: String },
    #[error(
        "the state belongs to a plan of {found}, this loader's has {expected}: build the loader with the plan of that \
         run, or begin the epoch again with Loader::epoch"
    )]
    Plan { expected: PlanFingerprint, found: PlanFingerprint },
    #[error("the state was taken after batch {done}, but epoch {epoch} has only {batches} batches")]
    Step { epoch: u64, done: u64, batches: usize },
}

impl Cause for ResumeError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Resume
    }
}

/// Tells plans apart. A plan that was read from a file, or that another release of the packer made, may have other packs
/// than one with the same packer and limits; a saved state belongs to exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFingerprint {
    /// Number of packs.
    pub packs: u64,
    /// Hash of the packs in their order, each with its sizes in their order: the epoch order follows from both.
    pub hash: u64,
}

impl PlanFingerprint {
    /// Returns the fingerprint of `plan`.
    pub(crate) fn new(plan: &Plan) -> Self {
        let hash = plan.iter().fold(mix(0, plan.limits().size.sets() as u64), |hash, pack| {
            let contents = pack.contents();
            let hash = mix(mix(hash, pack.repeat), contents.len() as u64);
            contents.fold(hash, |hash, (size, times)| {
                size.as_slice().iter().fold(mix(hash, u64::from(times)), |hash, &rows| mix(hash, u64::from(rows)))
            })
        });
        Self { packs: plan.packs(), hash }
    }

    /// Returns the fingerprint of this plan and another.
    pub(super) fn and(self, other: Self) -> Self {
        Self { packs: self.packs + other.packs, hash: mix(self.hash, other.hash) }
    }
}

impl fmt::Display for PlanFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} packs with the fingerprint {:016x}", self.packs, self.hash)
    }
}
