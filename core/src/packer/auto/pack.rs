//! [`pack`]: rounds in which every packer gets its share of the effort.

use super::exact::Exact;
use super::local::LocalSearch;
use crate::packer::problem::{Counts, Packs};
use crate::packer::{Effort, Packer};
use crate::packer::{columns, demand, greedy::best_fit};
use crate::{FixedLimits, Heuristic, bound};
use alloc::vec::Vec;

/// The steps that best-fit takes at most per size, measured on ppa: 20 ms for 36,000 sizes.
const BEST_FIT: u64 = 900;

/// The longest that the first round may be, in steps.
const FIRST_ROUND: u64 = 1 << 28;

/// Most graphs of which all plans are tried, and the most steps that it may take.
const MOST_GRAPHS: u64 = 64;
const MOST_EXACT: u64 = 1 << 30;

/// Packs with at most `effort`, which best-fit by the product may exceed. Returns the plan, and what made it before local
/// search.
pub(crate) fn pack<const K: usize>(
    histogram: &Counts<K>,
    limits: &FixedLimits<K>,
    mut effort: Effort,
) -> (Packs, Packer) {
    let mut search = Search::new(histogram, limits);
    effort.use_up(search.best_fit_steps);
    let mut steps = search.best_fit_steps.saturating_mul(8).min(FIRST_ROUND);
    while !search.is_done() && effort.spend(steps) {
        search.round(steps);
        steps = steps.saturating_add(steps / 4);
    }
    (search.best.with_bound(search.bound), search.packer)
}

/// The best plan so far, and how far each packer has come.
struct Search<'a, const K: usize> {
    histogram: &'a Counts<K>,
    limits: &'a FixedLimits<K>,
    best: Packs,
    /// The packer that made the best plan, before local search.
    packer: Packer,
    bound: u64,
    best_fit_steps: u64,
    /// Heuristics that best-fit has not run with, the next one last.
    heuristics: Vec<Heuristic>,
    /// `None` before it begins, because its tree takes memory.
    demand: Option<demand::Packing<'a, K>>,
    columns: columns::Progress<K>,
    exact_done: bool,
    local: LocalSearch,
    /// The effort that the last round did not use, and the effort that is saved for local search.
    left: u64,
    for_local: Effort,
}

impl<'a, const K: usize> Search<'a, K> {
    fn new(histogram: &'a Counts<K>, limits: &'a FixedLimits<K>) -> Self {
        let product = Heuristic::Product;
        let best = best_fit::pack(histogram, limits, &product);
        let by_one = (0..K).rev().map(Heuristic::Component);
        Self {
            histogram,
            limits,
            bound: bound::of_large(histogram, limits),
            best,
            packer: Packer::BestFit(product),
            best_fit_steps: (histogram.entries().len() as u64).saturating_mul(BEST_FIT),
            heuristics: by_one.chain([Heuristic::Minimum, Heuristic::Maximum, Heuristic::Sum]).collect(),
            demand: None,
            columns: columns::Progress::default(),
            exact_done: histogram.graphs() > MOST_GRAPHS,
            local: LocalSearch::default(),
            left: 0,
            for_local: Effort::steps(0),
        }
    }

    /// Whether the best plan is optimal, or nothing is left to try.
    fn is_done(&self) -> bool {
        let tried = self.is_packed() && self.columns.is_solved() && self.local.is_done();
        self.best.packs() == self.bound || tried
    }

    /// Whether best-fit and demand have packed all graphs.
    fn is_packed(&self) -> bool {
        self.heuristics.is_empty() && self.is_demand_done()
    }

    fn is_demand_done(&self) -> bool {
        self.demand.as_ref().is_some_and(demand::Packing::is_done)
    }

    /// Gives `steps` to best-fit and demand until these are done, then three quarters to local search and the rest to
    /// columns. What best-fit, demand and columns leave goes to the next round.
    fn round(&mut self, steps: u64) {
        let mut effort = Effort::steps(self.left.saturating_add(steps));
        while effort.left() >= self.best_fit_steps
            && let Some(heuristic) = self.heuristics.pop()
        {
            effort.use_up(self.best_fit_steps);
            self.take(best_fit::pack(self.histogram, self.limits, &heuristic), Packer::BestFit(heuristic));
        }
        // Best-fit runs twice on the graphs that an interrupted demand leaves.
        let greedy_end = self.best_fit_steps.saturating_mul(2);
        if !self.is_demand_done() && effort.left() >= greedy_end {
            effort.use_up(greedy_end);
            let demand = self.demand.get_or_insert_with(|| demand::Packing::new(self.histogram, self.limits));
            demand.run(&mut effort);
            let plan = demand.plan();
            self.take(plan, Packer::Demand);
        }
        self.left = effort.left();
        if !self.is_packed() {
            return;
        }
        let for_local = if self.local.is_done() { 0 } else { effort.left().min(steps / 4 * 3) };
        effort.use_up(for_local);
        if !self.columns.is_solved() && self.best.packs() > self.bound {
            let given = effort;
            let (progress, best) = (&mut self.columns, &self.best);
            if let Some(plan) = columns::pack(self.histogram, self.limits, best, progress, &mut effort) {
                self.take(plan, Packer::Columns(given));
            }
        }
        self.try_all(&mut effort);
        self.left = effort.left();
        self.for_local = Effort::steps(self.for_local.left() + for_local);
        if let Some(plan) = self.local.run(self.histogram, self.limits, &self.best, self.bound, &mut self.for_local) {
            self.take(plan, self.packer);
        }
    }

    /// Saves one pack after the other, or proves that it cannot be done, where there are few graphs.
    fn try_all(&mut self, effort: &mut Effort) {
        while self.best.packs() > self.bound && !self.exact_done {
            let given = effort.left().min(MOST_EXACT);
            let mut share = Effort::steps(given);
            let plan = Exact::plan(self.histogram, self.limits, self.best.packs() - 1, &mut share);
            effort.use_up(given - share.left());
            match plan {
                Some(plan) if plan.packs() > 0 => self.take(plan, self.packer),
                Some(_) => self.bound = self.best.packs(),
                None => {
                    self.exact_done = given == MOST_EXACT;
                    return;
                }
            }
        }
    }

    /// Keeps the plan if it has fewer packs, and its bound if it is better.
    fn take(&mut self, plan: Packs, packer: Packer) {
        self.bound = self.bound.max(plan.bound());
        if plan.packs() < self.best.packs() {
            (self.best, self.packer) = (plan, packer);
            self.local = LocalSearch::default();
        }
    }
}
