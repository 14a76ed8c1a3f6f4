//! [`DerivedError`]: why a set cannot be derived from `edge_index`.

use crate::layout::SchemaError;
use crate::source::SourceError;
use std::io;
use std::path::PathBuf;

/// A set cannot be derived from `edge_index`.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum DerivedError {
    /// The schema has no `edge_index` of one set, with two columns into one set.
    #[error("{set:?} follow from an index \"edge_index\" of two columns into one set; the schema has {found}")]
    EdgeIndex {
        /// The set to be derived.
        set: &'static str,
        /// The indices of the schema.
        found: String,
    },
    /// The set or its index cannot be added to the schema: there are 8 sets, or one of this name.
    #[error("{set:?} cannot be added: {source}")]
    Schema {
        /// The set to be derived.
        set: &'static str,
        /// Why not.
        source: SchemaError,
    },
    /// There is no memory for the edges of the largest graph.
    #[error("there is no memory for the edges of the largest graph, which has {edges}")]
    Memory {
        /// Number of its edges.
        edges: u32,
    },
    /// The rows of a graph cannot be counted.
    #[error("graph {graph}: its {set} cannot be counted: {source}")]
    Graph {
        /// Number of the graph in the data set.
        graph: u64,
        /// The set to be derived.
        set: &'static str,
        /// The error of the source, or what is wrong with the graph.
        source: SourceError,
    },
    /// The data changed while they were counted.
    #[error(transparent)]
    Changed(SourceError),
    /// The counts cannot be read from a file or written to it.
    #[error("{}: the cache of counts cannot be used: {source}", .path.display())]
    Cache {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Batches carry the derived index, but not the index that it follows from.
    #[error("batches do not carry \"edge_index\", which {index:?} follows from; choose both fields or neither")]
    NotCarried {
        /// The derived index.
        index: &'static str,
    },
}

graphpack_core::debug_is_display!(DerivedError);
