//! [`pack`]: thousands of sizes as 64 classes, whose program says which packs to make, and whole sizes in these.
//! [`pack_by_one_set`]: packs by classes, each of which is all sizes with the same rows of one set.
//!
//! Where a few of thousands of sizes have most of the graphs, packs near the bound are the same ones thousands of
//! times, which only a program finds, and a program of all sizes takes minutes. That of 64 classes, each with the mean
//! of its sizes, takes tenths of a second. A pack of classes becomes packs of sizes one by one: each class gives one of
//! its sizes, and the last two are exchanged for those that fill the pack best, as in [`demand`](super::demand). On
//! 10,000 skewed sizes of two sets (seed 3) that makes 0.3 % more packs than sums say, without classes 3.9 %.
//!
//! Sizes above the mean of their class are left over where the others of a pack leave no more room than the mean. So
//! three times half of the packs are made, and what is left is divided into new classes: on 5,000 and 30,000 sizes
//! (seed 1) 0.1 % above the bound in place of 0.4.

use super::columns::Columns;
use super::demand::{DEMAND_STEPS, Filling, Packing};
use super::division::{Classes, DIVISION_STEPS};
use super::size_tree::Vector;
use super::slices;
use crate::packer::Budget;
use crate::packer::greedy::best_fit;
use crate::packer::problem::{Counts, Packs, sort_by_value};
use crate::{FixedLimits, Heuristic, bound};
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Number of classes.
const CLASSES: usize = 64;

/// Classes are tried of more than this number of sizes, where the best plan has more than 1/200 more packs than the
/// bound: else the program of all sizes is solved in time.
const LEAST_CLASSED: usize = 1 << 10;
const FAR: u64 = 200;

/// How often half of the packs are made and what is left is divided into classes again.
const HALVINGS: u32 = 3;

/// Most steps of budget of all programs of classes, 0.4 s; then what these have found is used.
const PROGRAM_STEPS: u64 = 1 << 30;

/// Most steps of budget of the program of one set, 0.05 s. Those of molecules take a tenth of it.
const ONE_SET_STEPS: u64 = 1 << 27;

/// A plan of classes is good enough with at most 1/512 more packs than its bound.
const NEAR: u64 = 512;

/// Steps of budget that each size of a class takes when one of them is chosen, measured as time.
const CHOICE_STEPS: u64 = 12;

/// Whether classes may have better plans than this one.
pub(super) fn are_better<const K: usize>(counts: &Counts<K>, plan: &Packs) -> bool {
    let is_far = plan.packs().saturating_sub(plan.bound) > plan.bound / FAR;
    K == 2 && is_far && counts.entries().len() > LEAST_CLASSED && !slices::are_better::<K>(counts.entries().len())
}

/// A plan by classes. None if the budget is spent, or if packs hold too many graphs for a program.
pub(super) fn pack<const K: usize>(counts: &Counts<K>, limits: &FixedLimits<K>, budget: &mut Budget) -> Option<Packs> {
    let (mut made, mut rest, mut left) = (Packs::default(), counts.clone(), PROGRAM_STEPS);
    for halving in 0..=HALVINGS {
        let classes = Classes::new(&rest, limits, CLASSES, budget)?;
        let is_near = |plan: &Packs| plan.packs().saturating_sub(plan.bound) <= plan.bound / NEAR;
        let is_enough = |plan: &Packs, columns: &Columns<K>| is_near(plan) || columns.is_solved();
        let (fitted, _) = best_fit::pack(&classes.means, limits, &Heuristic::Product);
        let (plan, columns) = classes.solve(fitted, limits, is_enough, &mut left, budget)?;
        let packs = if is_near(&plan) { plan } else { columns.whole_packs().unwrap_or(plan) };
        budget.take(DEMAND_STEPS * rest.entries().len() as u64)?;
        let mut followed = Followed::new(&classes, &rest, limits);
        let is_last = halving == HALVINGS;
        let half = |repeat: u64| if is_last { repeat } else { repeat.div_ceil(2) };
        // The last time all of the packs, and what is left by demand.
        followed.pack(&packs, half, Packing::fill, budget)?;
        if is_last {
            followed.packing.run(budget);
        }
        made.append(&followed.packing.plan);
        rest = rest.without(&followed.packing.plan);
        if rest.graphs() == 0 {
            return Some(made);
        }
    }
    None
}

/// A plan by the rows of one set, from the `best` one on, with the bound that its program proves. None if the budget is
/// spent, if sums prove less of this set than is known, or if there is too much for a program.
///
/// The other sets often have room left. Then this program, which is small, knows the fewest packs of all.
pub(super) fn pack_by_one_set<const K: usize>(
    counts: &Counts<K>,
    limits: &FixedLimits<K>,
    set: usize,
    best: &Packs,
    budget: &mut Budget,
) -> Option<Packs> {
    budget.take(DIVISION_STEPS * counts.entries().len() as u64)?;
    let classes = Classes::of_one_set(counts, set);
    if bound::of_large(&classes.means, limits) < best.bound {
        return None;
    }
    let is_enough = |plan: &Packs, _: &Columns<K>| plan.packs() <= plan.bound;
    let (packs, _) = classes.solve(classes.packs(best), limits, is_enough, &mut { ONE_SET_STEPS }, budget)?;
    if packs.packs() >= best.packs() {
        return Some(best.clone().with_bound(packs.bound));
    }
    budget.take(DEMAND_STEPS * counts.entries().len() as u64)?;
    let mut followed = Followed::new(&classes, counts, limits);
    followed.pack(&packs, |repeat| repeat, |_, _| {}, budget)?;
    followed.packing.run(budget);
    followed.packing.is_done().then(|| followed.packing.plan.with_bound(packs.bound))
}

