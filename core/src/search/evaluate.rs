//! [`evaluate_for_pareto`], [`evaluate_for_fullest`]: packs only under limits that may be chosen.

use super::Candidate;
use super::choose::{is_full, is_near};
use crate::{Cost, Histogram, Limits};
use alloc::vec::Vec;

/// Evaluates those of `limits` among which [`pareto`](super::pareto) and [`smallest`](super::smallest) choose what they
/// would choose of all. `evaluate` gets the next limits and the number of limits that precede them, and returns their
/// candidates.
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

/// Evaluates those of `limits` among which [`fullest`](super::fullest) chooses what it would choose of all; `evaluate`
/// is as for [`evaluate_for_pareto`].
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
