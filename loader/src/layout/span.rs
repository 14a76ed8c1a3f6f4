//! [`GraphSpan`]: the rows of one graph in a batch.

use super::{Level, Shape, Size};
use std::ops::Range;

/// The rows of one graph in a batch, after those of the graphs before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphSpan<'a> {
    before: &'a Shape,
    size: Size,
}

impl<'a> GraphSpan<'a> {
    /// Returns the rows of a graph of `size` that follows `before` rows of other graphs.
    #[inline]
    pub(crate) fn new(before: &'a Shape, size: Size) -> Self {
        Self { before, size }
    }

    /// The rows of the graphs before it.
    pub(super) fn before(&self) -> &Shape {
        self.before
    }

    /// How many rows of each set the graph has.
    #[inline]
    pub(crate) fn size(&self) -> &Size {
        &self.size
    }

    /// Sets the number of rows of a set to `rows`, at most what it was.
    pub(crate) fn shrink(&mut self, set: usize, rows: u32) {
        self.size.set(set, rows.min(self.size[set]));
    }

    /// Sets the number of rows of every set.
    pub(super) fn resize(&mut self, size: Size) {
        self.size = size;
    }

    /// The graph's rows in the arrays of `level`.
    #[inline]
    pub(crate) fn rows(&self, level: Level) -> Range<usize> {
        let start = self.before.rows(level);
        start..start + self.count(level)
    }

    /// Number of rows of the graph at `level`.
    #[inline]
    pub(crate) fn count(&self, level: Level) -> usize {
        match level {
            Level::Set(set) => self.size[usize::from(set)] as usize,
            Level::Graph => 1,
        }
    }

    /// Whether the rows end within `room`.
    #[inline]
    pub(crate) fn fits(&self, room: &Shape) -> bool {
        let rows = self.before.sets().iter().zip(self.size.as_slice()).zip(room.sets());
        self.before.graphs() < room.graphs()
            && rows.fold(true, |fits, ((&before, &rows), &room)| fits & (before + rows as usize <= room))
    }
}
