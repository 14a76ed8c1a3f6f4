//! Choosing limits (paper, sections 2.5 and 3.2, and its future work): how good packs are under many limits, and which
//! to take.
//!
//! [`around`] proposes limits, and [`Candidate::evaluate`] packs a histogram under one of them. Of many candidates,
//! [`pareto`] keeps those that no other beats, [`smallest`] finds the smallest that is full enough (of those
//! [`nearly_full`], better packing decides), and [`fullest`] the fullest for a number of graphs per step. Most limits
//! need no packing for that: even packs as few as the simple bound would not be chosen. [`evaluate_for_pareto`] and
//! [`evaluate_for_fullest`] leave these out. [`cheapest`] finds the limits with the cheapest epoch by a [`Cost`], for
//! example among those [`within`] a budget of memory.

use crate::packer::{Budget, Packer, fitted_or_demanded};
use crate::{Cost, Efficiency, Histogram, Limits, PackError, Plan, Size, bound};
use alloc::vec::Vec;

/// Limits, and how good packs under them are.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// The limits.
    pub limits: Limits,
    /// Number of packs for the whole histogram: steps per epoch with one pack each.
    pub packs: u64,
    /// How full the packs are.
    pub efficiency: Efficiency,
}

impl Candidate {
    /// Packs a histogram by best-fit and by the demand packer, and takes the better: milliseconds for a thousand sizes.
    pub fn evaluate(histogram: &Histogram, limits: Limits) -> Result<Self, PackError> {
        Ok(Self::of(&fitted_or_demanded(histogram, &limits)?))
    }

    /// Packs a histogram by [`Packer::Auto`], as well as `budget` allows.
    pub fn optimise(histogram: &Histogram, limits: Limits, budget: Budget) -> Result<Self, PackError> {
        Ok(Self::of(&Packer::Auto(budget).pack(histogram, &limits)?))
    }

    fn of(plan: &Plan) -> Self {
        Self { limits: *plan.limits(), packs: plan.packs(), efficiency: plan.efficiency() }
    }

    /// The best that packing a histogram under each of `limits` could give: the number of packs is the
    /// [simple bound](bound::simple).
    pub fn at_best(histogram: &Histogram, limits: &[Limits]) -> Vec<Self> {
        let (totals, graphs) = (histogram.totals(), histogram.graphs());
        let at_best = |limits: &Limits| {
            let packs = bound::simple(&totals, graphs, limits);
            Self { limits: *limits, packs, efficiency: Efficiency::of(&totals, graphs, packs, limits) }
        };
        limits.iter().map(at_best).collect()
    }

    /// The [harmonic mean](Efficiency::harmonic_mean) of the efficiencies of the sets, the paper's measure.
    pub fn score(&self) -> f64 {
        self.efficiency.harmonic_mean()
    }

    /// Graphs per step on average.
    pub fn graphs_per_step(&self, histogram: &Histogram) -> f64 {
        histogram.graphs() as f64 / self.packs.max(1) as f64
    }
}

/// Proposes limits for about `graphs` graphs per pack: the mean of each set times `graphs`, with one set at
/// a time up to a tenth lower or higher. All limits are multiples of `multiple_of`, and none is below the largest
/// graph. The most graphs per pack are those that fit on average and a quarter more, so that this limit hardly binds.
pub fn around(histogram: &Histogram, graphs: f64, multiple_of: u32) -> Vec<Limits> {
    let (totals, largest, sets) = (histogram.totals(), histogram.largest(), histogram.sets());
    let count = histogram.graphs().max(1) as f64;
    let step = multiple_of.max(1);
    let at = |set: usize, factor: f64| {
        let wanted = totals[set] as f64 / count * graphs * factor;
        // A cast from float to integer saturates.
        (wanted as u32).max(largest[set]).max(1).checked_next_multiple_of(step).unwrap_or(u32::MAX / step * step)
    };
    // By how much one set leaves the proportion: -10 % to +10 %.
    let mut found: Vec<Limits> = Vec::new();
    for leaning in 0..sets {
        for lean in -5..=5 {
            let factor = |set: usize| if set == leaning { 1.0 + f64::from(lean) / 50.0 } else { 1.0 };
            let size = Size::of(sets, |set| at(set, factor(set)));
            let limits = with_graphs(histogram, size);
            if !found.contains(&limits) {
                found.push(limits);
            }
        }
    }
    found
}

/// Proposes the limits that the largest graph fills, in each set, whatever they are multiples of.
pub fn largest_graph(histogram: &Histogram) -> Limits {
    with_graphs(histogram, histogram.largest().max_each(&Size::of(histogram.sets(), |_| 1)))
}

/// Limits of a number of graphs that hardly binds: those that fit on average and a quarter more.
fn with_graphs(histogram: &Histogram, size: Size) -> Limits {
    let (totals, count) = (histogram.totals(), histogram.graphs().max(1) as f64);
    let fitting = (0..histogram.sets()).map(|set| f64::from(size[set]) * count / (totals[set] as f64).max(1.0));
    let most = fitting.fold(f64::MAX, f64::min);
    Limits::new(size).graphs(((most * 1.25) as u32).max(1).saturating_add(1))
}

