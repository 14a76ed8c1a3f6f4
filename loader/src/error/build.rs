//! [`BuildError`]: what can be wrong with a loader.

use crate::options::{Batching, Capacity};
use graphpack_core::{HistogramError, Limits, LimitsError, PackError, Size};

/// A loader that cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The data set has no graph.
    #[error("the data set has no graphs")]
    Empty,
    /// More graphs than 32 bits can number.
    #[error("the data set has {graphs} graphs, at most {} are supported", u32::MAX)]
    TooManyGraphs {
        /// Number of graphs.
        graphs: usize,
    },
    /// A graph exceeds the limits, and graphs are not to be skipped.
    #[error(
        "graph {graph} has {} nodes and {} edges, the limits are {} nodes and {} edges{}; raise the limits or use Oversize::Skip",
        .size.0[0], .size.0[1], .limits.size.0[0], .limits.size.0[1],
        if *.others > 0 { format!(" ({others} more graphs exceed them)") } else { String::new() }
    )]
    Oversize {
        /// Number of the graph in the data set.
        graph: u64,
        /// Its size.
        size: Size<2>,
        /// The limits.
        limits: Limits<2>,
        /// Further graphs that exceed the limits.
        others: usize,
    },
    /// An option that must be at least 1 is 0.
    #[error("{option} must be at least 1")]
    Zero {
        /// Name of the option.
        option: &'static str,
    },
    /// The shape of a batch exceeds what can be addressed.
    #[error("limits {limits} times {packs} packs per batch are more than can be addressed")]
    TooLarge {
        /// The limits of a pack.
        limits: Limits<2>,
        /// Packs per batch.
        packs: usize,
    },
    /// An option that has no meaning for this batching.
    #[error("{option} has no meaning for {batching} batching")]
    Meaningless {
        /// Name of the option.
        option: &'static str,
        /// How graphs come together.
        batching: Batching,
    },
    /// The shape that the data set gives exceeds 32 bits.
    #[error("{capacity:?} asks for a shape of more than {} nodes or edges", u32::MAX)]
    Target {
        /// What was asked for.
        capacity: Capacity,
    },
    /// A share that is none.
    #[error("the share of batches that fit must be above 0 and at most 1, found {share}")]
    Share {
        /// The share.
        share: f64,
    },
    /// Weights for another number of graphs.
    #[error("{found} weights for a data set of {graphs} graphs")]
    Weights {
        /// Graphs of the data set.
        graphs: usize,
        /// Weights given.
        found: usize,
    },
    /// All weight lies on graphs that exceed the limits and are left out.
    #[error("no graph that fits the limits has a weight; {skipped} are left out")]
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
        limits: Limits<2>,
    },
    /// A window of more packs than can be open.
    #[error("Batching::Window keeps 1 to 128 packs open, found {open}")]
    Window {
        /// Packs asked for.
        open: u8,
    },
    /// A limit is zero.
    #[error(transparent)]
    Limits(#[from] LimitsError<2>),
    /// Graphs cannot be counted.
    #[error(transparent)]
    Histogram(#[from] HistogramError<2>),
    /// Graphs cannot be packed.
    #[error(transparent)]
    Pack(#[from] PackError<2>),
}
