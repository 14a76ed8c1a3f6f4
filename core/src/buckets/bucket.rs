//! [`Bucket`]: a class of sizes, and the limits that suit it.

use super::Buckets;
use crate::search::Candidate;
use crate::{Histogram, Limits, PackError, bound};
use alloc::vec::Vec;

/// A class of sizes, and the limits of its packs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bucket<const K: usize> {
    /// The limits.
    pub limits: Limits<K>,
    /// The sizes, with their counts.
    pub histogram: Histogram<K>,
    /// Number of packs: steps per epoch with one pack each. Another packer than the search's may need fewer.
    pub packs: u64,
}

/// Limits that are tried hold this number of times the most graphs of a pack, if these are of mean size. Above 1 there
/// is room for packs of larger graphs; below, packs have fewer graphs.
const ROOM: [f64; 7] = [0.9, 1.0, 1.1, 1.2, 1.35, 1.6, 2.0];

impl<const K: usize> Bucket<K> {
    /// A class that is not packed yet.
    pub(super) fn new(histogram: Histogram<K>, limits: Limits<K>) -> Self {
        Self { limits, histogram, packs: u64::MAX }
    }

    /// Tries limits for packs of mean size, and of more or less room, none of which exceeds `most`.
    pub(super) fn fit(&mut self, options: &Buckets<K>, most: Option<&Limits<K>>) -> Result<(), PackError<K>> {
        let (totals, count) = (self.histogram.totals(), self.histogram.graphs().max(1) as f64);
        let limits = ROOM.map(|room| {
            let graphs = f64::from(options.graphs) * room;
            // A cast from float to integer saturates.
            self.at_least(options, core::array::from_fn(|k| (totals[k] as f64 / count * graphs) as u32), most)
        });
        self.consider(options, limits.to_vec())
    }

    /// Tries limits with one component at a time up to a tenth lower or higher.
    pub(super) fn refine(&mut self, options: &Buckets<K>, most: Option<&Limits<K>>) -> Result<(), PackError<K>> {
        for k in 0..K {
            let lean = |lean: i64| {
                let mut size = self.limits.size.0;
                let leaning = i64::from(size[k]) + i64::from(size[k]) * lean / 50;
                size[k] = u32::try_from(leaning).unwrap_or(u32::MAX);
                self.at_least(options, size, most)
            };
            let limits = (-5..=5).map(lean).collect();
            self.consider(options, limits)?;
        }
        Ok(())
    }

    /// Packs under those of `limits` that would be cheaper with as few packs as the simple bound; keeps the cheapest.
    pub(super) fn consider(&mut self, options: &Buckets<K>, mut limits: Vec<Limits<K>>) -> Result<(), PackError<K>> {
        let (totals, graphs) = (self.histogram.totals(), self.histogram.graphs());
        let at_least = |limits: &Limits<K>| options.cost.of_epoch(bound::simple(totals, graphs, limits), limits);
        limits.sort_by_key(at_least);
        limits.dedup();
        for limits in limits {
            if self.packs < u64::MAX && at_least(&limits) >= self.cost(options) {
                break;
            }
            let packs = Candidate::evaluate(&self.histogram, limits)?.packs;
            if self.packs == u64::MAX || options.cost.of_epoch(packs, &limits) < self.cost(options) {
                (self.limits, self.packs) = (limits, packs);
            }
        }
        Ok(())
    }

    /// The limits of these rows, or of the largest graph where that has more, rounded up, but at most `most`, which has
    /// room for the largest graph.
    fn at_least(&self, options: &Buckets<K>, size: [u32; K], most: Option<&Limits<K>>) -> Limits<K> {
        let largest = self.histogram.largest();
        let size = core::array::from_fn(|k| {
            let rows = options.rounded(size[k].max(largest.0[k]));
            most.map_or(rows, |most| rows.min(most.size.0[k]))
        });
        Limits::new(size).graphs(options.graphs)
    }

    /// What all packs cost.
    pub(super) fn cost(&self, options: &Buckets<K>) -> u128 {
        options.cost.of_epoch(self.packs, &self.limits)
    }
}
