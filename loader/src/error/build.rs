//! [`BuildError`]: why a loader cannot be built.

use super::{BoxError, Cause, Error, ErrorKind, listed, own};
use crate::layout::{Dtype, SetNames, Size};
use crate::options::{Capacity, Limits};
use graphpack_core::stream::MOST_OPEN;
use std::path::Path;

/// A loader cannot be built.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BuildError {
    #[error("the data set has no graphs")]
    Empty,
    #[error("the data set has {graphs} graphs, at most {} are supported", u32::MAX)]
    TooManyGraphs { graphs: usize },
    #[error(
        "graph {graph} has {}, the limits are {}{}; raise the limits, or use Oversize::Skip, Oversize::Alone or Oversize::Trim",
        .sets.counts(.size.as_slice()), .sets.counts(.limits.size.as_slice()),
        if *.others > 0 { format!(" ({others} more graphs exceed them)") } else { String::new() }
    )]
    Oversize { graph: u64, size: Size, sets: SetNames, limits: Limits, others: usize },
    #[error("{option} must be at least 1")]
    Zero { option: &'static str },
    #[error("limits {limits} times {packs} packs per batch are more than can be addressed")]
    TooLarge { limits: Limits, packs: usize },
    #[error("{one} and {other} contradict each other: {why}")]
    Contradiction { one: String, other: String, why: &'static str },
    #[error("expected a shape of at most {} rows of each set, found more in capacity {capacity}", u32::MAX)]
    TooManyRows { capacity: Box<Capacity> },
    #[error("a batch with room for the largest graph needs {needed} of memory, the budget is {budget}")]
    Budget { needed: u128, budget: u64 },
    #[error(
        "capacity {capacity} has too few rows for padding: a padding row would have more entries of an index than any row \
         of the data, such as a node more edges; raise the budget, or use Padding::Jraph"
    )]
    Padding { capacity: Box<Capacity> },
    #[error("the share of batches that fit must be above 0 and at most 1, found {share}")]
    Share { share: f64 },
    #[error("equal_cost: expected a cost above 0 of at least one graph, found 0 of all")]
    Free,
    #[error("expected a speed for each of the {ranks} ranks, found {found} speeds")]
    Speeds { ranks: u32, found: usize },
    #[error("expected a weight for each of the {graphs} graphs of the data, found {found} weights")]
    Weights { graphs: usize, found: usize },
    #[error("expected indices of int64 or int32, found {dtype}")]
    Index { dtype: Dtype },
    #[error("two maps are named {name:?}, expected different names")]
    Maps { name: String },
    #[error("all graphs that fit the limits have weight 0; {skipped} graphs exceed the limits and are left out")]
    NoWeight { skipped: usize },
    #[error("all {skipped} graphs exceed the limits {limits} and are left out")]
    NoneFits { skipped: usize, limits: Limits },
    #[error("a window keeps 1 to {} packs open, found {open}", MOST_OPEN)]
    Window { open: u8 },
    #[error("limits must be at least 1 each, one for each of {:?}, found {limits}", &**.sets)]
    Limits { limits: Limits, sets: SetNames },
    #[error(transparent)]
    Data(BoxError),
    #[error("there is no set {set}; there are {:?}", &**.sets)]
    NoSet { set: String, sets: SetNames },
    #[error("there is no {name:?} to carry in batches; there {}", listed(.available))]
    NoArray { name: String, available: Vec<String> },
    #[error("the plan is for {planned}, expected {expected:?}")]
    PlanSets { planned: String, expected: Vec<String> },
    #[error("grouping plan has limits {planned}, the capacity is {limits}")]
    PlanLimits { planned: Limits, limits: Limits },
    #[error(
        "the plan has {planned} graphs of {}, the data have {found}; plan again for these data{}",
        .sets.counts(.size.as_slice()), if *.costed { " and this equal_cost" } else { "" }
    )]
    PlanSize { size: Size, planned: u64, found: u64, sets: SetNames, costed: bool },
    #[error(transparent)]
    Pack(BoxError),
}

impl Cause for BuildError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Empty | Self::TooManyGraphs { .. } => ErrorKind::Data,
            Self::NoArray { .. } => ErrorKind::Missing,
            Self::Data(source) => own(source).map_or(ErrorKind::Data, Error::kind),
            _ => ErrorKind::Options,
        }
    }

    fn graph(&self) -> Option<u64> {
        match self {
            Self::Oversize { graph, .. } => Some(*graph),
            Self::Data(source) => own(source)?.graph(),
            _ => None,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Data(source) => own(source)?.path(),
            _ => None,
        }
    }
}
