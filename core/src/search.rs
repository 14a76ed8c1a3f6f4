//! Choosing limits (paper, sections 2.5 and 3.2, and its future work): how good packs are under many limits, and which
//! to take.
//!
//! [`around`] proposes limits, and [`Candidate::evaluate`] packs a histogram under one of them. Of many candidates,
//! [`pareto`] keeps those that no other beats, [`smallest`] finds the smallest that is full enough, and [`fullest`] the
//! fullest for a number of graphs per step. Most limits need no packing for that: even packs as few as the simple bound
//! would not be chosen. [`evaluate_for_pareto`] and [`evaluate_for_fullest`] leave these out. [`cheapest`] finds the
//! limits with the cheapest epoch by a [`Cost`], for example among those [`within`] a budget of memory.

mod cheapest;

use crate::packer::demand;
use crate::{Cost, Efficiency, Effort, Heuristic, Histogram, Limits, PackError, Packer, Plan, bound};
use alloc::vec::Vec;
pub use cheapest::{cheapest, within};

/// Limits, and how good packs under them are.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Candidate<const K: usize> {
    /// The limits.
    pub limits: Limits<K>,
    /// Number of packs for the whole histogram: steps per epoch with one pack each.
    pub packs: u64,
    /// How full the packs are.
    pub efficiency: Efficiency<K>,
}

impl<const K: usize> Candidate<K> {
    /// Packs a histogram by best-fit and by the demand packer, and takes the better: milliseconds for a thousand sizes.
    pub fn evaluate(histogram: &Histogram<K>, limits: Limits<K>) -> Result<Self, PackError<K>> {
        let fitted = Packer::BestFit(Heuristic::Product).pack(histogram, &limits)?;
        if fitted.packs() == bound::of_large_graphs(histogram, &limits) {
            return Ok(Self::of(&fitted));
        }
        Ok(Self::of(&demand::pack_below(histogram, &limits, fitted.packs()).unwrap_or(fitted)))
    }

    /// Packs a histogram by [`Packer::Auto`], as well as `effort` allows.
    pub fn optimise(histogram: &Histogram<K>, limits: Limits<K>, effort: Effort) -> Result<Self, PackError<K>> {
        Ok(Self::of(&Packer::Auto(effort).pack(histogram, &limits)?))
    }

    fn of(plan: &Plan<K>) -> Self {
        Self { limits: *plan.limits(), packs: plan.packs(), efficiency: plan.efficiency() }
    }

    /// The best that packing a histogram under each of `limits` could give: the number of packs is the
    /// [simple bound](bound::simple).
    pub fn at_best(histogram: &Histogram<K>, limits: &[Limits<K>]) -> Vec<Self> {
        let (totals, graphs) = (histogram.totals(), histogram.graphs());
        let at_best = |limits: &Limits<K>| {
            let packs = bound::simple(totals, graphs, limits);
            Self { limits: *limits, packs, efficiency: Efficiency::of(totals, graphs, packs, limits) }
        };
        limits.iter().map(at_best).collect()
    }

    /// The [harmonic mean](Efficiency::harmonic_mean) of the efficiencies of the components, the paper's measure.
    pub fn score(&self) -> f64 {
        self.efficiency.harmonic_mean()
    }

    /// Graphs per step on average.
    pub fn graphs_per_step(&self, histogram: &Histogram<K>) -> f64 {
        histogram.graphs() as f64 / self.packs.max(1) as f64
    }
}

/// The candidates that no other beats in both the cost of a step and the score, in ascending order of cost.
pub fn pareto<const K: usize>(candidates: &[Candidate<K>], cost: &Cost<K>) -> Vec<Candidate<K>> {
    let mut sorted = candidates.to_vec();
    let of = |candidate: &Candidate<K>| cost.of(&candidate.limits);
    sorted.sort_by(|a, b| of(a).cmp(&of(b)).then(b.score().total_cmp(&a.score())));
    let mut front: Vec<Candidate<K>> = Vec::new();
    for candidate in sorted {
        if front.last().is_none_or(|last| candidate.score() > last.score()) {
            front.push(candidate);
        }
    }
    front
}

/// The candidate whose step costs least among those whose every component is filled to at least `efficiency`, or not at
/// all because no graph has any of it.
pub fn smallest<const K: usize>(candidates: &[Candidate<K>], efficiency: f64, cost: &Cost<K>) -> Option<Candidate<K>> {
    let full = candidates.iter().filter(|candidate| is_full(candidate, efficiency));
    full.min_by_key(|candidate| cost.of(&candidate.limits)).copied()
}

fn is_full<const K: usize>(candidate: &Candidate<K>, efficiency: f64) -> bool {
    candidate.efficiency.components.iter().all(|&share| share >= efficiency || share == 0.0)
}

/// The candidate with the highest score among those with `graphs` graphs per step on average, a tenth more or less.
pub fn fullest<const K: usize>(
    candidates: &[Candidate<K>],
    histogram: &Histogram<K>,
    graphs: f64,
) -> Option<Candidate<K>> {
    let near = candidates.iter().filter(|candidate| is_near(candidate, histogram, graphs));
    near.max_by(|a, b| a.score().total_cmp(&b.score())).copied()
}

