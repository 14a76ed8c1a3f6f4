//! [`OpenPacks`]: packs that are being filled, and the plan that they go to when they are full.

use super::fit_index::{Contents, FitIndex, Group};
use crate::FixedLimits;
use crate::packer::problem::{Packs, Ranked};

/// Open packs in the order of the priority of the room that they have left, and the packs that are already
/// closed.
pub(super) struct OpenPacks<P, const K: usize> {
    priority: P,
    limits: FixedLimits<K>,
    pub(super) index: FitIndex<K>,
    contents: Contents,
    plan: Packs,
}

impl<P: Fn(&[u32; K]) -> u64, const K: usize> OpenPacks<P, K> {
    pub(super) fn new(priority: P, limits: &FixedLimits<K>) -> Self {
        let (index, contents, plan) = (FitIndex::new(limits.size), Contents::default(), Packs::default());
        Self { priority, limits: *limits, index, contents, plan }
    }

    /// Opens packs and fills each with as many of `count` graphs as fit. Returns how many graphs found a place; the
    /// others are too few to fill another pack in the same way.
    pub(super) fn open(&mut self, size: &Ranked<K>, count: u64) -> u64 {
        let one = Group::empty(&self.limits, 1);
        let times = u64::from(one.times(&size.size)).min(count);
        let packs = count / times;
        // Fits into 32 bits: it does not exceed the number of graphs of a pack.
        self.fill(Group::empty(&self.limits, packs), size, times as u32);
        packs * times
    }

    /// Puts `times` more graphs of `size`, for which there must be room, into each pack of a group. Closes packs that
    /// hold the most graphs allowed.
    pub(super) fn fill(&mut self, group: Group<K>, size: &Ranked<K>, times: u32) {
        let group = group.fill(&self.priority, &mut self.contents, size, times);
        if group.graphs_left == 0 {
            self.plan.push(self.contents.iter(group.contents), group.packs);
        } else {
            self.index.insert(group);
        }
    }

    /// The plan of all packs, closed and open.
    pub(super) fn finish(self) -> Packs {
        let Self { index, contents, mut plan, .. } = self;
        for group in index.into_groups() {
            plan.push(contents.iter(group.contents), group.packs);
        }
        plan
    }
}
