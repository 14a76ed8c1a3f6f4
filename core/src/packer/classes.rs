//! [`Classes`]: many sizes as 64 to 512 classes, whose program says which packs to make, and whole sizes in these.
//!
//! Where a few of thousands of sizes have most of the graphs, packs near the bound are the same ones thousands of
//! times, which only a program finds, and a program of all sizes takes minutes. That of 64 classes, each with the mean
//! of its sizes, takes tenths of a second. A pack of classes becomes packs of sizes one by one: each class gives one of
//! its sizes, and the last two are exchanged for those that fill the pack best, as in [`demand`](super::demand). On
//! 10,000 skewed sizes of two sets (seed 3) that makes 0.3 % more packs than sums say, where local search from other
//! plans makes 3.9 %.
//!
//! Sizes above the mean of their class are left over where the others of a pack leave no more room than the mean. So
//! three times half of the packs are made, and what is left is divided into new classes: on 5,000 and 30,000 sizes
//! (seed 1) 0.1 % above the bound in place of 0.4.

use super::columns::{Columns, mean, widest};
use super::demand::{Filling, Packing, SIZE};
use super::size_tree::Vector;
use crate::packer::Budget;
use crate::packer::greedy::best_fit;
use crate::packer::problem::{Counts, Packs, sort_by_value};
use crate::{FixedLimits, bound};
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Classes at first; each level has twice as many.
const CLASSES: usize = 64;
const LEVELS: u32 = 4;

/// How often half of the packs are made and what is left is divided into classes again.
const HALVINGS: u32 = 3;

/// Sizes of a class, on average, at least.
const LEAST_SIZES: usize = 8;

/// Most steps of all programs of the first level, twice as many at each; what these have found by then will do.
const PROGRAM: u64 = 1 << 30;

/// The share of packs that a plan of classes may need beyond its bound.
const NEAR: u64 = 512;

/// Steps of budget that a size takes each time when classes are divided, and when one of a class is chosen.
const DIVIDED: u64 = 40;
const CHOSEN: u64 = 12;

/// The share of a limit that binds which a pack may leave unused before it is filled in a second way.
const SLACK: f64 = 0.005;

/// A plan that is made by classes.
pub(super) struct Classes<const K: usize> {
    level: u32,
    /// The packs so far.
    made: Packs,
    /// The graphs that are in no pack yet.
    rest: Counts<K>,
    /// How many more times half of the packs are made and the rest is divided again.
    halvings: u32,
    /// Steps that programs may take.
    left: u64,
    /// The means with the number of graphs, and the sizes of each, by their position in `rest`.
    means: Counts<K>,
    members: Vec<Vec<u32>>,
    columns: Columns<K>,
    plan: Packs,
}

impl<const K: usize> Classes<K> {
    /// The level after `level`, or the first one. None if there are too few sizes for it.
    pub(super) fn next_level(histogram: &Counts<K>, level: Option<u32>) -> Option<u32> {
        let level = level.map_or(0, |level| level + 1);
        let is_fine = histogram.entries().len() >= (LEAST_SIZES * CLASSES) << level;
        (level < LEVELS && is_fine).then_some(level)
    }

    /// None if the budget is spent; Some(None) if packs hold too many graphs for a program.
    pub(super) fn new(
        histogram: &Counts<K>,
        limits: &FixedLimits<K>,
        level: u32,
        budget: &mut Budget,
    ) -> Option<Option<Self>> {
        let left = PROGRAM << level;
        Self::divide(histogram.clone(), limits, level, HALVINGS, left, budget)
    }