fn is_near<const K: usize>(candidate: &Candidate<K>, histogram: &Histogram<K>, graphs: f64) -> bool {
    (0.9..=1.1).contains(&(candidate.graphs_per_step(histogram) / graphs))
}

/// Evaluates those of `limits` among which [`pareto`] and [`smallest`] choose what they would choose of all. `evaluate`
/// gets the next limits and the number of limits that precede them, and returns their candidates.
pub fn evaluate_for_pareto<const K: usize, E>(
    histogram: &Histogram<K>,
    limits: &[Limits<K>],
    efficiency: f64,
    cost: &Cost<K>,
    evaluate: impl FnMut(&[Limits<K>], usize) -> Result<Vec<Candidate<K>>, E>,
) -> Result<Vec<Candidate<K>>, E> {
    let mut ascending: Vec<_> = Candidate::at_best(histogram, limits).into_iter().enumerate().collect();
    // Stable: where candidates are equal, both choose the first.
    ascending.sort_by_key(|(_, best)| cost.of(&best.limits));
    let matters = |best: &Candidate<K>, found: &[(usize, Candidate<K>)], highest: f64| {
        let reached = || found.iter().any(|(_, found)| is_full(found, efficiency));
        best.score() > highest || (is_full(best, efficiency) && !reached())
    };
    evaluate_rounds(ascending, matters, |_| true, evaluate)
}

/// Evaluates those of `limits` among which [`fullest`] chooses what it would choose of all; `evaluate` as for
/// [`evaluate_for_pareto`].
pub fn evaluate_for_fullest<const K: usize, E>(
    histogram: &Histogram<K>,
    limits: &[Limits<K>],
    graphs: f64,
    evaluate: impl FnMut(&[Limits<K>], usize) -> Result<Vec<Candidate<K>>, E>,
) -> Result<Vec<Candidate<K>>, E> {
    let mut descending: Vec<_> = Candidate::at_best(histogram, limits).into_iter().enumerate().collect();
    descending.sort_by(|(_, a), (_, b)| b.score().total_cmp(&a.score()));
    // With more packs than at best there are fewer graphs per step.
    let matters = |best: &Candidate<K>, _: &[(usize, Candidate<K>)], highest: f64| {
        best.score() >= highest && best.graphs_per_step(histogram) / graphs >= 0.9
    };
    evaluate_rounds(descending, matters, |found| is_near(found, histogram, graphs), evaluate)
}

/// Limits that are evaluated at once. Which limits are left out must not depend on the machine, so this is not the
/// number of its cores.
const ROUND: usize = 8;

/// Evaluates those of `waiting` that matter, given what was found before, and the highest score of those found that
/// `count`. Returns them in the order of their numbers.
fn evaluate_rounds<const K: usize, E>(
    waiting: Vec<(usize, Candidate<K>)>,
    matters: impl Fn(&Candidate<K>, &[(usize, Candidate<K>)], f64) -> bool,
    counts: impl Fn(&Candidate<K>) -> bool,
    mut evaluate: impl FnMut(&[Limits<K>], usize) -> Result<Vec<Candidate<K>>, E>,
) -> Result<Vec<Candidate<K>>, E> {
    let (all, mut waiting) = (waiting.len(), waiting.into_iter());
    let mut found: Vec<(usize, Candidate<K>)> = Vec::new();
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

/// Proposes limits for about `graphs` graphs per pack: the mean of each component times `graphs`, with one component at
/// a time up to a tenth lower or higher. All limits are multiples of `multiple_of`, and none is below the largest
/// graph. The most graphs per pack are those that fit on average and a quarter more, so that this limit hardly binds.
pub fn around<const K: usize>(histogram: &Histogram<K>, graphs: f64, multiple_of: u32) -> Vec<Limits<K>> {
    let (totals, largest) = (histogram.totals(), histogram.largest());
    let count = histogram.graphs().max(1) as f64;
    let step = multiple_of.max(1);
    let at = |k: usize, factor: f64| {
        let wanted = totals[k] as f64 / count * graphs * factor;
        // A cast from float to integer saturates.
        (wanted as u32).max(largest.0[k]).max(1).checked_next_multiple_of(step).unwrap_or(u32::MAX / step * step)
    };
    // By how much one component leaves the proportion: -10 % to +10 %.
    let mut found: Vec<Limits<K>> = Vec::new();
    for component in 0..K {
        for lean in -5..=5 {
            let factor = |k: usize| if k == component { 1.0 + f64::from(lean) / 50.0 } else { 1.0 };
            let size: [u32; K] = core::array::from_fn(|k| at(k, factor(k)));
            let most =
                (0..K).map(|k| f64::from(size[k]) * count / (totals[k] as f64).max(1.0)).fold(f64::MAX, f64::min);
            let limits = Limits::new(size).graphs(((most * 1.25) as u32).max(1).saturating_add(1));
            if !found.contains(&limits) {
                found.push(limits);
            }
        }
    }
    found
}
