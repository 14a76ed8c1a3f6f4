//! [`Shape`]: the fixed sizes of a batch.

use std::fmt;

/// The fixed sizes of a batch's arrays, padding included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows of node-level arrays.
    pub nodes: usize,
    /// Rows of edge-level arrays.
    pub edges: usize,
    /// Rows of graph-level arrays.
    pub graphs: usize,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes, {} edges, {} graphs", self.nodes, self.edges, self.graphs)
    }
}
