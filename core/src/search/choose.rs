//! [`pareto`], [`smallest`], [`fullest`]: which of many candidates to take.

use super::Candidate;
use crate::{Cost, Histogram};
use alloc::vec::Vec;

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

pub(super) fn is_full<const K: usize>(candidate: &Candidate<K>, efficiency: f64) -> bool {
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

pub(super) fn is_near<const K: usize>(candidate: &Candidate<K>, histogram: &Histogram<K>, graphs: f64) -> bool {
    (0.9..=1.1).contains(&(candidate.graphs_per_step(histogram) / graphs))
}
