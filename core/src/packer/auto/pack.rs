//! [`pack`]: every packer in turn, as far as the budget goes.

use super::exchange;
use super::local::LocalSearch;
use crate::packer::classes::Classes;
use crate::packer::columns::{Columns, Projection, lift};
use crate::packer::parts::{self, Parts};
use crate::packer::problem::{Counts, Packs};
use crate::packer::{Budget, Packer};
use crate::packer::{demand, greedy::best_fit};
use crate::{FixedLimits, Heuristic, bound};
use alloc::vec::Vec;

/// The first attempt of local search takes as much as this many best-fits, but no fewer and no more steps than these;
/// each takes a quarter more.
const FIRST_LOCAL: u64 = 16;
const LEAST_LOCAL: u64 = 1 << 20;
const MOST_LOCAL: u64 = 1 << 25;

/// How many times as long as to open and close its packs an attempt takes at least, where it comes before the program.
const OPENED: u64 = 8;

/// Sizes from which local search comes before the program.
const MANY_SIZES: usize = 4096;

/// Most sizes for which best-fit and demand of all at once are fast and better than parts, and the same from this many
/// sets. Demand of all proves ppa's 35,981 sizes twice as fast as parts.
const MOST_FITTED: usize = 9 << 12;
const MOST_OF_MANY_SETS: usize = 1 << 11;
const MANY_SETS: usize = 3;

/// The first classes come before local search and the program for more than this many sizes of two sets, where the best
/// plan has more than 1/200 more packs than the bound.
const CLASSED: usize = 1 << 10;
/// With other numbers of sets, classes are not compiled.
const CLASSED_SETS: usize = 2;
const GAP: u64 = 200;

/// Up to this many sizes, best-fit runs by all heuristics before demand; of more, by the others but the first when all
/// else is done.
const FITTED_FIRST: usize = 1 << 15;

/// One in this many sizes is in the sample: it also says whether best-fit is as good as demand, and how long it
/// takes for all, about this times as long as for the sample.
const SAMPLE: usize = 16;
const GROWTH: u64 = 64;

/// The share of packs that best-fit by the product may need more than demand if the other heuristics are to be tried.
/// They differ by 2 % on two skewed sets.
const NEARLY: u64 = 32;

/// Steps of projections before the program and local search begin.
const PROJECTED: u64 = 1 << 25;

/// Graphs of a pack from which the programs of single components get as much budget as the whole one.
const MANY: u64 = 8;

/// Steps of a projection before its fractions are made packs, for up to this many sizes; from then on it takes turns
/// with that.
const FIRST_LIFT: u64 = 1 << 22;
const MANY_LIFTS: usize = 1024;

/// How much less budget gets what is of little use.
const SELDOM: u64 = 8;

/// Packs with at most `budget`, which the first plan, by best-fit or by demand in parts, may exceed. Returns the plan,
/// and what made it before local search.
///
/// What is done next depends on what was done before and never on the budget that is left, so that a plan with more
/// budget is never worse.
pub(crate) fn pack<const K: usize>(
    histogram: &Counts<K>,
    limits: &FixedLimits<K>,
    mut budget: Budget,
) -> (Packs, Packer) {
    let mut search = Search::new(histogram, limits, &mut budget);
    while !search.is_done() && search.go_on(&mut budget).is_some() {}
    (search.best, search.packer)
}

/// Packs by column generation alone, from the plan of demand. None if there is too much for a program, or if the budget
/// is too small to begin.
pub(crate) fn by_columns<const K: usize>(
    histogram: &Counts<K>,
    limits: &FixedLimits<K>,
    mut budget: Budget,
) -> Option<Packs> {
    let mut search = Search::new(histogram, limits, &mut budget);
    search.heuristics.clear();
    search.local = None;
    search.next_level = None;
    search.next_classes = None;
    while !search.is_done() && search.go_on(&mut budget).is_some() {}
    let is_too_large = matches!(search.columns, Some(None)) && search.spent[..3] == [0; 3];
    let is_best = search.best.packs() == search.best.bound;
    (is_best || (search.demand_done && !is_too_large)).then_some(search.best)
}

