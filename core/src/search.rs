//! Choosing limits (paper, sections 2.5 and 3.2, and its future work): how good packs are under many limits, and which
//! to take.
//!
//! [`around`] proposes limits, and [`Candidate::evaluate`] packs a histogram under one of them. Of many candidates,
//! [`pareto`] keeps those that no other beats, [`smallest`] finds the smallest that is full enough, and [`fullest`] the
//! fullest for a number of graphs per step. [`cheapest`] finds the limits with the cheapest epoch by a
//! [`Cost`](crate::Cost), for example among those [`within`] a budget of memory.

mod cheapest;

use crate::{Efficiency, Effort, Heuristic, Histogram, Limits, PackError, Packer, Plan};
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
        let demanded = Packer::Demand.pack(histogram, &limits)?;
        Ok(Self::of(if demanded.packs() < fitted.packs() { &demanded } else { &fitted }))
    }

    /// Packs a histogram by [`Packer::Auto`], as well as `effort` allows.
    pub fn optimise(histogram: &Histogram<K>, limits: Limits<K>, effort: Effort) -> Result<Self, PackError<K>> {
        Ok(Self::of(&Packer::Auto(effort).pack(histogram, &limits)?))
    }

    fn of(plan: &Plan<K>) -> Self {
        Self { limits: *plan.limits(), packs: plan.packs(), efficiency: plan.efficiency() }
    }

    /// The [harmonic mean](Efficiency::harmonic_mean) of the efficiencies of the components, the paper's measure.
    pub fn score(&self) -> f64 {
        self.efficiency.harmonic_mean()
    }

    /// Graphs per step on average.
    pub fn graphs_per_step(&self, histogram: &Histogram<K>) -> f64 {
        histogram.graphs() as f64 / self.packs.max(1) as f64
    }

    /// Number of slots in all components, roughly proportional to the cost of one step.
    pub fn slots(&self) -> u64 {
        self.limits.size.0.iter().map(|&limit| u64::from(limit)).sum()
    }
}

/// The candidates that no other beats in both slots per step and score, in ascending order of slots.
pub fn pareto<const K: usize>(candidates: &[Candidate<K>]) -> Vec<Candidate<K>> {
    let mut sorted = candidates.to_vec();
    sorted.sort_by(|a, b| a.slots().cmp(&b.slots()).then(b.score().total_cmp(&a.score())));
    let mut front: Vec<Candidate<K>> = Vec::new();
    for candidate in sorted {
        if front.last().is_none_or(|last| candidate.score() > last.score()) {
            front.push(candidate);
        }
    }
    front
}

/// The candidate with the fewest slots among those whose every component is filled to at least `efficiency`, or not at
/// all because no graph has any of it.
pub fn smallest<const K: usize>(candidates: &[Candidate<K>], efficiency: f64) -> Option<Candidate<K>> {
    let full = |share: &f64| *share >= efficiency || *share == 0.0;
    let full = |candidate: &&Candidate<K>| candidate.efficiency.components.iter().all(full);
    candidates.iter().filter(full).min_by_key(|candidate| candidate.slots()).copied()
}

/// The candidate with the highest score among those with `graphs` graphs per step on average, a tenth more or less.
pub fn fullest<const K: usize>(
    candidates: &[Candidate<K>],
    histogram: &Histogram<K>,
    graphs: f64,
) -> Option<Candidate<K>> {
    let near = |candidate: &&Candidate<K>| (0.9..=1.1).contains(&(candidate.graphs_per_step(histogram) / graphs));
    candidates.iter().filter(near).max_by(|a, b| a.score().total_cmp(&b.score())).copied()
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
