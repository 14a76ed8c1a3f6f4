//! [`Marks`]: which fields and indices of a graph are written.

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

    #[inline]
    pub(super) fn has(&self, position: usize) -> bool {
        self.0[position >> 6 & 1] & 1 << (position & 63) != 0
    }
}
