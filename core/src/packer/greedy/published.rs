//! Listing 2 of the paper, peculiarities included, for reproducing its figures.
//!
//! It differs from the text in three ways: sizes that fit no open pack open as many packs of one graph as the bin counts; after a
//! placement the search resumes one above the exact fit; equal priorities are tried in the order in which they came about. Packs whose
//! remaining room has priority zero are closed, even where a graph would still fit.

use super::contents::{Chain, Contents};
use crate::{Heuristic, Histogram, Limits, Plan, Size};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

struct Open<const K: usize> {
    room: Size<K>,
    graphs_left: u32,
    count: u64,
    contents: Chain,
}

pub(crate) fn pack<const K: usize>(histogram: &Histogram<K>, limits: &Limits<K>, heuristic: &Heuristic<K>) -> Plan<K> {
    let mut plan = Plan::empty(*limits);
    let mut contents = Contents::new();
    let mut open: BTreeMap<u64, Vec<Open<K>>> = BTreeMap::new();
    let largest_key = heuristic.value(&limits.size);
    for (key, size, mut count) in histogram.descending(heuristic) {
        let mut from = key;
        while count > 0 {
            let fits = |pack: &Open<K>| size.fits(&pack.room);
            let found = open.range(from..).find_map(|(&at, packs)| Some((at, packs.iter().position(fits)?)));
            let Some((at, place)) = found.filter(|_| from <= largest_key) else {
                let room = limits.size.less(&size, 1);
                let chain = contents.push(None, size, 1);
                let pack = Open { room, graphs_left: limits.graphs - 1, count, contents: chain };
                file(pack, heuristic, &mut open, &mut plan, &contents);
                break;
            };
            let packs = open.entry(at).or_default();
            let mut pack = packs.remove(place);
            let placed = pack.count.min(count);
            let filled = Open {
                room: pack.room.less(&size, 1),
                graphs_left: pack.graphs_left - 1,
                count: placed,
                contents: contents.push(Some(pack.contents), size, 1),
            };
            if pack.count > placed {
                pack.count -= placed;
                packs.push(pack);
            }
            if packs.is_empty() {
                open.remove(&at);
            }
            file(filled, heuristic, &mut open, &mut plan, &contents);
            count -= placed;
            from = key.saturating_add(1);
        }
    }
    for pack in open.into_values().flatten() {
        plan.push(contents.iter(pack.contents), pack.count);
    }
    plan
}

/// Closes a pack that is full by the listing's measure, keeps it open otherwise.
fn file<const K: usize>(
    pack: Open<K>,
    heuristic: &Heuristic<K>,
    open: &mut BTreeMap<u64, Vec<Open<K>>>,
    plan: &mut Plan<K>,
    contents: &Contents<K>,
) {
    let key = heuristic.value(&pack.room);
    if key == 0 || pack.graphs_left == 0 {
        plan.push(contents.iter(pack.contents), pack.count);
    } else {
        open.entry(key).or_default().push(pack);
    }
}
