//! Tuple longest-pack-first histogram-packing (paper, section 2.4): each graph goes to the fullest open pack that holds it.

use super::contents::Contents;
use super::descending;
use super::fit_index::{FitIndex, Group};
use crate::{Heuristic, Histogram, Limits, Plan};

/// Copies of one size fill one pack before the next: a pack that just took a graph has less room than before, so it stays the
/// best fit as long as another copy fits. Equal heuristics are told apart by (room, graphs left).
pub(super) fn pack<const K: usize>(histogram: &Histogram<K>, limits: &Limits<K>, heuristic: &Heuristic<K>) -> Plan<K> {
    let mut plan = Plan::empty(*limits);
    let mut contents = Contents::new();
    let mut open = FitIndex::new();
    for (key, size, mut count) in descending(histogram, heuristic) {
        while count > 0 {
            let place = open.first(key, &size);
            let (room, graphs_left, packs) = match place {
                Some(place) => {
                    let group: &Group<K> = open.get(place);
                    (group.room, group.graphs_left, group.count)
                }
                None => (limits.size, limits.graphs, u64::MAX),
            };
            let times = u64::from(size.times_in(&room).min(graphs_left)).min(count);
            let packs = packs.min(count / times);
            count -= packs * times;
            // Both fit into 32 bits: neither exceeds the number of graphs left in a pack.
            let (times, graphs_left) = (times as u32, graphs_left - times as u32);
            let chain = match place {
                Some(place) => {
                    let group = open.take(place, packs);
                    contents.extend(group.contents, group.shared, size, times)
                }
                None => contents.push(None, size, times),
            };
            let room = room.less(&size, times);
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
