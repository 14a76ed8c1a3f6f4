//! [`LoadError`]: what can go wrong during an epoch.

use super::BuildError;
use crate::layout::{MemoryError, Shape};
use crate::source::SourceError;
use graphpack_core::PackError;
use std::io;

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
    /// The data are not those that were planned for.
    #[error("batch {step}: {source}")]
    Changed {
        /// Number of the batch in the epoch.
        step: usize,
        /// What the source said.
        source: SourceError,
    },
    /// There is no memory for a batch.
    #[error("batch {step}: {source}")]
    Memory {
        /// Number of the batch in the epoch.
        step: usize,
        /// How much was asked for.
        source: MemoryError,
    },
    /// The graphs that were drawn for an epoch cannot be packed.
    #[error("the graphs of epoch {epoch} cannot be packed: {source}")]
    Plan {
        /// The epoch.
        epoch: u64,
        /// Why not.
        #[source]
        source: PackError<2>,
    },
    /// What draws the graphs of an epoch panicked.
    #[error("epoch {epoch}: drawing its graphs panicked: {message}")]
    Draw {
        /// The epoch.
        epoch: u64,
        /// The message of the panic.
        message: String,
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
    /// A batch of a fixed number of graphs exceeds the shape.
    #[error("batch {step} has {found}, which with padding exceeds the shape of {shape}")]
    Exceeds {
        /// Number of the batch in the epoch.
        step: usize,
        /// What its graphs need.
        found: Shape,
        /// The shape.
        shape: Shape,
    },
    /// The shape of a batch exceeds what can be addressed.
    #[error("batch {step} has {found}, which padded is more than can be addressed")]
    Unaddressable {
        /// Number of the batch in the epoch.
        step: usize,
        /// What its graphs need.
        found: Shape,
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
