//! [`LoadError`]: why an epoch ends early.

use super::BuildError;
use crate::layout::{MemoryError, SetNames, Shape};
use crate::source::SourceError;
use std::io;

/// The error that an epoch ends with, as its last item.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The source or a map failed on a graph.
    #[error("batch {step}: graph {graph} cannot be loaded: {source}")]
    Source {
        /// Number of the batch in the epoch.
        step: usize,
        /// Number of the graph in the data set.
        graph: u64,
        /// The error of the source or the map.
        source: SourceError,
    },
    /// The source or a map panicked.
    #[error(
        "batch {step}: {}a worker panicked: {message}",
        .graph.map(|graph| format!("graph {graph}: ")).unwrap_or_default()
    )]
    Panic {
        /// Number of the batch in the epoch.
        step: usize,
        /// Number of the graph in the data set that was being written; `None` if it was none.
        graph: Option<u64>,
        /// Message of the panic.
        message: String,
    },
    /// The source cannot [prepare](crate::Source::prepare) for the graphs of a batch.
    #[error("batch {step} cannot be prepared: {source}")]
    Prepare {
        /// Number of the batch in the epoch.
        step: usize,
        /// The error of the source.
        source: SourceError,
    },
    /// The data changed after the loader was built.
    #[error("batch {step}: {source}")]
    Changed {
        /// Number of the batch in the epoch.
        step: usize,
        /// Which file changed.
        source: SourceError,
    },
    /// Memory for a batch could not be allocated.
    #[error("batch {step}: {source}")]
    Memory {
        /// Number of the batch in the epoch.
        step: usize,
        /// How many bytes were requested, and why that failed.
        source: MemoryError,
    },
    /// The graphs of an epoch, drawn by weight, cannot be packed.
    #[error("the graphs of epoch {epoch} cannot be packed: {source}")]
    Plan {
        /// The epoch.
        epoch: u64,
        /// Why not.
        #[source]
        source: SourceError,
    },
    /// The graphs of an epoch cannot be drawn ([`Data::each_epoch`](crate::Data::each_epoch)).
    #[error("epoch {epoch}: its graphs cannot be drawn: {source}")]
    Draw {
        /// The epoch.
        epoch: u64,
        /// The error of the function that draws, or its panic.
        source: SourceError,
    },
    /// The graphs that were drawn for an epoch do not fit the options.
    #[error("epoch {epoch}: {source}")]
    Build {
        /// The epoch.
        epoch: u64,
        /// Why not.
        source: Box<BuildError>,
    },
    /// A worker thread cannot be started.
    #[error("cannot start a worker thread: {0}")]
    Thread(#[source] io::Error),
    /// A padded batch would have more bytes than memory can address, or more rows than its indices can count.
    #[error("batch {step} of {} is more than can be addressed", .sets.shape(.found))]
    Unaddressable {
        /// Number of the batch in the epoch.
        step: usize,
        /// Its rows: those of its graphs, or with padding.
        found: Box<Shape>,
        /// The sets that they count.
        sets: SetNames,
    },
    /// The epoch has fewer batches than the number to start at.
    #[error("cannot start at batch {step}: the epoch has {batches} batches")]
    Start {
        /// The batch asked for.
        step: usize,
        /// Batches of the epoch.
        batches: usize,
    },
}

graphpack_core::debug_is_display!(LoadError);
