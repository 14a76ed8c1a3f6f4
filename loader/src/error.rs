//! [`BuildError`] and [`LoadError`]: what can be wrong with a loader, and what can go wrong during an epoch.

use crate::Shape;
use crate::memory::MemoryError;
use crate::source::SourceError;
use graphpack_core::{HistogramError, Limits, PackError, Size};
use std::io;

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
    /// Graphs cannot be counted.
    #[error(transparent)]
    Histogram(#[from] HistogramError<2>),
    /// Graphs cannot be packed.
    #[error(transparent)]
    Pack(#[from] PackError<2>),
}

/// An epoch that cannot go on. It ends with this error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The source could not write a graph.
    #[error("batch {step}: graph {graph} cannot be loaded: {source}")]
    Source {
        /// Number of the batch in the epoch.
        step: usize,
        /// Number of the graph in the data set.
        graph: u64,
        /// What the source said.
        source: SourceError,
    },
    /// The source panicked.
    #[error("batch {step}: a worker panicked: {message}")]
    Panic {
        /// Number of the batch in the epoch.
        step: usize,
        /// The message of the panic.
        message: String,
    },
    /// There is no memory for a batch.
    #[error("batch {step}: {source}")]
    Memory {
        /// Number of the batch in the epoch.
        step: usize,
        /// How much was asked for.
        source: MemoryError,
    },
    /// A worker thread cannot be started.
    #[error("cannot start a worker thread: {0}")]
    Thread(#[source] io::Error),
    /// A batch of a fixed number of graphs exceeds the shape.
    #[error("batch {step} has {found}, which with padding exceeds the shape of {shape}")]
    Static {
        /// Number of the batch in the epoch.
        step: usize,
        /// What its graphs need.
        found: Shape,
        /// The shape.
        shape: Shape,
    },
    /// The epoch has fewer batches than were to be skipped.
    #[error("cannot start at batch {step}: the epoch has {batches} batches")]
    Start {
        /// The batch asked for.
        step: usize,
        /// Batches of the epoch.
        batches: usize,
    },
}