/// The best plan so far, and how far each packer has come.
struct Search<'a, const K: usize> {
    histogram: &'a Counts<K>,
    limits: &'a FixedLimits<K>,
    best: Packs,
    /// What made the best plan, before local search.
    packer: Packer,
    given: Budget,
    /// Steps that best-fit takes, about.
    best_fit_steps: u64,
    /// Heuristics that best-fit has not run with, the next one last.
    heuristics: Vec<Heuristic>,
    /// Components whose programs are not solved, the next one last.
    projections: Vec<Projected>,
    /// None before it begins.
    columns: Option<Option<Columns<K>>>,
    demand_done: bool,
    /// Whether there are so many sizes that demand has packed them in parts.
    is_many: bool,
    /// The level of parts that is next, what there is of it, and whether the last one gave a better plan.
    next_level: Option<u32>,
    parts: Option<Parts<K>>,
    parts_gain: bool,
    /// The same of classes.
    next_classes: Option<u32>,
    classes: Option<Classes<K>>,
    classes_gain: bool,
    /// Whether packs hold many graphs.
    has_many: bool,
    /// None if it is not wanted.
    local: Option<LocalSearch>,
    next_local: u64,
    /// Whether its last attempt has saved a pack.
    local_gains: bool,
    /// Steps that projections, columns, local search, parts and classes have taken.
    spent: [u64; 5],
}

/// The program of one component.
struct Projected {
    projection: Projection,
    columns: Columns<1>,
    best: Packs,
    /// Steps so far, and those after which packs of the fractions are tried again.
    spent: u64,
    next: u64,
    /// Whether packs of the last fractions were tried.
    is_rounded: bool,
}

/// Stable, so that the product is the first of equal heuristics.
fn most_packs_first(sampled: &mut [(u64, u64, Heuristic)]) {
    sampled.sort_by_key(|sampled| core::cmp::Reverse(sampled.0));
}

impl<'a, const K: usize> Search<'a, K> {
    fn new(histogram: &'a Counts<K>, limits: &'a FixedLimits<K>, budget: &mut Budget) -> Self {
        let given = *budget;
        let by_one = (0..K).rev().map(Heuristic::Component);
        let named = [Heuristic::Minimum, Heuristic::Maximum, Heuristic::Sum, Heuristic::Product];
        let mut heuristics: Vec<Heuristic> = by_one.chain(named).collect();
        let sizes = histogram.entries();
        let many = sizes.len() > if K < MANY_SETS { MOST_FITTED } else { MOST_OF_MANY_SETS };
        let before = budget.left();
        let demanded = many.then(|| parts::pack(histogram, limits, budget));
        let spent = [0, 0, 0, before - budget.left(), 0];
        let bound = bound::of_large(histogram, limits);
        let mut best_fit_steps = sizes.len() as u64 * best_fit::SIZE;
        let mut is_fitted = true;
        if many {
            let sample = Counts::of(sizes.iter().copied().step_by(SAMPLE));
            let ranked = |heuristic: Heuristic, budget: &mut Budget| {
                let (plan, steps) = best_fit::pack_and_count(&sample, limits, &heuristic);
                budget.use_up(steps);
                (plan.packs(), steps, heuristic)
            };
            let product = ranked(Heuristic::Product, budget);
            best_fit_steps = GROWTH * product.1;
            // Of the sample as of all, packs are compared with the bound of those graphs.
            let of_sample = bound::of_large(&sample, limits);
            let demanded = demanded.as_ref().map_or(u64::MAX, Packs::packs);
            let is_fewer = |packs: u64, more: u64| {
                let demanded = u128::from(demanded.saturating_add(demanded / more));
                u128::from(packs) * u128::from(bound) < demanded * u128::from(of_sample)
            };
            is_fitted = is_fewer(product.0, NEARLY);
            if is_fitted {
                let mut sampled: Vec<_> = heuristics.iter().map(|heuristic| ranked(*heuristic, budget)).collect();
                most_packs_first(&mut sampled);
                is_fitted = sampled.last().is_some_and(|best| is_fewer(best.0, u64::MAX));
                heuristics = sampled.into_iter().map(|sampled| sampled.2).collect();
            }
        }
        let mut fit = |heuristic: Heuristic| {
            let (plan, steps) = best_fit::pack_and_count(histogram, limits, &heuristic);
            budget.use_up(steps);
            best_fit_steps = steps;
            (plan, Packer::BestFit(heuristic))
        };
        let fitted = heuristics.pop_if(|_| is_fitted).map(&mut fit);
        let (best, packer) = match (demanded, fitted) {
            (Some(plan), Some(fitted)) if plan.packs() <= fitted.0.packs() => (plan, Packer::Demand),
            (_, Some(fitted)) => fitted,
            (plan, None) => (plan.unwrap_or_default(), Packer::Demand),
        };
        let best = best.with_bound(bound);
        let most = bound::most_graphs(histogram.entries(), limits);
        let best = best.with_bound(histogram.graphs().div_ceil(u64::from(most.max(1))));
        let opening = if sizes.len() > MANY_SIZES { OPENED * exchange::opening(best.packs()) } else { 0 };
        let has_many = histogram.graphs() / best.bound.max(1) >= MANY;
        Self {
            histogram,
            limits,
            best,
            given,
            best_fit_steps,
            packer,
            heuristics,
            projections: Vec::new(),
            columns: None,
            demand_done: many,
            is_many: many,
            next_level: if many { Parts::next_level(histogram, 0) } else { Parts::first_level(histogram) },
            parts: None,
            parts_gain: true,
            next_classes: if K == CLASSED_SETS && !many && sizes.len() > CLASSED {
                Classes::next_level(histogram, None)
            } else {
                None
            },
            classes: None,
            classes_gain: true,
            has_many,
            local: Some(LocalSearch::default()),
            next_local: best_fit_steps.saturating_mul(FIRST_LOCAL).clamp(LEAST_LOCAL, MOST_LOCAL).max(opening),
            local_gains: false,
            spent,
        }
    }

