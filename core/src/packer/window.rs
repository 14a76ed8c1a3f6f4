//! The window packer: the streaming packer [`Window`] over the graphs of a histogram in random order, which says how
//! full a stream of such graphs would be packed.

use crate::FixedLimits;
use crate::lanes::Lanes;
use crate::packer::problem::{Counts, Packs};
use crate::stream::{MOST_OPEN, PackIds, Waiting, Window};
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
    // Limits may allow any number of graphs, so what a pack holds of the smallest rows counts, too.
    let smallest = histogram.entries().iter().map(|(size, _)| *size).reduce(|a, b| a.min_each(&b));
    let per_pack = limits.graphs.min(smallest.map_or(0, |smallest| smallest.times_in(&limits.size)));
    let waiting = histogram.graphs().min(open as u64 * u64::from(per_pack)) as usize;
    let mut memory = alloc::vec![Waiting::EMPTY; waiting + 1];
    let mut window = Window::<K, { MOST_OPEN as usize }, u32>::new(*limits, &mut memory).keep_open(open);
    let mut plan = Packs::default();
    let mut close = |numbers: PackIds<'_, u32>| {
        let mut pack = BTreeMap::new();
        numbers.for_each(|number| *pack.entry(number).or_insert(0) += 1);
        plan.push(pack, 1);
    };
    let mut urn = Urn::new(histogram);
    let mut random = Pcg32::seed_from_u64(seed);
    while let Some(number) = urn.draw(&mut random) {
        let placed = window.push(histogram.entries()[number as usize].0, number).ok()?;
        placed.closed.into_iter().for_each(&mut close);
    }
    window.finish().for_each(close);
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
