//! Tuple shortest-pack-first histogram-packing (paper, end of section 2.4): each graph goes to the emptiest open pack.

use super::contents::Contents;
use super::descending;
use super::fit_index::{FitIndex, Group};
use crate::{Heuristic, Histogram, Limits, Plan};

/// A pack that took a graph may no longer be the emptiest, so copies of one size go to equal packs one each, in as many rounds as these
/// packs stay ahead of all others. Where no open pack has room, each newly opened one takes as many copies as fit before the next is
/// opened.
pub(super) fn pack<const K: usize>(histogram: &Histogram<K>, limits: &Limits<K>, heuristic: &Heuristic<K>) -> Plan<K> {
    let mut plan = Plan::empty(*limits);
    let mut contents = Contents::new();
    let mut open = FitIndex::new();
    for (_, size, mut count) in descending(histogram, heuristic) {
        while count > 0 {
            let (chain, room, graphs_left, packs) = if let Some(place) = open.last(&size) {
                let packs = open.get(place).count.min(count);
                let group: Group<K> = open.take(place, packs);
                let others = open.last(&size).map(|place| open.get(place).rank());
                let ahead = |rounds: u32| {
                    let room = group.room.less(&size, rounds - 1);
                    others.is_none_or(|other| (heuristic.value(&room), room, group.graphs_left - (rounds - 1)) >= other)
                };
                let most = u64::from(size.times_in(&group.room).min(group.graphs_left)).min(count / packs);
                let rounds = last_true(most as u32, ahead);
                count -= packs * u64::from(rounds);
                let chain = contents.extend(group.contents, group.shared, size, rounds);
                (chain, group.room.less(&size, rounds), group.graphs_left - rounds, packs)
            } else {
                let times = u64::from(size.times_in(&limits.size).min(limits.graphs)).min(count);
                let packs = count / times;
                count -= packs * times;
                // Fits into 32 bits: it does not exceed the number of graphs of a pack.
                let times = times as u32;
                (contents.push(None, size, times), limits.size.less(&size, times), limits.graphs - times, packs)
            };
            if graphs_left == 0 {
                plan.push(contents.iter(chain), packs);
            } else {
                let key = heuristic.value(&room);
                open.insert(Group { key, room, graphs_left, count: packs, contents: chain, shared: false });
            }
        }
    }
    for group in open.into_groups() {
        plan.push(contents.iter(group.contents), group.count);
    }
    plan
}

/// The largest number from 1 to `most` for which `holds`, which is true at 1 and, once false, stays false.
fn last_true(most: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (1, most);
    while low < high {
        let middle = high - (high - low) / 2;
        if holds(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}
