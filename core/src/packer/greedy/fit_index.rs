//! [`FitIndex`]: open packs in the order of their room; finds the first or the last that has room for a size.

use super::group::Group;
use crate::Size;
use alloc::vec::Vec;

/// A position in the index; valid until the next insertion or removal.
pub(super) type Place = (usize, usize);

/// Groups per block. A search skips a block by one comparison with its maximum; on ppa (35,981 sizes) 64 was the
/// fastest of 16 to 256.
const BLOCK: usize = 64;

/// Groups in ascending order of rank, in blocks, and a tree over the component-wise maxima of their room.
pub(super) struct FitIndex<const K: usize> {
    blocks: Vec<Vec<Group<K>>>,
    /// A segment tree over the blocks: node 1 is the root, leaf `leaves + b` is the maximum of block `b`. `None` where
    /// there are no groups.
    maxima: Vec<Option<Size<K>>>,
    leaves: usize,
}

impl<const K: usize> FitIndex<K> {
    pub(super) fn new() -> Self {
        Self { blocks: Vec::new(), maxima: alloc::vec![None; 2], leaves: 1 }
    }

    pub(super) fn insert(&mut self, group: Group<K>) {
        if self.blocks.is_empty() {
            self.blocks.push(Vec::with_capacity(2 * BLOCK));
        }
        let rank = group.rank();
        let before = |block: &Vec<Group<K>>| block.last().is_some_and(|last| last.rank() < rank);
        let b = self.blocks.partition_point(before).min(self.blocks.len() - 1);
        let block = &mut self.blocks[b];
        let place = block.partition_point(|other| other.rank() < rank);
        block.insert(place, group);
        if block.len() == 2 * BLOCK {
            let mut upper = Vec::with_capacity(2 * BLOCK);
            upper.extend(block.drain(BLOCK..));
            self.blocks.insert(b + 1, upper);
            self.rebuild();
        } else {
            self.raise(b, *group.room());
        }
    }

    pub(super) fn get(&self, (b, place): Place) -> &Group<K> {
        &self.blocks[b][place]
    }

    /// Takes `packs` packs out of the group at `place`.
    pub(super) fn take(&mut self, (b, place): Place, packs: u64) -> Group<K> {
        let group = &mut self.blocks[b][place];
        if group.packs() > packs {
            return group.split(packs);
        }
        let group = self.blocks[b].remove(place);
        if self.blocks[b].is_empty() {
            self.blocks.remove(b);
            self.rebuild();
        } else {
            self.refresh(b);
        }
        group
    }

    /// The first group whose key is at least `key` and that has room for a graph of `size`.
    pub(super) fn first(&self, key: u64, size: &Size<K>) -> Option<Place> {
        let block = self.blocks.partition_point(|block| block.last().is_some_and(|last| last.key() < key));
        let place = self.blocks.get(block)?.partition_point(|group| group.key() < key);
        self.search::<false>(1, 0, self.leaves, (block, place), size)
    }

    /// The last group with room for a graph of `size`.
    pub(super) fn last(&self, size: &Size<K>) -> Option<Place> {
        self.search::<true>(1, 0, self.leaves, (0, 0), size)
    }

    /// The first place (the last, if `BACKWARDS`) at or after `from` with room for `size`, in the subtree of `node`,
    /// which covers `width` blocks from `block` on. There may be none although the maximum of the subtree has room: its
    /// components may come from different groups.
    fn search<const BACKWARDS: bool>(
        &self,
        node: usize,
        block: usize,
        width: usize,
        from: Place,
        size: &Size<K>,
    ) -> Option<Place> {
        if block + width <= from.0 || !self.maxima[node].as_ref().is_some_and(|maximum| size.fits(maximum)) {
            return None;
        }
        if width == 1 {
            let start = if block == from.0 { from.1 } else { 0 };
            let mut groups = self.blocks[block][start..].iter();
            let holds = |group: &Group<K>| size.fits(group.room());
            let place = if BACKWARDS { groups.rposition(holds) } else { groups.position(holds) };
            return place.map(|place| (block, start + place));
        }
        let half = width / 2;
        let left = || self.search::<BACKWARDS>(2 * node, block, half, from, size);
        let right = || self.search::<BACKWARDS>(2 * node + 1, block + half, half, from, size);
        if BACKWARDS { right().or_else(left) } else { left().or_else(right) }
    }

    pub(super) fn into_groups(self) -> impl Iterator<Item = Group<K>> {
        self.blocks.into_iter().flatten()
    }

    /// Updates the maxima after a group with this room was added to block `b`.
    fn raise(&mut self, b: usize, room: Size<K>) {
        let mut node = self.leaves + b;
        while node > 0 {
            self.maxima[node] = join(self.maxima[node], Some(room));
            node >>= 1;
        }
    }

    /// Updates the maxima after a group was removed from block `b`.
    fn refresh(&mut self, b: usize) {
        let mut node = self.leaves + b;
        let mut maximum = self.blocks[b].iter().fold(None, |maximum, group| join(maximum, Some(*group.room())));
        while self.maxima[node] != maximum {
            self.maxima[node] = maximum;
            node >>= 1;
            if node == 0 {
                break;
            }
            maximum = join(self.maxima[2 * node], self.maxima[2 * node + 1]);
        }
    }

    /// Computes all maxima, after a block was added or removed.
    fn rebuild(&mut self) {
        self.leaves = self.blocks.len().next_power_of_two();
        self.maxima.clear();
        self.maxima.resize(2 * self.leaves, None);
        for (b, block) in self.blocks.iter().enumerate() {
            self.maxima[self.leaves + b] = block.iter().fold(None, |maximum, group| join(maximum, Some(*group.room())));
        }
        for node in (1..self.leaves).rev() {
            self.maxima[node] = join(self.maxima[2 * node], self.maxima[2 * node + 1]);
        }
    }
}

/// The component-wise maximum of those that exist.
fn join<const K: usize>(a: Option<Size<K>>, b: Option<Size<K>>) -> Option<Size<K>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max_each(&b)),
        (a, b) => a.or(b),
    }
}
