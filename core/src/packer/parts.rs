//! [`Parts`]: packs very many sizes by demand, some thousands at a time, and better the larger the parts are.
//!
//! This takes a time in proportion to the number of sizes, and needs fewer packs than demand of all at once: of 10^5
//! sizes of six sets 3 % more than sums say in a second, where the latter needs 7 %.

use super::demand::{self, Packing};
use crate::FixedLimits;
use crate::packer::Budget;
use crate::packer::problem::{Counts, Packs};
use alloc::vec::Vec;

/// Sizes of a part by the number of sets.
const SIZES: [usize; 9] = [2048, 2048, 2048, 4096, 4096, 4096, 4096, 2048, 2048];

/// A size of more than 1/512 of a part's graphs is divided among parts.
///
/// With whole sizes, a part that has got a size of very many graphs is no sample of all: on 700,000 skewed sizes 6 %
/// more packs than sums say, and 0.3 % with sizes in portions.
const PORTIONS: u64 = 512;

/// Nodes of the tree that are looked at for each graph, by the number of sets.
const PATIENCE: [u64; 9] = [30, 30, 30, 10, 10, 10, 10, 10, 10];

/// All graphs in parts of the least size, whatever the budget is.
pub(super) fn pack<const K: usize>(histogram: &Counts<K>, limits: &FixedLimits<K>, budget: &mut Budget) -> Packs {
    let (mut parts, mut steps) = (Parts::new(histogram, 0), Budget::steps(u64::MAX));
    while !parts.is_done() {
        parts.pack_next(limits, &mut steps);
    }
    budget.use_up(u64::MAX - steps.left());
    parts.plan
}

/// A plan that is made part by part. Each part joins what is left of those before it, of which half is packed. Sizes of
/// many graphs are in many parts.
pub(super) struct Parts<const K: usize> {
    /// How often the sizes of a part, and the tries for the last graphs of a pack, are doubled.
    level: u32,
    portions: Vec<([u32; K], u64, u32)>,
    parts: usize,
    next: usize,
    /// What is left of the parts before.
    rest: Vec<([u32; K], u64, u32)>,
    /// Rows and number of all graphs that are not packed, also of later parts.
    totals: [u128; K],
    graphs: u64,
    plan: Packs,
}

impl<const K: usize> Parts<K> {
    /// The least level. None if one part holds all sizes.
    pub(super) fn first_level(histogram: &Counts<K>) -> Option<u32> {
        (SIZES[K] < histogram.entries().len()).then_some(0)
    }

    /// The next level. None if all sizes are in one part, and all of them tried.
    pub(super) fn next_level(histogram: &Counts<K>, level: u32) -> Option<u32> {
        let (sizes, tries) = (SIZES[K] << level, demand::SCANS[K] << level);
        (sizes.min(tries) < histogram.entries().len()).then_some(level + 1)
    }

    pub(super) fn new(histogram: &Counts<K>, level: u32) -> Self {
        let parts = histogram.entries().len().div_ceil(SIZES[K] << level);
        let most = (histogram.graphs() / PORTIONS / parts.max(1) as u64).max(1);
        let mut portions = Vec::new();
        for (&(size, count), &number) in histogram.entries().iter().zip(histogram.numbers()) {
            let mut left = count;
            while left > 0 {
                let portion = left.min(most);
                portions.push((size, portion, number));
                left -= portion;
            }
        }
        let (totals, graphs) = (histogram.totals(), histogram.graphs());
        Self { level, portions, parts, next: 0, rest: Vec::new(), totals, graphs, plan: Packs::default() }
    }

    fn is_done(&self) -> bool {
        self.next >= self.parts
    }

    /// Packs a part, and returns the plan after the last one. None if the budget is spent.
    pub(super) fn step(&mut self, limits: &FixedLimits<K>, budget: &mut Budget) -> Option<Option<Packs>> {
        self.pack_next(limits, budget);
        (budget.left() > 0).then(|| self.is_done().then(|| core::mem::take(&mut self.plan)))
    }

    /// Packs a part, as far as the budget goes.
    fn pack_next(&mut self, limits: &FixedLimits<K>, budget: &mut Budget) {
        self.rest.extend(self.portions.iter().copied().skip(self.next).step_by(self.parts));
        self.next += 1;
        let pool = Counts::numbered(core::mem::take(&mut self.rest));
        budget.use_up(demand::SIZE / 2 * (K as u64 + 1) * pool.entries().len() as u64);
        if budget.left() == 0 {
            return;
        }
        let mut packing = Packing::part(&pool, limits, PATIENCE[K], self.level);
        // Packs are likenesses of all that is left: parts differ in what they hold most of.
        (packing.totals, packing.graphs) = (self.totals, self.graphs);
        if !self.is_done() {
            packing.least = self.graphs - pool.graphs() / 2;
            packing.share_out();
        }
        packing.run(budget);
        // A size of most of the graphs may leave nearly all others.
        let mut more = pool.graphs() / 4;
        while budget.left() > 0 && more > 0 && packing.tree.rest().count() > 2 * (SIZES[K] << self.level) {
            packing.least -= more;
            more /= 2;
            packing.run(budget);
        }
        (self.totals, self.graphs) = (packing.totals, packing.graphs);
        self.rest = packing.tree.rest().collect();
        self.plan.append(&packing.plan);
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Counts, FixedLimits, Parts};
    use alloc::collections::BTreeMap;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;

    /// Many sizes of three sets, most of them small, a few with thousands of graphs.
    fn skewed() -> Counts<3> {
        let mut random = Pcg32::seed_from_u64(1);
        let mut sizes = BTreeMap::new();
        for _ in 0..12_000 {
            let size = core::array::from_fn(|_| 1 + (random.next_u32() % 1000) * (random.next_u32() % 1000) / 1000);
            *sizes.entry(size).or_insert(0) += u64::from(5_000 / (1 + random.next_u32() % 5_000));
        }
        Counts::of(sizes.into_iter())
    }

    #[test]
    fn parts_hold_every_graph_once_or_end_with_the_budget() {
        let (counts, limits) = (skewed(), FixedLimits { size: [1_000; 3], graphs: 20 });
        let pack = |mut budget: Budget| {
            let before = budget.left();
            let mut parts = Parts::new(&counts, 1);
            let plan = loop {
                match parts.step(&limits, &mut budget) {
                    Some(None) => {}
                    Some(Some(plan)) => break Some(plan),
                    None => break None,
                }
            };
            (plan, before - budget.left())
        };
        let (plan, needed) = pack(Budget::steps(u64::MAX));
        let plan = plan.unwrap();
        assert!(counts.without(&plan).entries().is_empty());
        for (contents, _) in plan.iter() {
            let mut sums = [0; 4];
            for &(number, times) in contents {
                let [first, second, third] = counts.entries()[number as usize].0;
                [first, second, third, 1].iter().zip(&mut sums).for_each(|(rows, sum)| *sum += rows * times);
            }
            assert!(sums[..3].iter().all(|&rows| rows <= 1_000) && sums[3] <= 20, "{sums:?}");
        }
        for share in 1..=32 {
            assert!(pack(Budget::steps(needed * share / 32)).0.is_none(), "{share}/32 of {needed} steps");
        }
        assert_eq!(pack(Budget::steps(needed + 1)).0.unwrap().packs(), plan.packs());
    }
}