    /// Divides graphs into classes.
    fn divide(
        rest: Counts<K>,
        limits: &FixedLimits<K>,
        level: u32,
        halvings: u32,
        left: u64,
        budget: &mut Budget,
    ) -> Option<Option<Self>> {
        let sizes = rest.entries();
        let mut classes = alloc::vec![Class::new((0..sizes.len() as u32).collect(), sizes, limits)];
        while classes.len() < CLASSES << level {
            let coarsest = (0..classes.len()).max_by(|&a, &b| classes[a].error.total_cmp(&classes[b].error));
            let Some(coarsest) = coarsest.filter(|&at| classes[at].members.len() > 1) else { break };
            budget.take(DIVIDED * classes[coarsest].members.len() as u64)?;
            let halves = classes.swap_remove(coarsest).halves(sizes, limits);
            classes.extend(halves);
        }
        let mut means: Vec<([u32; K], u64, Vec<u32>)> =
            classes.into_iter().map(|class| (class.mean, class.graphs, class.members)).collect();
        means.sort_unstable();
        // Classes of the same mean are one.
        means.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
                kept.2.append(&mut next.2);
            }
            same
        });
        let counts = Counts::of(means.iter().map(|&(mean, graphs, _)| (mean, graphs)));
        let plan = best_fit::better_of_two(&counts, limits).with_bound(bound::of_large(&counts, limits));
        let members = means.into_iter().map(|(_, _, members)| members).collect();
        let columns = Columns::new(&counts, limits);
        let made = Packs::default();
        let classes =
            columns.map(|columns| Self { level, made, rest, halvings, left, means: counts, members, columns, plan });
        Some(classes)
    }

    /// One step of the program, or, after the last one, half of the packs, or all of them: then returns the plan. None
    /// if the budget is spent.
    pub(super) fn step(&mut self, limits: &FixedLimits<K>, budget: &mut Budget) -> Option<Option<Packs>> {
        let is_near = self.plan.packs().saturating_sub(self.plan.bound) <= self.plan.bound / NEAR;
        if self.left > 0 && !is_near && !self.columns.is_solved() {
            // A step may take more than all that is left.
            let mut share = Budget::steps(self.left.min(budget.left()));
            let given = share.left();
            let is_last = self.columns.step(&mut self.plan, &mut share);
            let taken = given - share.left();
            self.left = if is_last == Some(false) { self.left - taken } else { 0 };
            // Steps of a program of so few sizes take half as long again as others.
            budget.use_up(taken + taken / 2);
            return (budget.left() > 0).then_some(None);
        }
        let by_program = !is_near && self.columns.has_begun();
        let fractions = if by_program { self.columns.whole_packs() } else { None };
        let packs = fractions.unwrap_or_else(|| self.plan.clone());
        budget.take(SIZE * self.rest.entries().len() as u64)?;
        let mut followed = Followed::new(self, limits);
        if self.halvings > 0 {
            followed.pack(&packs, |repeat| repeat.div_ceil(2), budget)?;
            let half = followed.packing.plan.clone();
            let rest = self.rest.without(&half);
            if rest.graphs() > 0 {
                let next = Self::divide(rest, limits, self.level, self.halvings - 1, self.left, budget)?;
                if let Some(mut next) = next {
                    next.made = core::mem::take(&mut self.made);
                    next.made.append(&half);
                    *self = next;
                    return Some(None);
                }
            }
            followed.pack(&packs, |repeat| repeat / 2, budget)?;
        } else {
            followed.pack(&packs, |repeat| repeat, budget)?;
        }
        followed.packing.run(budget);
        let plan = followed.packing.finished()?;
        self.made.append(&plan);
        Some(Some(core::mem::take(&mut self.made)))
    }
}

/// Some sizes, by their position.
struct Class<const K: usize> {
    members: Vec<u32>,
    mean: [u32; K],
    graphs: u64,
    /// The component that spreads most, and the graphs times how far, as a share of the limit.
    widest: usize,
    error: f64,
}

impl<const K: usize> Class<K> {
    fn new(members: Vec<u32>, sizes: &[([u32; K], u64)], limits: &FixedLimits<K>) -> Self {
        let (mean, graphs) = mean(&members, sizes);
        let (widest, share) = widest(&members, sizes, limits);
        let error = if members.len() > 1 { graphs as f64 * share } else { 0.0 };
        Self { members, mean, graphs, widest, error }
    }

    /// Divides the class, of at least two sizes, near the middle one of its graphs along the component that spreads
    /// most.
    fn halves(mut self, sizes: &[([u32; K], u64)], limits: &FixedLimits<K>) -> [Self; 2] {
        let mut ascending: Vec<(u32, u32)> =
            self.members.iter().map(|&at| (sizes[at as usize].0[self.widest], at)).collect();
        ascending.sort_unstable();
        let (mut low, mut seen) = (0, 0_u128);
        // A size that holds the middle one is on the side where less of it is.
        for &(_, at) in &ascending {
            let graphs = u128::from(sizes[at as usize].1);
            if 2 * seen + graphs >= u128::from(self.graphs) {
                break;
            }
            seen += graphs;
            low += 1;
        }
        self.members = ascending.iter().map(|&(_, at)| at).collect();
        let high = self.members.split_off(low.clamp(1, ascending.len() - 1));
        [self.members, high].map(|members| Self::new(members, sizes, limits))
    }
}

/// Packs of classes, filled with sizes.
struct Followed<'a, const K: usize> {
    packing: Packing<'a, K>,
    limits: &'a FixedLimits<K>,
    means: &'a [([u32; K], u64)],
    /// The items of each class that have graphs left.
    members: Vec<Vec<usize>>,
    class_of: Vec<u32>,
}

/// How a class gives one of its sizes.
#[derive(Clone, Copy)]
enum Choice {
    /// The one with the most graphs left, so that packs can be repeated.
    MostLeft,
    /// The one that brings the pack nearest to the sum of the means, of the classes that have given one.
    Nearest,
}

