//! [`FitIndex`]: open packs in the order of their room; finds the first or the last that has room for a size.

use super::group::Group;
use super::run::{Run, at_least};
use crate::lanes::Lanes;
use alloc::vec::Vec;

/// Shelf, block and group; valid until the next insertion or removal.
pub(super) type Place = (usize, usize, usize);

/// A hundred blocks of a hundred groups, about.
type Shelf<const K: usize> = Run<K, Run<K, Group<K>>>;

/// Groups in ascending order of rank, of equal ones the newest first, in blocks on shelves. A search skips a shelf or a
/// block that its maxima rule out. An insertion or a removal touches one block and one shelf.
pub(super) struct FitIndex<const K: usize> {
    limits: [u32; K],
    shelves: Vec<Shelf<K>>,
}

impl<const K: usize> FitIndex<K> {
    pub(super) fn new(limits: [u32; K]) -> Self {
        Self { limits, shelves: Vec::new() }
    }

    pub(super) fn insert(&mut self, group: Group<K>) {
        let (rank, room) = (group.rank(), *group.room());
        let s = at_least(&self.shelves, &rank).min(self.shelves.len().saturating_sub(1));
        let Some(shelf) = self.shelves.get_mut(s) else {
            return self.shelves.push(Run::of(Run::of(group, &self.limits), &self.limits));
        };
        let b = at_least(&shelf.parts, &rank).min(shelf.parts.len() - 1);
        let block = &mut shelf.parts[b];
        block.parts.insert(at_least(&block.parts, &rank), group);
        block.widen(rank, &room, &self.limits);
        let upper = block.split(&self.limits);
        shelf.widen(rank, &room, &self.limits);
        if let Some(upper) = upper {
            shelf.parts.insert(b + 1, upper);
            if let Some(upper) = shelf.split(&self.limits) {
                self.shelves.insert(s + 1, upper);
            }
        }
    }

    pub(super) fn get(&self, (s, b, g): Place) -> &Group<K> {
        &self.shelves[s].parts[b].parts[g]
    }

    /// Takes `packs` packs out of the group at `place`.
    pub(super) fn take(&mut self, (s, b, g): Place, packs: u64) -> Group<K> {
        let shelf = &mut self.shelves[s];
        let block = &mut shelf.parts[b];
        if block.parts[g].packs() > packs {
            return block.parts[g].split(packs);
        }
        let group = block.parts.remove(g);
        block.narrow(group.room(), &self.limits);
        if block.parts.is_empty() {
            shelf.parts.remove(b);
        }
        shelf.narrow(group.room(), &self.limits);
        if shelf.parts.is_empty() {
            self.shelves.remove(s);
        }
        group
    }

    /// The first group whose key is at least `key` and that has room for a graph of `size`.
    pub(super) fn first(&self, key: u64, size: &[u32; K]) -> Option<Place> {
        let rank = (key, [0; K], 0);
        let holds = |group: &Group<K>| group.key() >= key && size.fits(group.room());
        let in_shelf = |(s, shelf): (usize, &Shelf<K>)| {
            let blocks = shelf.parts.iter().enumerate().skip(at_least(&shelf.parts, &rank));
            let mut fitting = blocks.filter(|(_, block)| block.maxima.may_hold(size));
            fitting.find_map(|(b, block)| Some((s, b, block.parts.iter().position(holds)?)))
        };
        let shelves = self.shelves.iter().enumerate().skip(at_least(&self.shelves, &rank));
        shelves.filter(|(_, shelf)| shelf.maxima.may_hold(size)).find_map(in_shelf)
    }

    /// The last group with room for a graph of `size`.
    pub(super) fn last(&self, size: &[u32; K]) -> Option<Place> {
        let in_shelf = |(s, shelf): (usize, &Shelf<K>)| {
            let mut fitting = shelf.parts.iter().enumerate().rev().filter(|(_, block)| block.maxima.may_hold(size));
            fitting.find_map(|(b, block)| Some((s, b, block.parts.iter().rposition(|group| size.fits(group.room()))?)))
        };
        self.shelves.iter().enumerate().rev().filter(|(_, shelf)| shelf.maxima.may_hold(size)).find_map(in_shelf)
    }

    pub(super) fn into_groups(self) -> impl Iterator<Item = Group<K>> {
        self.shelves.into_iter().flat_map(|shelf| shelf.parts).flat_map(|block| block.parts)
    }
}
