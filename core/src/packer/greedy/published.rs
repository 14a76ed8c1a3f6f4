//! The published packer: listing 2 of the paper, peculiarities included, for reproducing its figures.
//!
//! The listing differs from the paper's text in four ways. A size that fits no open pack opens one pack for each of its
//! graphs that are left. After a placement, the search resumes one above the exact fit. Packs of equal priority are
//! tried in the order in which they came to it. Packs whose remaining room has priority zero are closed, even if a
//! graph would still fit.

use super::fit_index::{Chain, Contents};
use crate::lanes::Lanes;
use crate::packer::problem::{Counts, Packs, Ranked};
use crate::{FixedLimits, Heuristic};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Equal open packs.
struct Open<const K: usize> {
    room: [u32; K],
    graphs_left: u32,
    count: u64,
    contents: Chain,
}

pub(crate) fn pack<const K: usize>(histogram: &Counts<K>, limits: &FixedLimits<K>, heuristic: &Heuristic) -> Packs {
    let mut plan = Packs::default();
    let mut contents = Contents::default();
    let mut open: BTreeMap<u64, Vec<Open<K>>> = BTreeMap::new();
    let largest_key = heuristic.of(&limits.size);
    for Ranked { key, size, number, mut count } in histogram.descending(|size| heuristic.of(size)) {
        let mut from = key;
        while count > 0 {
            let fits = |pack: &Open<K>| size.fits(&pack.room);
            let found = open.range(from..).find_map(|(&at, packs)| Some((at, packs.iter().position(fits)?)));
            let Some((at, place)) = found.filter(|_| from <= largest_key) else {
                let room = limits.size.less(&size, 1);
                let chain = contents.push(None, number, 1);
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
                contents: contents.push(pack.contents, number, 1),
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

/// Closes packs that are full by the listing's measure, and keeps others open.
fn file<const K: usize>(
    pack: Open<K>,
    heuristic: &Heuristic,
    open: &mut BTreeMap<u64, Vec<Open<K>>>,
    plan: &mut Packs,
    contents: &Contents,
) {
    let key = heuristic.of(&pack.room);
    if key == 0 || pack.graphs_left == 0 {
        plan.push(contents.iter(pack.contents), pack.count);
    } else {
        open.entry(key).or_default().push(pack);
    }
}
