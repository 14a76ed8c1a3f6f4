//! [`GraphSpan`]: the rows of one graph in a batch.

use super::{Level, Shape};
use graphpack_core::Size;
use std::ops::Range;

/// The rows of one graph in a batch: those after the graphs that were written before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphSpan {
    before: Shape,
    size: Size<2>,
}

impl GraphSpan {
    /// A graph of `size` after `before` rows.
    pub(crate) fn new(before: Shape, size: Size<2>) -> Self {
        Self { before, size }
    }

    /// (nodes, edges) of the graph.
    pub(crate) fn size(&self) -> Size<2> {
        self.size
    }

    /// Its rows in the arrays of a level.
    pub(crate) fn rows(&self, level: Level) -> Range<usize> {
        let start = self.before.rows(level);
        let [nodes, edges] = self.size.0.map(|rows| rows as usize);
        start..start + level.of([nodes, edges, 1])
    }

    /// The rows of a batch up to and including this graph.
    pub(crate) fn end(&self) -> Shape {
        self.before.with_graph(self.size)
    }
}
