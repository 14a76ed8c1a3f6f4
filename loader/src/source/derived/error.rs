//! [`DerivedError`]: why a set cannot be derived.

use crate::layout::SchemaError;
use crate::source::{EdgesError, SourceError};
use std::io;
use std::path::PathBuf;

/// A set cannot be derived from the others.
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
    /// Edges do not follow by the rule from what there is.
    #[error(transparent)]
    Edges(#[from] EdgesError),
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
}

graphpack_core::debug_is_display!(DerivedError);