    /// Whether the best plan is optimal, or nothing is left to try.
    fn is_done(&self) -> bool {
        let tried = self.demand_done
            && self.projections.is_empty()
            && matches!(self.columns, Some(None))
            && self.is_local_done()
            && self.next_level.is_none()
            && self.next_classes.is_none()
            && self.heuristics.is_empty();
        self.best.packs() == self.best.bound || tried
    }

    /// Does one piece of work. None if the budget is spent.
    fn go_on(&mut self, budget: &mut Budget) -> Option<()> {
        let is_late = self.is_local_done() && matches!(self.columns, Some(None)) && self.next_level.is_none();
        let is_fast = !self.is_many && self.histogram.entries().len() <= FITTED_FIRST;
        if (is_fast || is_late)
            && let Some(heuristic) = self.heuristics.pop()
        {
            budget.take(self.best_fit_steps)?;
            let (plan, steps) = best_fit::pack_and_count(self.histogram, self.limits, &heuristic);
            budget.use_up(steps.saturating_sub(self.best_fit_steps));
            self.take(plan, Packer::BestFit(heuristic));
            return Some(());
        }
        if !self.demand_done {
            budget.take(demand::SIZE * self.histogram.entries().len() as u64)?;
            self.demand_done = true;
            let plan = demand::pack(self.histogram, self.limits, self.best_fit_steps, budget);
            self.take(plan, Packer::Demand);
            return Some(());
        }
        if self.columns.is_none() {
            self.columns = Some(Columns::new(self.histogram, self.limits));
            if K > 1 {
                let projected = (0..K).map(|k| Projected::new(self.histogram, self.limits, &self.best, k));
                // The others prove less, as far as sums say; where nothing else proves more than these, they are
                // solved, too.
                let is_alone = !self.has_program();
                let binds = |projected: &Projected| is_alone || projected.best.bound >= self.best.bound;
                self.projections = projected.flatten().filter(binds).collect();
                Projected::least_bound_first(&mut self.projections);
            }
            return Some(());
        }
        let (part, before) = (self.next()?, budget.left());
        match (part, &mut self.columns) {
            (1, Some(Some(working))) => {
                let packs = self.best.packs();
                if working.step(&mut self.best, budget)? {
                    self.columns = Some(None);
                }
                if self.best.packs() < packs {
                    self.packer = Packer::Columns(self.given);
                    self.local = self.local.is_some().then(LocalSearch::default);
                }
            }
            (0, _) => self.project(budget)?,
            (3, _) => self.pack_in_parts(budget)?,
            (4, _) => self.pack_by_classes(budget)?,
            _ => self.search_near(budget)?,
        }
        self.spent[part] += before - budget.left();
        Some(())
    }

