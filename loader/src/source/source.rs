//! [`Source`]: anything that has graphs.

use crate::fingerprint::mix;
use crate::layout::{Schema, Slot};
use graphpack_core::Size;
use std::error::Error;
use std::sync::Arc;

/// Anything that has graphs: their number, the size of each, and a way to write one into its place in a batch.
///
/// `size` must always answer the same: plans are made from it. Worker threads call `write` concurrently.
pub trait Source: Send + Sync {
    /// The fields that each graph has.
    fn schema(&self) -> &Schema;

    /// Number of graphs.
    fn len(&self) -> usize;

    /// Whether there are no graphs.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// (nodes, directed edges) of graph `graph`.
    fn size(&self, graph: usize) -> Size<2>;

    /// Writes graph `graph` into its place. The slot is not cleared before: every field and edge must be written.
    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError>;

    /// Says that graph `graph` will be written soon. Sources in memory ask the processor for its rows; others need do nothing.
    fn will_write(&self, _graph: usize) {}

    /// Whether the data are still those that were planned for; called before and after each batch. Sources in files that others may change
    /// say so here.
    fn check(&self) -> Result<(), SourceError> {
        Ok(())
    }

    /// A number that differs between different data: here of fields, numbers and sizes; sources that can take contents into it at little cost.
    /// States of a loader belong to it.
    fn fingerprint(&self) -> u64 {
        self.sizes_fingerprint()
    }

    /// The fingerprint of fields, and of the number and size of every graph: where a [`fingerprint`](Self::fingerprint) begins that takes
    /// contents into account, too.
    fn sizes_fingerprint(&self) -> u64 {
        let start = mix(self.schema().fingerprint(), self.len() as u64);
        (0..self.len()).fold(start, |hash, graph| {
            let Size([nodes, edges]) = self.size(graph);
            mix(mix(hash, self.number(graph)), u64::from(nodes) << 32 | u64::from(edges))
        })
    }

    /// The number of graph `graph` in the data set, as it appears in `graph_ids` and in messages. Differs from `graph` for subsets.
    fn number(&self, graph: usize) -> u64 {
        graph as u64
    }
}

impl<S: Source + ?Sized> Source for Arc<S> {
    fn schema(&self) -> &Schema {
        (**self).schema()
    }

    fn len(&self) -> usize {
        (**self).len()
    }

    fn size(&self, graph: usize) -> Size<2> {
        (**self).size(graph)
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        (**self).write(graph, slot)
    }

    fn will_write(&self, graph: usize) {
        (**self).will_write(graph);
    }

    fn check(&self) -> Result<(), SourceError> {
        (**self).check()
    }

    fn fingerprint(&self) -> u64 {
        (**self).fingerprint()
    }

    fn number(&self, graph: usize) -> u64 {
        (**self).number(graph)
    }
}

/// What a source says when it cannot write a graph.
pub type SourceError = Box<dyn Error + Send + Sync>;
