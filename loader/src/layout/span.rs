//! [`GraphSpan`]: the rows of one graph in a batch.

use super::{Level, Shape};
use graphpack_core::Size;
use std::ops::Range;

/// The rows of one graph in a batch, after those of the graphs before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphSpan {
    before: Shape,
    size: Size<2>,
}

impl GraphSpan {
    /// Returns the rows of a graph of `size` that follows `before` rows of other graphs.
    #[inline]
    pub(crate) fn new(before: Shape, size: Size<2>) -> Self {
        Self { before, size }
    }

    /// (nodes, edges) of the graph.
    #[inline]
    pub(crate) fn size(&self) -> Size<2> {
        self.size
    }

    /// The graph's rows in the arrays of `level`.
    #[inline]
    pub(crate) fn rows(&self, level: Level) -> Range<usize> {
        let start = self.before.rows(level);
        let [nodes, edges] = self.size.0.map(|rows| rows as usize);
        start..start + level.of([nodes, edges, 1])
    }

    /// Number of rows of the batch up to and including this graph.
    #[inline]
    pub(crate) fn end(&self) -> Shape {
        self.before.with_graph(self.size)
    }
}
