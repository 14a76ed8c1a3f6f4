//! [`Progress`]: how far the writing of a graph is; [`Marks`]: a bit for each of its fields and indices.

use graphpack_core::Size;

/// How far the writing of a graph is. The slots of its source, of the part of a mix that it is in and of its maps share
/// it.
pub(crate) struct Progress {
    /// How many rows of each set the graph has.
    pub(super) size: Size,
    /// One bit for each field that is written, then one for each index.
    pub(super) written: Marks,
    /// Bit n is set once rows were refused with an error, of which a source or a map may take no notice.
    pub(super) refused: Marks,
    /// Bit n is set once `bytes` returned field n.
    pub(super) in_place: Marks,
    /// Bit n is set once a source gave the rows by name.
    pub(super) given: Marks,
    /// Number of derived rows, such as edges, that had no room.
    pub(super) left_out: u64,
}

impl Progress {
    /// Nothing is written of a graph of this size.
    #[inline]
    pub(crate) fn new(size: &Size) -> Self {
        let none = Marks::default();
        Self { size: *size, written: none, refused: none, in_place: none, given: none, left_out: 0 }
    }

    /// How many rows of each set the graph has.
    #[inline]
    pub(crate) fn size(&self) -> &Size {
        &self.size
    }

    /// Number of rows that were left out.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out
    }

    /// What was written before may be overwritten in part.
    #[cold]
    pub(super) fn refuse(&mut self, mark: usize) {
        self.written.clear(mark);
        self.refused.set(mark);
    }
}

/// One bit for each field, then one for each index. Two words, which are shifted in one instruction each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Marks([u64; 2]);

impl Marks {
    /// The most bits.
    pub(super) const MOST: usize = 128;

    /// Returns the first `count` bits set.
    pub(super) fn first(count: usize) -> Self {
        let mut marks = Self::default();
        (0..count.min(Self::MOST)).for_each(|position| marks.set(position));
        marks
    }

    #[inline]
    pub(super) fn set(&mut self, position: usize) {
        self.0[position >> 6 & 1] |= 1 << (position & 63);
    }

    pub(super) fn clear(&mut self, position: usize) {
        self.0[position >> 6 & 1] &= !(1 << (position & 63));
    }

    #[inline]
    pub(super) fn has(&self, position: usize) -> bool {
        self.0[position >> 6 & 1] & 1 << (position & 63) != 0
    }
}
