//! [`OpenPacks`]: packs that are being filled, and the plan that they end up in.

use super::contents::Contents;
use super::fit_index::{FitIndex, Group, Place};
use crate::{Heuristic, Limits, Plan, Size};

pub(super) struct OpenPacks<'a, const K: usize> {
    heuristic: &'a Heuristic<K>,
    limits: Limits<K>,
    index: FitIndex<K>,
    contents: Contents<K>,
    plan: Plan<K>,
}

impl<'a, const K: usize> OpenPacks<'a, K> {
    pub(super) fn new(heuristic: &'a Heuristic<K>, limits: &Limits<K>) -> Self {
        let (index, contents, plan) = (FitIndex::new(), Contents::new(), Plan::empty(*limits));
        Self { heuristic, limits: *limits, index, contents, plan }
    }

    pub(super) fn index(&self) -> &FitIndex<K> {
        &self.index
    }

    /// Takes `packs` packs out of the group at `place`, to be put back by [`fill`](Self::fill).
    pub(super) fn take(&mut self, place: Place, packs: u64) -> Group<K> {
        self.index.take(place, packs)
    }

    /// Opens packs that hold as many of `count` graphs as fit: `times` each, which do not leave room for another unless all are in.
    /// Returns how many graphs found a place.
    pub(super) fn open(&mut self, size: Size<K>, count: u64) -> u64 {
        let times = u64::from(size.times_in(&self.limits.size).min(self.limits.graphs)).min(count);
        let count = count / times;
        // Fits into 32 bits: it does not exceed the number of graphs of a pack.
        let times = times as u32;
        let contents = self.contents.push(None, size, times);
        let (room, graphs_left) = (self.limits.size.less(&size, times), self.limits.graphs - times);
        self.file(Group { key: 0, room, graphs_left, count, contents, shared: false });
        count * u64::from(times)
    }

    /// Puts `times` more graphs of `size` into each pack of a group, which has room for them.
    pub(super) fn fill(&mut self, group: Group<K>, size: Size<K>, times: u32) {
        let contents = self.contents.extend(group.contents, group.shared, size, times);
        let (room, graphs_left) = (group.room.less(&size, times), group.graphs_left - times);
        self.file(Group { room, graphs_left, contents, shared: false, ..group });
    }

    /// Packs of the most graphs are closed, others stay open.
    fn file(&mut self, group: Group<K>) {
        if group.graphs_left == 0 {
            self.plan.push(self.contents.iter(group.contents), group.count);
        } else {
            self.index.insert(Group { key: self.heuristic.value(&group.room), ..group });
        }
    }

    pub(super) fn finish(self) -> Plan<K> {
        let Self { index, contents, mut plan, .. } = self;
        for group in index.into_groups() {
            plan.push(contents.iter(group.contents), group.count);
        }
        plan
    }
}
