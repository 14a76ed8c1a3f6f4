//! [`FitIndex`]: open packs in the order of what they have left, searchable for the first or last that holds a size.

use super::contents::Chain;
use crate::Size;
use alloc::vec::Vec;

/// Equal open packs: `count` of them, each with the same contents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group<const K: usize> {
    /// The heuristic applied to `room`.
    pub(super) key: u64,
    pub(super) room: Size<K>,
    pub(super) graphs_left: u32,
    pub(super) count: u64,
    pub(super) contents: Chain,
    /// Whether another group's contents begin with these.
    pub(super) shared: bool,
}

impl<const K: usize> Group<K> {
    pub(super) fn rank(&self) -> (u64, Size<K>, u32) {
        (self.key, self.room, self.graphs_left)
    }
}

/// A position in the index; valid until the next insertion or removal.
pub(super) type Place = (usize, usize);

/// Groups per block. Searches pass over a block by one comparison of its maximum; on ppa (35,981 sizes) 64 was fastest of
/// 16 to 256.
const BLOCK: usize = 64;

/// A sorted sequence in blocks, under a tree of component-wise maxima.
pub(super) struct FitIndex<const K: usize> {
    blocks: Vec<Vec<Group<K>>>,
    /// A segment tree over the blocks: node 1 is the root, leaf `leaves + b` the maximum of block `b`. A block without groups and a leaf
    /// without a block are `None`.
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
            self.raise(b, group.room);
        }
    }

    pub(super) fn get(&self, (b, place): Place) -> &Group<K> {
        &self.blocks[b][place]
    }

    /// Takes `count` packs out of the group at `place`; what stays behind shares its contents with them.
    pub(super) fn take(&mut self, (b, place): Place, count: u64) -> Group<K> {
        let group = &mut self.blocks[b][place];
        if group.count > count {
            group.count -= count;
            group.shared = true;
            return Group { count, ..*group };
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

    /// The first group, in ascending order from `key` on, with room for a graph of `size`.
    pub(super) fn first(&self, key: u64, size: &Size<K>) -> Option<Place> {
        let block = self.blocks.partition_point(|block| block.last().is_some_and(|last| last.key < key));
        let place = self.blocks.get(block)?.partition_point(|group| group.key < key);
        self.search::<false>(1, 0, self.leaves, (block, place), size)
    }

    /// The last group with room for a graph of `size`.
    pub(super) fn last(&self, size: &Size<K>) -> Option<Place> {
        self.search::<true>(1, 0, self.leaves, (0, 0), size)
    }

    /// The first place (the last, if `BACKWARDS`) at or after `from` with room for `size`, below `node`, which covers `width` blocks from
    /// `block` on. Both children may lack room though their common maximum has it: then the search goes on beside them.
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
            let holds = |group: &Group<K>| size.fits(&group.room);
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

    /// Room was added to block `b`.
    fn raise(&mut self, b: usize, room: Size<K>) {
        let mut node = self.leaves + b;
        while node > 0 {
            self.maxima[node] = join(self.maxima[node], Some(room));
            node >>= 1;
        }
    }

    /// Room was taken from block `b`.
    fn refresh(&mut self, b: usize) {
        let mut node = self.leaves + b;
        let mut maximum = self.blocks[b].iter().fold(None, |maximum, group| join(maximum, Some(group.room)));
        while self.maxima[node] != maximum {
            self.maxima[node] = maximum;
            node >>= 1;
            if node == 0 {
                break;
            }
            maximum = join(self.maxima[2 * node], self.maxima[2 * node + 1]);
        }
    }

    /// Blocks were added or removed.
    fn rebuild(&mut self) {
        self.leaves = self.blocks.len().next_power_of_two();
        self.maxima.clear();
        self.maxima.resize(2 * self.leaves, None);
        for (b, block) in self.blocks.iter().enumerate() {
            self.maxima[self.leaves + b] = block.iter().fold(None, |maximum, group| join(maximum, Some(group.room)));
        }
        for node in (1..self.leaves).rev() {
            self.maxima[node] = join(self.maxima[2 * node], self.maxima[2 * node + 1]);
        }
    }
}

fn join<const K: usize>(a: Option<Size<K>>, b: Option<Size<K>>) -> Option<Size<K>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max_each(&b)),
        (a, b) => a.or(b),
    }
}
