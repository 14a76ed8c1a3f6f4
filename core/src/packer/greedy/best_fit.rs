//! The best-fit packer, tuple longest-pack-first histogram-packing (paper, section 2.4): each graph goes to the fullest
//! open pack that has room for it.

use super::open_packs::OpenPacks;
use crate::packer::problem::{Counts, Packs};
use crate::{FixedLimits, Heuristic};

/// Steps of budget that a size takes, and a group of packs that is looked at, measured as time: 20 ms for the 36,000
/// sizes of ppa.
pub(crate) const FIT_STEPS: u64 = 900;
const GROUP_STEPS: u64 = 8;

/// Packs by a heuristic. Also returns the steps of budget that it took.
pub(crate) fn pack<const K: usize>(
    histogram: &Counts<K>,
    limits: &FixedLimits<K>,
    heuristic: &Heuristic,
) -> (Packs, u64) {
    pack_by(histogram, limits, |size| heuristic.of(size))
}

/// Packs by any priority of sizes. Also returns the steps of budget that it took.
///
/// Graphs of one size fill one pack before the next: a pack that just took a graph has less room than before, so it
/// stays the best fit as long as another one fits. Packs of equal priority are ordered by (room, graphs left).
pub(crate) fn pack_by<const K: usize>(
    histogram: &Counts<K>,
    limits: &FixedLimits<K>,
    priority: impl Fn(&[u32; K]) -> u64,
) -> (Packs, u64) {
    let mut open = OpenPacks::new(&priority, limits);
    for size in histogram.descending(&priority) {
        let mut count = size.count;
        while count > 0 {
            let Some(place) = open.index.first(size.key, &size.size) else {
                count -= open.open(&size, count);
                continue;
            };
            let group = open.index.get(place);
            let times = u64::from(group.times(&size.size)).min(count);
            let packs = group.packs.min(count / times);
            let group = open.index.take(place, packs);
            // Fits into 32 bits: it does not exceed the number of graphs that a pack may still take.
            open.fill(group, &size, times as u32);
            count -= packs * times;
        }
    }
    let steps = histogram.entries().len() as u64 * FIT_STEPS + open.index.visits() * GROUP_STEPS;
    (open.finish(), steps)
}
