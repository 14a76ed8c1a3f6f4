//! [`BuildError`]: why a loader cannot be built.

use super::listed;
use crate::layout::{SchemaError, SetNames, Size};
use crate::options::{Capacity, Grouping, Limits};
use crate::source::SourceError;

/// A loader cannot be built.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The schema of the data declares what cannot be.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The data set has no graph.
    #[error("the data set has no graphs")]
    Empty,
    /// There are more graphs than 32 bits can number.
    #[error("the data set has {graphs} graphs, at most {} are supported", u32::MAX)]
    TooManyGraphs {
        /// Number of graphs.
        graphs: usize,
    },
    /// A graph exceeds the limits, and [`Oversize::Error`](crate::Oversize::Error) is set.
    #[error(
        "graph {graph} has {}, the limits are {}{}; raise the limits, or use Oversize::Skip, Oversize::Alone or Oversize::Trim",
        .sets.counts(.size.as_slice()), .sets.counts(.limits.size.as_slice()),
        if *.others > 0 { format!(" ({others} more graphs exceed them)") } else { String::new() }
    )]
    Oversize {
        /// Number of the graph in the data set.
        graph: u64,
        /// Size of the graph.
        size: Size,
        /// The sets that it counts.
        sets: SetNames,
        /// The limits.
        limits: Limits,
        /// Number of further graphs that exceed the limits.
        others: usize,
    },
    /// An option that must be at least 1 is 0.
    #[error("{option} must be at least 1")]
    Zero {
        /// Name of the option.
        option: &'static str,
    },
    /// A batch would have more bytes than memory can address, or more rows than its indices can count.
    #[error("limits {limits} times {packs} packs per batch are more than can be addressed")]
    TooLarge {
        /// Limits of a pack.
        limits: Limits,
        /// Number of packs per batch.
        packs: usize,
    },
    /// Two options contradict each other.
    #[error("{one} and {other} contradict each other: {why}")]
    Contradiction {
        /// One option and its value.
        one: String,
        /// The other option and its value.
        other: String,
        /// Why not both can hold.
        why: &'static str,
    },
    /// The capacity asks for a shape whose numbers exceed 32 bits.
    #[error("expected a shape of at most {} rows of each set, found more in capacity {capacity}", u32::MAX)]
    Target {
        /// The capacity.
        capacity: Box<Capacity>,
    },
    /// No batch is within the budget of memory.
    #[error("a batch with room for the largest graph needs {needed} of memory, the budget is {budget}")]
    Budget {
        /// The least that such a batch needs.
        needed: u128,
        /// The budget.
        budget: u64,
    },
    /// A shape or a budget that was given has too few rows for the padding entries of indices.
    #[error(
        "capacity {capacity} has too few rows for padding: the padding rows of a set would have more entries of an index \
         than any row of the data; give the sets that indices point into more rows, or take Padding::Jraph"
    )]
    Padding {
        /// The capacity.
        capacity: Box<Capacity>,
    },
    /// The share of a percentile is not above 0 and at most 1.
    #[error("the share of batches that fit must be above 0 and at most 1, found {share}")]
    Share {
        /// The share.
        share: f64,
    },
    /// The number of weights is not the number of graphs.
    #[error("{found} weights for a data set of {graphs} graphs")]
    Weights {
        /// Number of graphs of the data set.
        graphs: usize,
        /// Number of weights.
        found: usize,
    },
    /// Two maps of the data have one name, and so the same random numbers.
    #[error("two maps are named {name:?}, expected different names")]
    Maps {
        /// The name.
        name: String,
    },
    /// All graphs that fit the limits have weight 0.
    #[error("all graphs that fit the limits have weight 0; {skipped} graphs exceed the limits and are left out")]
    NoWeight {
        /// Graphs left out.
        skipped: usize,
    },
    /// All graphs exceed the limits and are left out.
    #[error("all {skipped} graphs exceed the limits {limits} and are left out")]
    NoneFits {
        /// Graphs left out.
        skipped: usize,
        /// The limits.
        limits: Limits,
    },
    /// The number of open packs of a window is not 1 to 128.
    #[error("a window keeps 1 to {} packs open, found {open}", Grouping::MOST_OPEN)]
    Window {
        /// Number of open packs.
        open: u8,
    },
    /// A limit is zero, or limits are of other sets than the data have.
    #[error("limits must be at least 1 each, one for each of {:?}, found {limits}", &**.sets)]
    Limits {
        /// The limits as given.
        limits: Limits,
        /// The sets of the data.
        sets: SetNames,
    },
    /// The source cannot say the size of a graph, its size counts other sets than the schema has, or the graphs of
    /// epoch 0 cannot be drawn.
    #[error(transparent)]
    Data(SourceError),
    /// The capacity limits the rows of a set that there is not.
    #[error("there is no set {set}; there are {:?}", &**.sets)]
    NoSet {
        /// The set.
        set: String,
        /// The sets of the data.
        sets: SetNames,
    },
    /// A field, index or array that batches shall carry does not exist.
    #[error("there is no {name:?} to carry in batches; there {}", listed(.available))]
    NoArray {
        /// The name asked for.
        name: String,
        /// The names that there are.
        available: Vec<String>,
    },
    /// The plan has packs of other sets.
    #[error("the plan is for {planned}, the data have {:?}", &**.sets)]
    PlanSets {
        /// The sets of the plan, or how many there are.
        planned: String,
        /// The sets of the data.
        sets: SetNames,
    },
    /// The plan was made for other limits than the loader has.
    #[error("grouping plan has limits {planned}, the capacity is {limits}")]
    PlanLimits {
        /// The limits of the plan.
        planned: Limits,
        /// The limits of the loader.
        limits: Limits,
    },
    /// The plan was made for other graphs.
    #[error(
        "the plan has {planned} graphs of {}, the data have {found}; plan again for these data",
        .sets.counts(.size.as_slice())
    )]
    PlanSize {
        /// The first size of which plan and data have different numbers of graphs.
        size: Size,
        /// Number of graphs of this size in the plan.
        planned: u64,
        /// Number of graphs of this size in the data.
        found: u64,
        /// The sets that it counts.
        sets: SetNames,
    },
    /// Graphs cannot be packed.
    #[error(transparent)]
    Pack(SourceError),
}

graphpack_core::debug_is_display!(BuildError);