    /// Which is next of projections, the program, local search, parts and classes: the one that has had the least
    /// budget, where what is of little use counts for more. None if none is left.
    fn next(&self) -> Option<usize> {
        let many = self.histogram.entries().len() > MANY_SIZES;
        let is_local = !self.is_local_done();
        if !self.projections.is_empty() && self.spent[0] < PROJECTED {
            return Some(0);
        }
        let is_classed =
            self.next_classes.is_some() && self.best.packs().saturating_sub(self.best.bound) > self.best.bound / GAP;
        if is_classed && self.next_classes == Some(0) {
            return Some(4);
        }
        let is_program = self.has_program() && !(many && is_local);
        // Of fewer sizes, demand of all at once is better than parts as a rule: these come last.
        let is_parts = self.next_level.is_some() && (self.is_many || !(is_program || is_local));
        let is_open = [!self.projections.is_empty(), is_program, is_local, is_parts, is_classed];
        let seldom = |useful: bool| if useful { 1 } else { SELDOM };
        // Of very many sizes, local search gets a quarter of what larger parts get while these gain, and twice as much
        // once they do not.
        let local = if self.is_many { SELDOM / 2 } else { seldom(self.local_gains || many) };
        let weights = [seldom(self.has_many), 1, local, seldom(self.parts_gain), seldom(self.classes_gain)];
        (0..5).filter(|&part| is_open[part]).min_by_key(|&part| self.spent[part].saturating_mul(weights[part]))
    }

    fn is_local_done(&self) -> bool {
        self.local.as_ref().is_none_or(LocalSearch::is_done)
    }

    /// Whether the program of all components has something left to do.
    fn has_program(&self) -> bool {
        matches!(self.columns, Some(Some(_)))
    }

    /// One step of a program of one component. Its packs are filled with whole sizes once it is solved: those of the
    /// fractions, rounded down, and then those of a plan that is the best.
    fn project(&mut self, budget: &mut Budget) -> Option<()> {
        let Some(last) = self.projections.last_mut() else { return Some(()) };
        let before = budget.left();
        let is_last = last.columns.step(&mut last.best, budget)?;
        last.spent += before - budget.left();
        self.best.bound = self.best.bound.max(last.best.bound);
        let most = if matches!(self.columns, Some(None)) { last.columns.most() } else { last.best.bound };
        if most < self.best.bound || self.best.packs() == self.best.bound {
            self.projections.pop();
            return Some(());
        }
        let packs = if is_last {
            Some(last.best.clone())
        } else if last.is_rounded || (!last.columns.is_solved() && last.spent < last.next) {
            None
        } else {
            last.columns.whole_packs()
        };
        let Some(packs) = packs else { return Some(()) };
        last.is_rounded = last.columns.is_solved();
        let before = budget.left();
        let mut plan = lift(&packs, &last.projection, self.histogram, self.limits, budget);
        let rest = self.histogram.without(&plan);
        let sizes = self.histogram.entries().len() as u64;
        budget.take(2 * (self.best_fit_steps / sizes.max(1) + 1) * rest.entries().len() as u64)?;
        let fitted = best_fit::better_of_two(&rest, self.limits);
        let demanded = if self.is_many && rest.entries().len() > MANY_SIZES {
            Some(parts::pack(&rest, self.limits, budget))
        } else {
            demand::pack_below(&rest, self.limits, fitted.packs(), budget)
        };
        plan.append(&demanded.unwrap_or(fitted));
        last.next = last.spent + before - budget.left();
        self.take(plan, Packer::Columns(self.given));
        if is_last {
            self.projections.pop();
        }
        Some(())
    }

    /// Packs one of the parts.
    fn pack_in_parts(&mut self, budget: &mut Budget) -> Option<()> {
        let Some(level) = self.next_level else { return Some(()) };
        let parts = self.parts.get_or_insert_with(|| Parts::new(self.histogram, level));
        if let Some(plan) = parts.step(self.limits, budget)? {
            (self.parts, self.next_level) = (None, Parts::next_level(self.histogram, level));
            self.parts_gain = plan.packs() < self.best.packs();
            self.take(plan, Packer::Demand);
        }
        Some(())
    }

