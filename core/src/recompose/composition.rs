//! [`Composition`]: packs, graph by graph.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// The packs of one epoch, graph by graph. A graph is the position of its size in
/// [`Recomposer::sizes`](crate::Recomposer::sizes).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Composition {
    /// The graphs, pack after pack.
    pub(super) graphs: Vec<u32>,
    /// Where each pack ends in `graphs`.
    ends: Vec<u32>,
}

impl Composition {
    /// A composition without packs, with memory for as many graphs and packs as this one has.
    pub(super) fn empty_like(&self) -> Self {
        Self { graphs: Vec::with_capacity(self.graphs.len()), ends: Vec::with_capacity(self.ends.len()) }
    }

    pub(super) fn clear(&mut self) {
        self.graphs.clear();
        self.ends.clear();
    }

    /// Adds a pack.
    pub(super) fn push(&mut self, graphs: impl IntoIterator<Item = u32>) {
        self.graphs.extend(graphs);
        self.end_at(self.graphs.len());
    }

    /// Ends a pack at `place`, and drops the graphs after it.
    pub(super) fn end_at(&mut self, place: usize) {
        self.graphs.truncate(place);
        // Exact: a composition has at most 2^32 - 1 graphs.
        self.ends.push(place as u32);
    }

    /// Adds all packs of another composition.
    pub(super) fn append(&mut self, other: &Self) {
        let before = self.graphs.len() as u32;
        self.graphs.extend_from_slice(&other.graphs);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    /// Divides the pack with the most graphs in two, each with every second graph, until there are `packs` packs or
    /// each has one graph.
    pub(super) fn divide(&mut self, packs: usize) {
        if packs <= self.packs() {
            return;
        }
        let mut divided: Vec<Vec<u32>> = self.iter().map(<[u32]>::to_vec).collect();
        // The first of equals.
        let mut most: BinaryHeap<(usize, Reverse<usize>)> =
            divided.iter().enumerate().map(|(place, pack)| (pack.len(), Reverse(place))).collect();
        while divided.len() < packs
            && let Some((2.., Reverse(place))) = most.pop()
        {
            let pack = core::mem::take(&mut divided[place]);
            divided[place] = pack.iter().copied().step_by(2).collect();
            divided.push(pack.iter().copied().skip(1).step_by(2).collect());
            for place in [place, divided.len() - 1] {
                most.push((divided[place].len(), Reverse(place)));
            }
        }
        self.clear();
        divided.into_iter().for_each(|pack| self.push(pack));
    }

    /// The same packs in another order: pack i is the one that is number `order[i]` now.
    pub(super) fn reorder(&self, order: &[u32]) -> Self {
        let mut reordered = self.empty_like();
        order.iter().for_each(|&pack| reordered.push(self.pack(pack as usize).iter().copied()));
        reordered
    }

    /// Number of packs.
    pub fn packs(&self) -> usize {
        self.ends.len()
    }

    /// The graphs of pack `pack`, from small to large; empty after the last pack.
    pub fn pack(&self, pack: usize) -> &[u32] {
        let start = if pack == 0 { 0 } else { self.ends.get(pack - 1).map_or(0, |&end| end as usize) };
        self.ends.get(pack).map_or(&[], |&end| &self.graphs[start..end as usize])
    }

    /// All packs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.packs()).map(|pack| self.pack(pack))
    }
}