impl<'a, const K: usize> Followed<'a, K> {
    fn new(classes: &'a Classes<K>, limits: &'a FixedLimits<K>) -> Self {
        let packing = Packing::new(&classes.rest, limits, u64::MAX);
        let numbers = classes.rest.numbers();
        let mut item_of = alloc::vec![0; numbers.last().map_or(0, |&last| last as usize + 1)];
        for item in 0..packing.tree.len() {
            item_of[packing.tree.number(item) as usize] = item;
        }
        let mut class_of = alloc::vec![0; packing.tree.len()];
        let mut members = Vec::new();
        for (class, positions) in (0..).zip(&classes.members) {
            let items: Vec<usize> = positions.iter().map(|&at| item_of[numbers[at as usize] as usize]).collect();
            items.iter().for_each(|&item| class_of[item] = class);
            members.push(items);
        }
        Self { packing, limits, means: classes.means.entries(), members, class_of }
    }

    /// Makes packs like these, those that are repeated most first, as many as `share` returns for a repeat. None if the
    /// budget is spent.
    fn pack(&mut self, packs: &Packs, share: fn(u64) -> u64, budget: &mut Budget) -> Option<()> {
        let mut descending: Vec<_> = packs.iter().collect();
        descending.sort_by_key(|&(_, repeat)| Reverse(repeat));
        for (contents, repeat) in descending {
            let mut left = share(repeat);
            let slots = self.slots(contents);
            while left > 0 {
                let pack = self.fuller(&slots, budget.left());
                budget.take(self.packing.tree.take_steps())?;
                let Some(mut pack) = pack else { break };
                let contents = pack.contents();
                left -= self.packing.finish(pack, left);
                for (item, _) in contents {
                    if self.packing.tree.left(item) == 0 {
                        self.members[self.class_of[item] as usize].retain(|&other| other != item);
                    }
                }
            }
        }
        Some(())
    }

    /// The class of each graph of a pack, the one with the largest share of a limit first.
    fn slots(&self, contents: &[(u32, u32)]) -> Vec<u32> {
        let share = |class: u32| Vector::of_size(&self.means[class as usize].0, self.limits).largest();
        let each = contents.iter().flat_map(|&(class, times)| core::iter::repeat_n(class, times as usize));
        let mut slots: Vec<(f64, Reverse<u32>)> = each.map(|class| (share(class), Reverse(class))).collect();
        sort_by_value(&mut slots);
        slots.into_iter().map(|(_, Reverse(class))| class).collect()
    }

    /// The fuller one of two packs. None if classes have no graph that fits.
    fn fuller(&mut self, slots: &[u32], budget: u64) -> Option<Filling<K>> {
        let first = self.filled(slots, Choice::MostLeft, budget)?;
        if first.slack() <= SLACK {
            return Some(first);
        }
        first.give_back(&mut self.packing.tree);
        let second = self.filled(slots, Choice::Nearest, budget)?;
        if second.slack() < first.slack() {
            return Some(second);
        }
        second.give_back(&mut self.packing.tree);
        first.take_again(&mut self.packing.tree);
        Some(first)
    }

    /// Fills a pack, as far as the budget goes: where that ends, the plan is given up.
    fn filled(&mut self, slots: &[u32], choice: Choice, budget: u64) -> Option<Filling<K>> {
        let mut pack = self.packing.begin();
        let mut steps = 0;
        // The rows of the graphs of the pack beyond those of the means.
        let mut beyond = [0_i64; K];
        for &class in slots {
            let (mean, members) = (&self.means[class as usize].0, &self.members[class as usize]);
            let tree = &self.packing.tree;
            let after = |size: &[u32; K], k: usize| beyond[k] + i64::from(size[k]) - i64::from(mean[k]);
            let rank = |item: usize| match choice {
                Choice::MostLeft => -(tree.left(item) as f64),
                Choice::Nearest => (0..K).fold(0.0, |sum, k| {
                    let share = after(&tree.size(item), k) as f64 / f64::from(self.limits.size[k].max(1));
                    sum + share * share
                }),
            };
            let mut best = (f64::INFINITY, None);
            for &item in members {
                if tree.left(item) > 0 && pack.has_room(tree, item) {
                    let rank = rank(item);
                    if rank < best.0 {
                        best = (rank, Some(item));
                    }
                }
            }
            if let Some(item) = best.1 {
                let size = tree.size(item);
                beyond = core::array::from_fn(|k| after(&size, k));
                pack.put(&mut self.packing.tree, item, 1);
            }
            steps += CHOSEN * members.len() as u64;
            if steps > budget {
                break;
            }
        }
        self.packing.tree.count_steps(steps);
        if pack.is_empty() {
            return None;
        }
        self.packing.fill(&mut pack);
        Some(pack)
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, CLASSES, Classes, Counts, FixedLimits, Packs};
    use alloc::collections::BTreeMap;
    use alloc::vec::Vec;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;