    /// Goes one step with the program of classes, or makes the plan of what it has found.
    fn pack_by_classes(&mut self, budget: &mut Budget) -> Option<()> {
        if const { K != CLASSED_SETS } {
            return Some(());
        }
        let Some(level) = self.next_classes else { return Some(()) };
        if self.classes.is_none() {
            self.classes = Classes::new(self.histogram, self.limits, level, budget)?;
            if self.classes.is_none() {
                self.next_classes = None;
            }
        }
        let Some(classes) = &mut self.classes else { return Some(()) };
        if let Some(plan) = classes.step(self.limits, budget)? {
            (self.classes, self.next_classes) = (None, Classes::next_level(self.histogram, Some(level)));
            self.classes_gain = plan.packs() < self.best.packs();
            self.take(plan, Packer::Columns(self.given));
        }
        Some(())
    }

    /// Looks for better plans near the best one.
    fn search_near(&mut self, budget: &mut Budget) -> Option<()> {
        let Some(local) = &mut self.local else { return Some(()) };
        let wanted = self.next_local.max(local.needed);
        let mut share = Budget::steps(wanted.min(budget.left()));
        self.next_local = self.next_local.saturating_add(self.next_local / 4);
        let given = share.left();
        let plan = local.run(self.histogram, self.limits, &self.best, &mut share);
        budget.use_up(given - share.left());
        if share.left() > 0 {
            self.local_gains = plan.is_some();
        }
        if let Some(plan) = plan {
            self.take(plan, self.packer);
            self.local_gains = true;
        }
        (budget.left() > 0).then_some(())
    }

    /// Keeps the plan if it has fewer packs.
    fn take(&mut self, plan: Packs, packer: Packer) {
        if plan.packs() < self.best.packs() {
            self.best = plan.with_bound(self.best.bound);
            self.packer = packer;
            self.local = self.local.is_some().then(LocalSearch::default);
        }
    }
}

impl Projected {
    fn least_bound_first(projections: &mut [Self]) {
        projections.sort_by_key(|projected| projected.best.bound);
    }

    /// None if the component alone cannot bind, or has too many sizes.
    fn new<const K: usize>(
        histogram: &Counts<K>,
        limits: &FixedLimits<K>,
        best: &Packs,
        component: usize,
    ) -> Option<Self> {
        let projection = Projection::new(histogram, limits, component)?;
        let columns = Columns::new(&projection.counts, &projection.limits)?;
        let bound = bound::of_large(&projection.counts, &projection.limits);
        let mut plan = projection.packs(best);
        plan.bound = bound;
        let next = if histogram.entries().len() > MANY_LIFTS { u64::MAX } else { FIRST_LIFT };
        Some(Self { projection, columns, best: plan, spent: 0, next, is_rounded: false })
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Counts, FixedLimits, MOST_FITTED, MOST_OF_MANY_SETS, Search};
    use alloc::collections::BTreeSet;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;

    /// Steps of what is done before the budget is looked at, for each of `distinct` sizes.
    fn first_steps<const K: usize>(distinct: usize) -> u64 {
        let mut random = Pcg32::seed_from_u64(1);
        let mut sizes = BTreeSet::new();
        while sizes.len() < distinct {
            sizes.insert(core::array::from_fn(|_| 1 + random.next_u32() % 100_000));
        }
        let counts = Counts::of(sizes.into_iter().map(|size| (size, 1)));
        let mut budget = Budget::steps(u64::MAX);
        Search::<K>::new(&counts, &FixedLimits { size: [300_000; K], graphs: u32::MAX }, &mut budget);
        (u64::MAX - budget.left()) / distinct as u64
    }

    #[test]
    fn first_plans_of_many_sizes_take_a_fraction_of_the_default_budget() {
        let most = Budget::default().left() / 100_000;
        let steps = [
            first_steps::<1>(MOST_FITTED),
            first_steps::<2>(MOST_FITTED),
            first_steps::<2>(MOST_FITTED + 1),
            first_steps::<3>(MOST_OF_MANY_SETS),
            first_steps::<3>(MOST_FITTED),
            first_steps::<6>(MOST_FITTED),
            first_steps::<8>(MOST_FITTED),
        ];
        assert!(steps.iter().all(|&steps| steps < most), "{steps:?} steps for each size, expected less than {most}");
    }
}
