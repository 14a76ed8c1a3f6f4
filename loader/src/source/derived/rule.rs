//! [`Rule`]: what the rows of a derived set follow from, and which they are; [`DerivedError`]: why it has none.

use crate::layout::{Schema, SchemaError, Slot};
use crate::source::{EdgesError, SourceError};
use std::io;
use std::path::PathBuf;

/// A rule by which the rows of one more set follow from the rest of a graph. The memory that it needs belongs to the
/// thread, so that nothing is allocated per graph.
pub(in crate::source) trait Rule: Send + Sync + 'static {
    /// The set that has the rows.
    fn set(&self) -> &'static str;

    /// Returns the schema of the source with the set, its fields and its index after all others. Errors if the source
    /// does not have what the rows follow from.
    fn schema(&self, source: &Schema) -> Result<Schema, DerivedError>;

    /// The fields and indices that the rows follow from.
    fn inputs(&self) -> Vec<&str>;

    /// Stands for the rule in fingerprints. A rule that gives other rows or another order needs another number.
    fn number(&self) -> u64;

    /// Returns the number of rows of a graph of the source.
    fn count(&self, slot: &Slot<'_>) -> Result<u64, SourceError>;

    /// Writes the rows of a graph into the last set of the schema, and shrinks it to their number.
    fn write(&self, slot: &mut Slot<'_>) -> Result<(), SourceError>;
}

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
    /// The size of a graph cannot be read, or the data changed while they were counted.
    #[error(transparent)]
    Data(SourceError),
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
