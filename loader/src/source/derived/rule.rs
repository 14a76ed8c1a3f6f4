//! [`Rule`]: what the rows of a derived set follow from, and which they are.

use super::DerivedError;
use crate::layout::{Schema, Slot};
use crate::source::SourceError;

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
