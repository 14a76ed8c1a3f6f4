//! [`Sample`]: shapes that follow from sums and maxima of a data set.

use crate::{LeastPadding, Size, Target};

/// What is known of a data set from some of its graphs: their number, sums and maxima. Needs no allocator.
///
/// ```
/// use graphpack_core::{Sample, Size};
///
/// let mut sample = Sample::new();
/// sample.add(Size([17, 272]));
/// sample.add(Size([19, 342]));
/// // 64 * (1 + floor(max(mean * 32, largest) / 64)) per component.
/// assert_eq!(sample.dynamic(32).unwrap().size, Size([640, 9856]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample<const K: usize> {
    graphs: u64,
    totals: [u64; K],
    largest: Size<K>,
}

impl<const K: usize> Default for Sample<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const K: usize> Sample<K> {
    /// Knows of no graph yet.
    pub const fn new() -> Self {
        Self { graphs: 0, totals: [0; K], largest: Size([0; K]) }
    }

    /// What is known of `graphs` graphs with these sums and maxima.
    pub const fn from_totals(graphs: u64, totals: [u64; K], largest: Size<K>) -> Self {
        Self { graphs, totals, largest }
    }

    /// Takes a graph into account.
    pub fn add(&mut self, size: Size<K>) {
        self.add_times(size, 1);
    }

    /// Takes `count` graphs of a size into account.
    pub fn add_times(&mut self, size: Size<K>, count: u64) {
        if count == 0 {
            return;
        }
        self.graphs = self.graphs.saturating_add(count);
        for (total, component) in self.totals.iter_mut().zip(size.0) {
            *total = total.saturating_add(u64::from(component).saturating_mul(count));
        }
        self.largest = self.largest.max_each(&size);
    }

    /// Static-constant (Speckhard et al.): largest graph times `batch_size`, rounded up to a multiple of 64.
    ///
    /// `batch_size` counts a padding graph, too: any `batch_size - 1` graphs fit. None if the target exceeds 32 bits.
    pub fn constant(&self, batch_size: u32) -> Option<Target<K>> {
        Target::new(self.largest_times(batch_size).map(|slots| slots.next_multiple_of(64)), batch_size.into())
    }

    /// Dynamic, as jraph publishes its estimate: `64 * (1 + floor(max(mean * batch_size, largest) / 64))` per
    /// component.
    ///
    /// `batch_size` counts a padding graph, too. An exact multiple of 64 also goes up. None if the target exceeds 32 bits.
    pub fn dynamic(&self, batch_size: u32) -> Option<Target<K>> {
        let mut slots = [0; K];
        for (k, slots) in slots.iter_mut().enumerate() {
            // floor(total * batch_size / graphs / 64) in integers is floor(mean * batch_size / 64) without rounding.
            let wanted = u128::from(self.totals[k]) * u128::from(batch_size) / u128::from(self.graphs.max(1));
            let wanted = wanted.max(u128::from(self.largest.0[k])) / 64;
            *slots = u64::try_from(wanted).ok()?.checked_add(1)?.checked_mul(64)?;
        }
        Target::new(slots, batch_size.into())
    }

    /// Tight (TF-GNN's `find_tight_size_constraints`): largest graph times `graphs`, all of them real, and `padding`.
    ///
    /// None if the target exceeds 32 bits.
    pub fn tight(&self, graphs: u32, padding: LeastPadding<K>) -> Option<Target<K>> {
        padding.target(self.largest_times(graphs), graphs)
    }

    fn largest_times(&self, graphs: u32) -> [u64; K] {
        self.largest.0.map(|largest| u64::from(largest) * u64::from(graphs))
    }
}