/// Number of sizes of packs that [`within`] proposes, each an eighth smaller than the one before.
const SMALLER: usize = 12;

/// The candidate whose epoch costs least, as packed by [`Candidate::evaluate`]; None without `limits`. Packs only under
/// limits that would be cheaper if there were as few packs as the [simple bound](bound::simple).
///
/// ```
/// use graphpack_core::{Cost, Histogram, search};
///
/// // 8 bytes for a node and 24 for an edge, in 100 kB. A step takes as long as 5,000 rows.
/// let histogram = Histogram::from_counts([([20, 40], 5000), ([31, 64], 2000)])?;
/// let limits = search::within(&histogram, &Cost::rows([8, 24]), 100_000, u32::MAX, 8);
/// let best = search::cheapest(&histogram, &limits, &Cost::SLOTS.step(5000))?.expect("the largest graph fits");
/// assert!(best.limits.size[0] * 8 + best.limits.size[1] * 24 <= 100_000);
/// assert!(best.graphs_per_step(&histogram) > 60.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cheapest(histogram: &Histogram, limits: &[Limits], cost: &Cost) -> Result<Option<Candidate>, PackError> {
    cheaper(histogram, limits.to_vec(), cost, None)
}

/// The same, where an epoch of it costs less than `best`.
pub(crate) fn cheaper(
    histogram: &Histogram,
    mut limits: Vec<Limits>,
    cost: &Cost,
    mut best: Option<u128>,
) -> Result<Option<Candidate>, PackError> {
    let (totals, graphs) = (histogram.totals(), histogram.graphs());
    let at_least = |limits: &Limits| cost.of_epoch(bound::simple(&totals, graphs, limits), limits);
    limits.sort_by_cached_key(at_least);
    limits.dedup();
    let mut cheapest = None;
    for limits in limits {
        if best.is_some_and(|best| best <= at_least(&limits)) {
            break;
        }
        let found = Candidate::evaluate(histogram, limits)?;
        let cost = cost.of_epoch(found.packs, &limits);
        if best.is_none_or(|best| cost < best) {
            (best, cheapest) = (Some(cost), Some(found));
        }
    }
    Ok(cheapest)
}

/// Proposes limits [`around`] numbers of graphs, the largest of which need `budget` of `memory` or hold `most_graphs`,
/// and those of the [largest graph](largest_graph).
/// None of them needs or holds more; empty if the largest graph needs more.
pub fn within(histogram: &Histogram, memory: &Cost, budget: u64, most_graphs: u32, multiple_of: u32) -> Vec<Limits> {
    let (totals, count) = (histogram.totals(), histogram.graphs().max(1) as f64);
    let rows = (0..histogram.sets()).map(|set| totals[set] as f64 / count * memory.rows[set] as f64);
    let graph = rows.fold(memory.graph as f64, |sum, rows| sum + rows);
    // No pack has more graphs than there are, even if they need no memory.
    let most = (budget.saturating_sub(memory.step) as f64 / graph).min(count).min(most_graphs.into());
    let mut found: Vec<Limits> = Vec::new();
    let smaller = (0..SMALLER).scan(most, |graphs, _| Some(core::mem::replace(graphs, *graphs * 0.875)));
    // Of no graphs: those of the largest graph.
    let itself = largest_graph(histogram);
    for graphs in smaller.chain([0.0]) {
        for limits in around(histogram, graphs, multiple_of).into_iter().chain([itself]) {
            let limits = limits.graphs(limits.graphs.min(most_graphs));
            if memory.of(&limits) <= budget.into() && !found.contains(&limits) {
                found.push(limits);
            }
        }
    }
    found
}

/// The candidates that no other beats in both the cost of a step and the score, in ascending order of cost.
pub fn pareto(candidates: &[Candidate], cost: &Cost) -> Vec<Candidate> {
    let mut sorted = candidates.to_vec();
    let of = |candidate: &Candidate| cost.of(&candidate.limits);
    sorted.sort_by(|a, b| of(a).cmp(&of(b)).then(b.score().total_cmp(&a.score())));
    let mut front: Vec<Candidate> = Vec::new();
    for candidate in sorted {
        if front.last().is_none_or(|last| candidate.score() > last.score()) {
            front.push(candidate);
        }
    }
    front
}

/// The candidate whose step costs least among those whose every set is filled to at least `efficiency`, or not at
/// all because no graph has any of it.
pub fn smallest(candidates: &[Candidate], efficiency: f64, cost: &Cost) -> Option<Candidate> {
    let full = candidates.iter().filter(|candidate| is_full(candidate, efficiency));
    full.min_by_key(|candidate| cost.of(&candidate.limits)).cloned()
}

