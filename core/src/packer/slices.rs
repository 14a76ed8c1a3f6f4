//! [`pack`]: packs very many sizes by demand, some thousands at a time.
//!
//! This takes a time in proportion to the number of sizes, and needs fewer packs than demand of all at once: of 10^5
//! sizes of six sets 3 % more than sums say in a second, where the latter needs 7 %.

use super::demand::{self, Packing};
use crate::FixedLimits;
use crate::packer::Budget;
use crate::packer::problem::{Counts, Packs};
use alloc::vec::Vec;

/// Sizes of a slice, by the number of sets. Larger slices gained nothing with a budget of 1 (docs/packing.md).
const SLICE_SIZES: [usize; 9] = [2048, 2048, 2048, 4096, 4096, 4096, 4096, 2048, 2048];

/// A size of more than 1/512 of a slice's graphs is divided among slices.
///
/// With whole sizes, a slice that has got a size of very many graphs is no sample of all: on 700,000 skewed sizes 6 %
/// more packs than sums say, and 0.3 % with sizes in portions.
const PORTIONS: u64 = 512;

/// Nodes of the tree that a search looks at before it takes the best size so far, which bounds the time of a slice.
const PATIENCE: u64 = 20;

/// Most sizes for which demand of all at once is fast and better than slices, in one or two sets and in more. ppa has
/// 35,981, whose bound demand of all reaches in half of the time that slices take.
const MOST_AT_ONCE: usize = 9 << 12;
const MOST_OF_MANY_SETS: usize = 1 << 11;

/// Whether slices are better than demand of all sizes at once.
pub(super) fn are_better<const K: usize>(sizes: usize) -> bool {
    sizes > if K < 3 { MOST_AT_ONCE } else { MOST_OF_MANY_SETS }
}

/// Packs all graphs slice by slice, whatever the budget is. Each slice joins what is left of those before it, and half
/// of both is packed. Sizes of many graphs are in many slices.
pub(super) fn pack<const K: usize>(histogram: &Counts<K>, limits: &FixedLimits<K>, budget: &mut Budget) -> Packs {
    let slices = histogram.entries().len().div_ceil(SLICE_SIZES[K.min(8)]);
    let portions = portions(histogram, (histogram.graphs() / PORTIONS / slices as u64).max(1));
    let (mut plan, mut rest) = (Packs::default(), Vec::new());
    // Packs have the proportions of all that is left, later slices included: slices differ in what they hold most of.
    let (mut totals, mut graphs) = (histogram.totals(), histogram.graphs());
    let mut steps = Budget::steps(u64::MAX);
    for slice in 0..slices {
        rest.extend(portions.iter().copied().skip(slice).step_by(slices));
        let pool = Counts::numbered(core::mem::take(&mut rest));
        steps.use_up(demand::DEMAND_STEPS / 2 * (K as u64 + 1) * pool.entries().len() as u64);
        let mut packing = Packing::new(&pool, limits, PATIENCE);
        (packing.totals, packing.graphs) = (totals, graphs);
        if slice + 1 < slices {
            packing.least = graphs - pool.graphs() / 2;
            packing.share_out();
        }
        packing.run(&mut steps);
        // A size of most of the graphs may leave nearly all others.
        let mut more = pool.graphs() / 4;
        while more > 0 && packing.tree.rest().count() > 2 * SLICE_SIZES[K.min(8)] {
            packing.least -= more;
            more /= 2;
            packing.run(&mut steps);
        }
        (totals, graphs) = (packing.totals, packing.graphs);
        rest = packing.tree.rest().collect();
        plan.append(&packing.plan);
    }
    budget.use_up(u64::MAX - steps.left());
    plan
}

/// Sizes in portions of at most `most` graphs.
fn portions<const K: usize>(histogram: &Counts<K>, most: u64) -> Vec<([u32; K], u64, u32)> {
    let mut portions = Vec::new();
    for (&(size, count), &number) in histogram.entries().iter().zip(histogram.numbers()) {
        let mut left = count;
        while left > 0 {
            let portion = left.min(most);
            portions.push((size, portion, number));
            left -= portion;
        }
    }
    portions
}
