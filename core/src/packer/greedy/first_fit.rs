//! The first-fit packer, tuple shortest-pack-first histogram-packing (paper, end of section 2.4): each graph goes to
//! the emptiest open pack that has room for it.

use super::open_packs::OpenPacks;
use crate::packer::problem::{Counts, Packs};
use crate::{FixedLimits, Heuristic};

/// A pack that took a graph may no longer be the emptiest. So graphs of one size go to a group of equal packs in
/// rounds, one graph per pack and round, as long as these packs stay the emptiest. Where no open pack has room, a newly
/// opened pack takes as many graphs as fit before the next is opened.
pub(crate) fn pack<const K: usize>(histogram: &Counts<K>, limits: &FixedLimits<K>, heuristic: &Heuristic) -> Packs {
    let priority = |size: &[u32; K]| heuristic.of(size);
    let mut open = OpenPacks::new(&priority, limits);
    for size in histogram.descending(priority) {
        let mut count = size.count;
        while count > 0 {
            let Some(place) = open.index.last(&size.size) else {
                count -= open.open(&size, count);
                continue;
            };
            let packs = open.index.get(place).packs.min(count);
            let group = open.index.take(place, packs);
            let others = open.index.last(&size.size).map(|place| open.index.get(place).rank());
            // Whether the packs are still the emptiest when the last of this many rounds begins.
            let emptiest =
                |rounds: u32| others.is_none_or(|other| group.rank_with(priority, &size.size, rounds - 1) >= other);
            let most = u64::from(group.times(&size.size)).min(count / packs);
            let rounds = last_true(most as u32, emptiest);
            open.fill(group, &size, rounds);
            count -= packs * u64::from(rounds);
        }
    }
    open.finish()
}

/// The largest number from 1 to `most` for which `holds` is true; it is true at 1 and, once false, stays false.
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
