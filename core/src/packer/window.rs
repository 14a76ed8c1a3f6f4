//! The window packer: the streaming packer [`Window`] over the graphs of a histogram in random order, which says how
//! full a stream of such graphs would be packed.

use crate::FixedLimits;
use crate::packer::problem::{Counts, Packs};
use crate::stream::{MOST_OPEN, Window};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

/// Most graphs, which bounds time and memory: each graph is drawn by itself, and each pack is kept.
const MOST_DRAWN: u64 = 100_000_000;

/// Packs the graphs in the order that `seed` draws, with at most `open` open packs. None if there are more than 10^8
/// graphs.
pub(super) fn pack<const K: usize>(
    histogram: &Counts<K>,
    limits: &FixedLimits<K>,
    open: usize,
    seed: u64,
) -> Option<Packs> {
    if histogram.graphs() > MOST_DRAWN {
        return None;
    }
    let mut plan = Packs::default();
    let mut window = Window::<K, { MOST_OPEN as usize }>::new(*limits).keep_open(open);
    let mut slots: Vec<BTreeMap<u32, u32>> = Vec::new();
    slots.resize_with(MOST_OPEN.into(), BTreeMap::new);
    let mut urn = Urn::new(histogram);
    let mut random = Pcg32::seed_from_u64(seed);
    while let Some(number) = urn.draw(&mut random) {
        let placed = window.push(histogram.entries()[number as usize].0).ok()?;
        let slot = &mut slots[placed.slot];
        if placed.closed {
            plan.push(core::mem::take(slot), 1);
        }
        *slot.entry(number).or_insert(0) += 1;
    }
    for slot in window.finish() {
        plan.push(core::mem::take(&mut slots[slot]), 1);
    }
    Some(plan)
}

/// Sizes, drawn without replacement: a tree of counts, so that memory follows the number of sizes and not of graphs.
struct Urn {
    /// Node 1 is the root; each node counts the graphs left in its subtree; leaf `leaves + i` is size i.
    counts: Vec<u64>,
    leaves: usize,
}

impl Urn {
    fn new<const K: usize>(histogram: &Counts<K>) -> Self {
        let leaves = histogram.entries().len().next_power_of_two();
        let mut counts = alloc::vec![0; 2 * leaves];
        for (count, (_, graphs)) in counts[leaves..].iter_mut().zip(histogram.entries()) {
            *count = *graphs;
        }
        for node in (1..leaves).rev() {
            counts[node] = counts[2 * node] + counts[2 * node + 1];
        }
        Self { counts, leaves }
    }

    /// Draws the number of a size with a probability proportional to the number of graphs that it has left.
    fn draw(&mut self, random: &mut Pcg32) -> Option<u32> {
        let left = self.counts[1];
        if left == 0 {
            return None;
        }
        // The bias of the product is below 2^-64 times the number of graphs.
        let mut drawn = ((u128::from(random.next_u64()) * u128::from(left)) >> 64) as u64;
        let mut node = 1;
        while node < self.leaves {
            self.counts[node] -= 1;
            node *= 2;
            if drawn >= self.counts[node] {
                drawn -= self.counts[node];
                node += 1;
            }
        }
        self.counts[node] -= 1;
        Some((node - self.leaves) as u32)
    }
}