    /// Two thousand sizes, three of which have half of the graphs.
    fn heavy() -> Counts<2> {
        let mut random = Pcg32::seed_from_u64(1);
        let mut sizes = BTreeMap::from([([7, 90], 9_000_u64), ([210, 60], 8_000), ([340, 5], 7_000)]);
        for _ in 0..2_000 {
            let size = core::array::from_fn(|_| 1 + random.next_u32() % 400);
            *sizes.entry(size).or_insert(0) += u64::from(1 + random.next_u32() % 20);
        }
        Counts::of(sizes.into_iter())
    }

    const LIMITS: FixedLimits<2> = FixedLimits { size: [1_000; 2], graphs: 30 };
    const LIMITS_OF_ONCE: FixedLimits<2> = FixedLimits { size: [2_100; 2], graphs: 256 };

    #[test]
    fn each_size_is_in_one_class_and_sizes_of_many_graphs_are_alone() {
        let counts = heavy();
        let classes = Classes::new(&counts, &LIMITS, 0, &mut Budget::default()).unwrap().unwrap();
        let mut members: Vec<u32> = classes.members.concat();
        members.sort_unstable();
        assert_eq!(members, (0..counts.entries().len() as u32).collect::<Vec<_>>());
        assert!(classes.members.len() <= CLASSES);
        for (class, (mean, graphs)) in classes.members.iter().zip(classes.means.entries()) {
            let sizes = || class.iter().map(|&at| counts.entries()[at as usize]);
            assert_eq!(sizes().map(|(_, count)| count).sum::<u64>(), *graphs);
            for k in 0..2 {
                let rows = || sizes().map(|(size, _)| size[k]);
                assert!(rows().min() <= Some(mean[k]) && Some(mean[k]) <= rows().max());
            }
            assert!(class.len() == 1 || sizes().all(|(_, count)| count < 7_000), "{graphs} graphs");
        }
    }

    /// The plan of a level, and the steps that it takes. None if the budget is spent.
    fn pack(counts: &Counts<2>, limits: FixedLimits<2>, level: u32, mut budget: Budget) -> Option<(Packs, u64)> {
        let before = budget.left();
        let mut classes = Classes::new(counts, &limits, level, &mut budget)?.unwrap();
        loop {
            if let Some(plan) = classes.step(&limits, &mut budget)? {
                assert_eq!(
                    plan.counts(counts.entries().len()),
                    counts.entries().iter().map(|e| e.1).collect::<Vec<_>>()
                );
                return Some((plan, before - budget.left()));
            }
        }
    }

    fn assert_fits(counts: &Counts<2>, limits: FixedLimits<2>, level: u32) {
        for (contents, _) in pack(counts, limits, level, Budget::steps(u64::MAX)).unwrap().0.iter() {
            for k in 0..2 {
                let rows = contents.iter().map(|&(at, times)| counts.entries()[at as usize].0[k] * times);
                assert!(rows.sum::<u32>() <= limits.size[k], "{contents:?}");
            }
            assert!(contents.iter().map(|&(_, times)| times).sum::<u32>() <= limits.graphs, "{contents:?}");
        }
    }

    #[test]
    fn packs_hold_every_graph_once_within_the_limits() {
        (0..2).for_each(|level| assert_fits(&heavy(), LIMITS, level));
        // Limits of 1, sets without rows, graphs that are alone, and sizes of which each pack is used once.
        let counts = |size: fn(u32) -> [u32; 2]| Counts::of((0..1_500).map(|n| (size(n), 1 + u64::from(n % 7) * 40)));
        assert_fits(&counts(|n| [n, n % 2]), FixedLimits { size: [2_000, 1], graphs: 2 }, 0);
        assert_fits(&counts(|n| [1_000 + n, 0]), FixedLimits { size: [4_001, 1], graphs: 256 }, 0);
        assert_fits(&counts(|n| [2_001 + n, n]), FixedLimits { size: [4_001, 4_001], graphs: 3 }, 0);
        assert_fits(&Counts::of((0..1_100).map(|n| ([n, 2_000 - n], 1))), LIMITS_OF_ONCE, 0);
    }

    #[test]
    fn plans_end_with_the_budget_and_do_not_depend_on_more() {
        let counts = heavy();
        let (packs, needed) = pack(&counts, LIMITS, 0, Budget::steps(u64::MAX)).unwrap();
        for share in 0..16 {
            let budget = Budget::steps(needed * share / 16);
            assert!(pack(&counts, LIMITS, 0, budget).is_none(), "{share}/16 of {needed} steps");
        }
        assert_eq!(pack(&counts, LIMITS, 0, Budget::steps(needed + 1)).unwrap().0, packs);
    }
}
