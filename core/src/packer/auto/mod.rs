//! The auto packer: one packer after the other as far as the budget goes, and the best plan of all.
//!
//! | packer | takes | why |
//! |---|---|---|
//! | best-fit by the product | what it needs, whatever the budget | some plan, in milliseconds |
//! | demand; of very many sizes first and in slices | what it needs | at the bound or near it on nearly all real data |
//! | one set | at most 2^28 steps and a plan | the bound at once where a set decides; 0.2 % (molhiv) |
//! | classes, of 2^10 to 2^15 sizes of two sets | at most 2^30 steps and a plan | 2 to 4 % where no program of all is solved |
//! | columns | half of what is left | the bound; 0.2 to 0.5 % where packs hold a few of a few sizes (QM9) |
//! | exchanges | the other half | 0.1 to 0.4 % where packs hold a few of thousands of sizes (ppa) |
//!
//! First-fit and window are not run: they need fewer packs on none of the histograms that packers are measured on.

mod exchange;

use super::columns::Columns;
use super::greedy::best_fit;
use super::problem::{Counts, Packs};
use super::{Budget, Packer, classes, demand, slices};
use crate::{FixedLimits, Heuristic, bound};
use exchange::Exchanges;

/// Packs with at most `budget`, which best-fit and demand in slices may exceed. Returns the plan and what made it.
pub(crate) fn pack<const K: usize>(counts: &Counts<K>, limits: &FixedLimits<K>, mut budget: Budget) -> (Packs, Packer) {
    let given = budget;
    let mut best = first(counts, limits, &mut budget);
    best.take_by_one_set(counts, limits, given, &mut budget);
    if best.is_open() && classes::are_better::<K>(counts, &best.plan) {
        best.take(classes::pack(counts, limits, &mut budget), Packer::Columns(given));
    }
    let columns = if best.is_open() { Columns::new(counts, limits) } else { None };
    let exchanges = Exchanges::new(counts, limits);
    take_turns(columns, Some(exchanges), &mut best, given, &mut budget);
    (best.plan, best.packer)
}

/// Packs by column generation from the plan of demand. None if there are too many sizes for a program, or if the budget
/// is too small to begin.
pub(crate) fn by_columns<const K: usize>(
    counts: &Counts<K>,
    limits: &FixedLimits<K>,
    mut budget: Budget,
) -> Option<Packs> {
    let given = budget;
    let mut best = first(counts, limits, &mut budget);
    let has_begun = budget.left() > 0;
    best.take_by_one_set(counts, limits, given, &mut budget);
    if best.is_open() {
        let columns = Columns::new(counts, limits).filter(|_| has_begun)?;
        take_turns(Some(columns), None, &mut best, given, &mut budget);
    }
    Some(best.plan)
}

/// The best plan so far, with the best bound, and what made it.
struct Best {
    plan: Packs,
    packer: Packer,
}

impl Best {
    /// Whether the bound allows a better plan.
    fn is_open(&self) -> bool {
        self.plan.packs() > self.plan.bound
    }

    /// Keeps a plan if it has fewer packs, and its bound if it is better.
    fn take(&mut self, plan: Option<Packs>, packer: Packer) {
        let Some(plan) = plan else { return };
        let bound = self.plan.bound.max(plan.bound);
        if plan.packs() < self.plan.packs() {
            (self.plan, self.packer) = (plan, packer);
        }
        self.plan.bound = bound;
    }

    /// Packs by each set alone, and keeps what is better.
    fn take_by_one_set<const K: usize>(
        &mut self,
        counts: &Counts<K>,
        limits: &FixedLimits<K>,
        given: Budget,
        budget: &mut Budget,
    ) {
        let sets = if K > 1 && !slices::are_better::<K>(counts.entries().len()) { K } else { 0 };
        for set in 0..sets {
            if self.is_open() {
                self.take(classes::pack_by_one_set(counts, limits, set, &self.plan, budget), Packer::Columns(given));
            }
        }
    }
}

/// Packs by best-fit and demand; very many sizes by demand in slices, and by best-fit only where packs hold one or two
/// graphs.
fn first<const K: usize>(counts: &Counts<K>, limits: &FixedLimits<K>, budget: &mut Budget) -> Best {
    let most = u64::from(bound::most_graphs(counts.entries(), limits).max(1));
    let bound = bound::of_large(counts, limits).max(counts.graphs().div_ceil(most));
    let by = Heuristic::Product;
    let fitted = |budget: &mut Budget| {
        let (plan, steps) = best_fit::pack(counts, limits, &by);
        budget.use_up(steps);
        (plan, steps)
    };
    if slices::are_better::<K>(counts.entries().len()) {
        let mut best = Best { plan: slices::pack(counts, limits, budget).with_bound(bound), packer: Packer::Demand };
        // A pack of one or two graphs cannot have the proportions of all: here best-fit needs 6 % fewer packs of 10^6
        // sizes.
        if best.is_open() && counts.graphs() < 3 * bound {
            best.take(Some(fitted(budget).0), Packer::BestFit(by));
        }
        return best;
    }
    let (plan, steps) = fitted(budget);
    let mut best = Best { plan: plan.with_bound(bound), packer: Packer::BestFit(by) };
    if best.is_open() && budget.take(demand::DEMAND_STEPS * counts.entries().len() as u64).is_some() {
        best.take(Some(demand::pack(counts, limits, steps, budget)), Packer::Demand);
    }
    best
}

/// Lets the one that has had fewer steps go on, until both are done or the budget is spent.
///
/// Whose turn it is follows from what was done, never from the budget that is left: more budget is never worse.
fn take_turns<const K: usize>(
    mut columns: Option<Columns<K>>,
    mut exchanges: Option<Exchanges<'_, K>>,
    best: &mut Best,
    given: Budget,
    budget: &mut Budget,
) {
    let (mut by_columns, mut by_exchanges) = (0, 0);
    while best.is_open() && budget.left() > 0 {
        let (before, packs) = (budget.left(), best.plan.packs());
        let exchanging = exchanges.as_mut().filter(|exchanges| !exchanges.are_over(&best.plan));
        match (&mut columns, exchanging) {
            (Some(program), exchanging) if exchanging.is_none() || by_columns <= by_exchanges => {
                let Some(is_last) = program.step(&mut best.plan, budget) else { return };
                if is_last {
                    columns = None;
                }
                if best.plan.packs() < packs {
                    best.packer = Packer::Columns(given);
                }
                by_columns += before - budget.left();
            }
            (_, Some(exchanges)) => {
                exchanges.round(&mut best.plan, budget);
                by_exchanges += before - budget.left();
            }
            (_, None) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, FixedLimits, first};
    use crate::packer::problem::tests::drawn;

    /// Steps that the first plan takes, whatever the budget, for each of `sizes` sizes.
    fn first_steps<const K: usize>(sizes: u32) -> u64 {
        let counts = drawn::<K>(sizes, 100_000, 1);
        let mut budget = Budget::steps(u64::MAX);
        first(&counts, &FixedLimits { size: [300_000; K], graphs: u32::MAX }, &mut budget);
        (u64::MAX - budget.left()) / u64::from(sizes)
    }

    #[test]
    fn first_plans_of_many_sizes_take_a_fraction_of_the_default_budget() {
        let most = Budget::default().left() / 100_000;
        let steps =
            [first_steps::<1>(36_000), first_steps::<2>(40_000), first_steps::<3>(2_048), first_steps::<6>(20_000)];
        assert!(steps.iter().all(|&steps| steps < most), "{steps:?} steps for each size, expected less than {most}");
    }
}
