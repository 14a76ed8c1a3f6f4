//! [`Bucket`]: a class of sizes, and the limits that suit it.

use super::Buckets;
use crate::search::Candidate;
use crate::{Histogram, Limits, PackError, Size, bound};
use alloc::vec::Vec;

/// A class of sizes, and the limits of its packs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bucket {
    /// The limits.
    pub limits: Limits,
    /// The sizes, with their counts.
    pub histogram: Histogram,
    /// Number of packs: steps per epoch with one pack each. Another packer than the search's may need fewer.
    pub packs: u64,
}

/// Limits that are tried hold this number of times the most graphs of a pack, if these are of mean size. Above 1 there
/// is room for packs of larger graphs; below, packs have fewer graphs.
const ROOM: [f64; 7] = [0.9, 1.0, 1.1, 1.2, 1.35, 1.6, 2.0];

impl Bucket {
    /// A class that is not packed yet.
    pub(super) fn new(histogram: Histogram, limits: Limits) -> Self {
        Self { limits, histogram, packs: u64::MAX }
    }

    /// Tries limits for packs of mean size, and of more or less room, none of which exceeds `most`.
    pub(super) fn fit(&mut self, options: &Buckets, most: Option<&Limits>) -> Result<(), PackError> {
        let (totals, count) = (self.histogram.totals(), self.histogram.graphs().max(1) as f64);
        let limits = ROOM.map(|room| {
            let graphs = f64::from(options.graphs) * room;
            // A cast from float to integer saturates.
            let rows = Size::of(self.histogram.sets(), |set| (totals[set] as f64 / count * graphs) as u32);
            self.at_least(options, rows, most)
        });
        self.consider(options, limits.to_vec())
    }

    /// Tries limits with one component at a time up to a tenth lower or higher.
    pub(super) fn refine(&mut self, options: &Buckets, most: Option<&Limits>) -> Result<(), PackError> {
        for set in 0..self.histogram.sets() {
            let lean = |lean: i64| {
                let size = self.limits.size;
                let leaning = i64::from(size[set]) + i64::from(size[set]) * lean / 50;
                let leaning = u32::try_from(leaning).unwrap_or(u32::MAX);
                let size = Size::of(size.sets(), |other| if other == set { leaning } else { size[other] });
                self.at_least(options, size, most)
            };
            let limits = (-5..=5).map(lean).collect();
            self.consider(options, limits)?;
        }
        Ok(())
    }

    /// Packs under those of `limits` that would be cheaper with as few packs as the simple bound; keeps the cheapest.
    pub(super) fn consider(&mut self, options: &Buckets, mut limits: Vec<Limits>) -> Result<(), PackError> {
        let (totals, graphs) = (self.histogram.totals(), self.histogram.graphs());
        let at_least = |limits: &Limits| options.cost.of_epoch(bound::simple(&totals, graphs, limits), limits);
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
    fn at_least(&self, options: &Buckets, size: Size, most: Option<&Limits>) -> Limits {
        let largest = self.histogram.largest();
        let size = Size::of(size.sets(), |set| {
            let rows = options.rounded(size[set].max(largest[set]));
            most.map_or(rows, |most| rows.min(most.size[set]))
        });
        Limits::new(size).graphs(options.graphs)
    }

    /// What all packs cost.
    pub(super) fn cost(&self, options: &Buckets) -> u128 {
        options.cost.of_epoch(self.packs, &self.limits)
    }
}
