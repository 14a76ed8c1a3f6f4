//! [`Candidate`]: limits, and how good packs under them are.

use crate::packer::demand;
use crate::{Efficiency, Effort, Heuristic, Histogram, Limits, PackError, Packer, Plan, bound};
use alloc::vec::Vec;

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