impl<const K: usize> Classes<K> {
    /// The best plan of classes that a program finds from `plan` on, and the program: until `is_enough`, or for at most
    /// `left` steps. None if the budget is spent, or if packs hold too many graphs.
    fn solve(
        &self,
        plan: Packs,
        limits: &FixedLimits<K>,
        is_enough: impl Fn(&Packs, &Columns<K>) -> bool,
        left: &mut u64,
        budget: &mut Budget,
    ) -> Option<(Packs, Columns<K>)> {
        let mut plan = plan.with_bound(bound::of_large(&self.means, limits));
        let mut columns = Columns::new(&self.means, limits)?;
        while *left > 0 && !is_enough(&plan, &columns) {
            // A step may take more than all that is left.
            let mut share = Budget::steps((*left).min(budget.left()));
            let given = share.left();
            let is_last = columns.step(&mut plan, &mut share);
            let taken = given - share.left();
            *left = if is_last == Some(false) { *left - taken } else { 0 };
            // A step of a program of few sizes takes one and a half times as long as other steps.
            budget.take(taken + taken / 2)?;
        }
        Some((plan, columns))
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

impl<'a, const K: usize> Followed<'a, K> {
    fn new(classes: &'a Classes<K>, graphs: &'a Counts<K>, limits: &'a FixedLimits<K>) -> Self {
        let packing = Packing::new(graphs, limits, u64::MAX);
        let numbers = graphs.numbers();
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

    /// Makes packs like these, the most repeated first. `share` says how many for a number of repeats, and `complete`
    /// fills what room is left in each. None if the budget is spent.
    fn pack(
        &mut self,
        packs: &Packs,
        share: impl Fn(u64) -> u64,
        complete: impl Fn(&mut Packing<'a, K>, &mut Filling<K>),
        budget: &mut Budget,
    ) -> Option<()> {
        let mut descending: Vec<_> = packs.iter().collect();
        descending.sort_by_key(|&(_, repeat)| Reverse(repeat));
        for (contents, repeat) in descending {
            let mut left = share(repeat);
            let places = self.places(contents);
            while left > 0 {
                let pack = self.filled(&places, budget.left());
                let Some(mut pack) = pack else { break };
                complete(&mut self.packing, &mut pack);
                budget.take(self.packing.tree.take_steps())?;
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
    fn places(&self, contents: &[(u32, u32)]) -> Vec<u32> {
        let share = |class: u32| Vector::of_size(&self.means[class as usize].0, self.limits).largest();
        let each = contents.iter().flat_map(|&(class, times)| core::iter::repeat_n(class, times as usize));
        let mut places: Vec<(f64, Reverse<u32>)> = each.map(|class| (share(class), Reverse(class))).collect();
        sort_by_value(&mut places);
        places.into_iter().map(|(_, Reverse(class))| class).collect()
    }

    /// A pack with a graph of each class, of the size with the most graphs left, so that it can be repeated, as
    /// far as the budget goes: where that ends, the plan is given up. None if classes have no graph that fits.
    fn filled(&mut self, places: &[u32], budget: u64) -> Option<Filling<K>> {
        let (mut pack, mut steps) = (self.packing.begin(), 0);
        for &class in places {
            let (tree, members) = (&self.packing.tree, &self.members[class as usize]);
            let fitting = members.iter().filter(|&&item| tree.left(item) > 0 && pack.has_room(tree, item));
            // Of equal ones the first.
            let best = fitting.copied().min_by_key(|&item| Reverse(tree.left(item)));
            if let Some(item) = best {
                pack.put(&mut self.packing.tree, item, 1);
            }
            steps += CHOICE_STEPS * members.len() as u64;
            if steps > budget {
                break;
            }
        }
        self.packing.tree.count_steps(steps);
        (!pack.is_empty()).then_some(pack)
    }
}

#[cfg(test)]
mod tests {
    use super::{Counts, FixedLimits, Packs, pack, pack_by_one_set};
    use crate::packer::Budget;
    use crate::packer::problem::tests::drawn;

    #[test]
    fn plans_end_with_the_budget_and_do_not_depend_on_more() {
        let (counts, limits) = (drawn(2_000, 400, 20), FixedLimits { size: [1_000; 2], graphs: 30 });
        let mut budget = Budget::steps(u64::MAX);
        let packs = pack(&counts, &limits, &mut budget).unwrap();
        let needed = u64::MAX - budget.left();
        for share in 0..8 {
            let less = pack(&counts, &limits, &mut Budget::steps(needed * share / 8));
            assert_eq!(less, None, "{share}/8 of {needed} steps");
        }
        assert_eq!(pack(&counts, &limits, &mut Budget::steps(needed + 1)), Some(packs));
    }

    #[test]
    fn the_program_of_one_set_proves_what_sums_do_not() {
        // A graph of 60 of 100 nodes is alone or beside one of 40; the sum of nodes says 7 packs.
        let counts = Counts::of([([40, 3], 2), ([60, 1], 5), ([60, 9], 5)].into_iter());
        let limits = FixedLimits { size: [100, 80], graphs: 256 };
        let mut alone = Packs::default();
        counts.entries().iter().zip(0..).for_each(|((_, count), at)| alone.push([(at, 1)], *count));
        let plan = pack_by_one_set(&counts, &limits, 0, &alone, &mut Budget::default()).unwrap();
        assert_eq!((plan.packs(), plan.bound, plan.counts(3)), (10, 10, alloc::vec![2, 5, 5]));
    }
}
