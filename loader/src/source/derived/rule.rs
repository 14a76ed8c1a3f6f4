//! [`Rule`]: what the rows of a derived set follow from, and which they are; [`DerivedError`]: why it has none.

use crate::error::{BoxError, Cause, Error, ErrorKind, own};
use crate::layout::{Schema, Slot};
use std::io;
use std::path::{Path, PathBuf};

/// A rule by which the rows of one more set follow from the rest of a graph. The memory that it needs belongs to the
/// thread, so that nothing is allocated per graph.
pub(in crate::source) trait Rule: Send + Sync + 'static {
    /// The set that has the rows.
    fn set(&self) -> &'static str;

    /// Returns the schema of the source with the set, its fields and its index after all others. Errors if the source
    /// does not have what the rows follow from.
    fn schema(&self, source: &Schema) -> Result<Schema, Error>;

    /// The fields and indices that the rows follow from.
    fn inputs(&self) -> Vec<&str>;

    /// Stands for the rule in fingerprints. A rule that gives other rows or another order needs another number.
    fn number(&self) -> u64;

    /// Returns the number of rows of a graph of the source.
    fn count(&self, slot: &Slot<'_>) -> Result<u64, BoxError>;

    /// Writes the rows of a graph into the last set of the schema, and shrinks it to their number.
    fn write(&self, slot: &mut Slot<'_>) -> Result<(), BoxError>;
}

/// A set cannot be derived from the others.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DerivedError {
    #[error("{set:?} follow from an index \"edge_index\" of two columns into one set; the schema has {found}")]
    EdgeIndex { set: &'static str, found: String },
    #[error("{set:?} cannot be added: {source}")]
    Schema { set: &'static str, source: Error },
    #[error("graph {graph}: its {set} cannot be counted: {source}")]
    Graph { graph: u64, set: &'static str, source: BoxError },
    #[error(transparent)]
    Data(BoxError),
    #[error("{}: the cache of counts cannot be used: {source}", .path.display())]
    Cache { path: PathBuf, source: io::Error },
}

impl Cause for DerivedError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Cache { .. } => ErrorKind::File,
            Self::EdgeIndex { .. } | Self::Schema { .. } | Self::Graph { .. } | Self::Data(_) => ErrorKind::Data,
        }
    }

    fn graph(&self) -> Option<u64> {
        match self {
            Self::Graph { graph, .. } => Some(*graph),
            Self::Data(source) => own(source)?.graph(),
            Self::EdgeIndex { .. } | Self::Schema { .. } | Self::Cache { .. } => None,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Cache { path, .. } => Some(path),
            Self::Graph { source, .. } | Self::Data(source) => own(source)?.path(),
            Self::EdgeIndex { .. } | Self::Schema { .. } => None,
        }
    }
}
