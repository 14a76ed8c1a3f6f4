//! [`Data`]: the graphs that a loader makes batches of.

use super::Source;
use crate::layout::{Schema, Size};
use std::fmt;
use std::sync::Arc;

/// Graphs that a [`Loader`](crate::Loader) makes batches of: any [`Source`]. Clones share it.
#[derive(Clone)]
pub struct Data(Arc<dyn Source>);

impl<S: Source> From<S> for Data {
    fn from(source: S) -> Self {
        Self(Arc::new(source))
    }
}

impl Data {
    /// The sets, fields and indices that each graph has.
    pub fn schema(&self) -> &Schema {
        self.0.schema()
    }

    /// Number of graphs.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no graphs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many rows of each set graph `graph` has.
    pub fn size(&self, graph: usize) -> Size {
        self.0.size(graph)
    }

    /// Returns the number of graph `graph` in the data set, as `graph_ids` and messages show it. It differs from `graph`
    /// in a [`Subset`](crate::Subset).
    pub fn number(&self, graph: usize) -> u64 {
        self.0.number(graph)
    }

    /// The source.
    pub(crate) fn source(&self) -> &dyn Source {
        &*self.0
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Data of {} graphs with {:?}", self.len(), self.schema().sets())
    }
}