/// Limits that may be [`smallest`] if graphs are packed better: cheaper ones than those found, whose sets lack at most
/// a twentieth of `efficiency` and would not lack it [at best](Candidate::at_best). The cheapest are first.
pub fn nearly_full(histogram: &Histogram, candidates: &[Candidate], efficiency: f64, cost: &Cost) -> Vec<Limits> {
    let smallest = smallest(candidates, efficiency, cost).map_or(u128::MAX, |found| cost.of(&found.limits));
    let near = candidates.iter().filter(|found| is_full(found, 0.95 * efficiency) && cost.of(&found.limits) < smallest);
    let near: Vec<Limits> = near.map(|found| found.limits).collect();
    let can_be = Candidate::at_best(histogram, &near).into_iter().filter(|best| is_full(best, efficiency));
    let mut limits: Vec<Limits> = can_be.map(|best| best.limits).collect();
    limits.sort_by_key(|limits| cost.of(limits));
    limits
}

fn is_full(candidate: &Candidate, efficiency: f64) -> bool {
    candidate.efficiency.sets.iter().all(|&share| share >= efficiency || share == 0.0)
}

/// The candidate with the highest score among those with `graphs` graphs per step on average, a tenth more or less.
pub fn fullest(candidates: &[Candidate], histogram: &Histogram, graphs: f64) -> Option<Candidate> {
    let near = candidates.iter().filter(|candidate| is_near(candidate, histogram, graphs));
    near.max_by(|a, b| a.score().total_cmp(&b.score())).cloned()
}

fn is_near(candidate: &Candidate, histogram: &Histogram, graphs: f64) -> bool {
    (0.9..=1.1).contains(&(candidate.graphs_per_step(histogram) / graphs))
}

/// Evaluates those of `limits` among which [`pareto`] and [`smallest`] choose what they
/// would choose of all. `evaluate` gets the next limits and the number of limits that precede them, and returns their
/// candidates.
pub fn evaluate_for_pareto<E>(
    histogram: &Histogram,
    limits: &[Limits],
    efficiency: f64,
    cost: &Cost,
    evaluate: impl FnMut(&[Limits], usize) -> Result<Vec<Candidate>, E>,
) -> Result<Vec<Candidate>, E> {
    let mut ascending: Vec<_> = Candidate::at_best(histogram, limits).into_iter().enumerate().collect();
    // Stable: where candidates are equal, both choose the first.
    ascending.sort_by_key(|(_, best)| cost.of(&best.limits));
    let matters = |best: &Candidate, found: &[(usize, Candidate)], highest: f64| {
        let reached = || found.iter().any(|(_, found)| is_full(found, efficiency));
        best.score() > highest || (is_full(best, efficiency) && !reached())
    };
    evaluate_rounds(ascending, matters, |_| true, evaluate)
}

/// Evaluates those of `limits` among which [`fullest`] chooses what it would choose of all; `evaluate`
/// is as for [`evaluate_for_pareto`].
pub fn evaluate_for_fullest<E>(
    histogram: &Histogram,
    limits: &[Limits],
    graphs: f64,
    evaluate: impl FnMut(&[Limits], usize) -> Result<Vec<Candidate>, E>,
) -> Result<Vec<Candidate>, E> {
    let mut descending: Vec<_> = Candidate::at_best(histogram, limits).into_iter().enumerate().collect();
    descending.sort_by(|(_, a), (_, b)| b.score().total_cmp(&a.score()));
    // With more packs than at best there are fewer graphs per step.
    let matters = |best: &Candidate, _: &[(usize, Candidate)], highest: f64| {
        best.score() >= highest && best.graphs_per_step(histogram) / graphs >= 0.9
    };
    evaluate_rounds(descending, matters, |found| is_near(found, histogram, graphs), evaluate)
}

/// Limits that are evaluated at once. Which limits are left out must not depend on the machine, so this is not the
/// number of its cores.
const ROUND: usize = 8;

/// Evaluates those of `waiting` that matter, given what was found before, and the highest score of those found that
/// `count`. Returns them in the order of their numbers.
fn evaluate_rounds<E>(
    waiting: Vec<(usize, Candidate)>,
    matters: impl Fn(&Candidate, &[(usize, Candidate)], f64) -> bool,
    counts: impl Fn(&Candidate) -> bool,
    mut evaluate: impl FnMut(&[Limits], usize) -> Result<Vec<Candidate>, E>,
) -> Result<Vec<Candidate>, E> {
    let (all, mut waiting) = (waiting.len(), waiting.into_iter());
    let mut found: Vec<(usize, Candidate)> = Vec::new();
    let mut highest = f64::NEG_INFINITY;
    loop {
        let next = waiting.by_ref().filter(|(_, best)| matters(best, &found, highest)).take(ROUND);
        let (numbers, limits): (Vec<_>, Vec<_>) = next.map(|(number, best)| (number, best.limits)).unzip();
        if limits.is_empty() {
            found.sort_by_key(|(number, _)| *number);
            return Ok(found.into_iter().map(|(_, candidate)| candidate).collect());
        }
        let round = evaluate(&limits, all - waiting.len() - limits.len())?;
        highest = round.iter().filter(|found| counts(found)).map(Candidate::score).fold(highest, f64::max);
        found.extend(numbers.into_iter().zip(round));
    }
}
