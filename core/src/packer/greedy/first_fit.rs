//! Tuple shortest-pack-first histogram-packing (paper, end of section 2.4): each graph goes to the emptiest open pack.

use super::open_packs::OpenPacks;
use crate::{Heuristic, Histogram, Limits, Plan};

/// A pack that took a graph may no longer be the emptiest, so copies of one size go to equal packs one each, in as many rounds as these
/// packs stay ahead of all others. Where no open pack has room, each newly opened one takes as many copies as fit before the next is
/// opened.
pub(crate) fn pack<const K: usize>(histogram: &Histogram<K>, limits: &Limits<K>, heuristic: &Heuristic<K>) -> Plan<K> {
    let mut open = OpenPacks::new(heuristic, limits);
    for (_, size, mut count) in histogram.descending(heuristic) {
        while count > 0 {
            let Some(place) = open.index().last(&size) else {
                count -= open.open(size, count);
                continue;
            };
            let packs = open.index().get(place).count.min(count);
            let group = open.take(place, packs);
            let others = open.index().last(&size).map(|place| open.index().get(place).rank());
            let ahead = |rounds: u32| {
                let room = group.room.less(&size, rounds - 1);
                others.is_none_or(|other| (heuristic.value(&room), room, group.graphs_left - (rounds - 1)) >= other)
            };
            let most = u64::from(size.times_in(&group.room).min(group.graphs_left)).min(count / packs);
            let rounds = last_true(most as u32, ahead);
            open.fill(group, size, rounds);
            count -= packs * u64::from(rounds);
        }
    }
    open.finish()
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
