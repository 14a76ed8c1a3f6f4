//! [`Column`]: one pack of the configuration program.

use crate::{Histogram, Size};
use alloc::vec::Vec;

/// A pack of the program: positions in the list of sizes, ascending, each with its number of graphs.
#[derive(Clone)]
pub(super) struct Column(Vec<(usize, u32)>);

impl Column {
    /// Adds up the numbers of equal positions.
    pub(super) fn new(mut entries: Vec<(usize, u32)>) -> Self {
        entries.sort_unstable();
        entries.dedup_by(|next, first| {
            let same = next.0 == first.0;
            if same {
                first.1 += next.1;
            }
            same
        });
        Self(entries)
    }

    /// The graphs of a pack that `histogram` has, too.
    pub(super) fn of<const K: usize>(contents: &[(Size<K>, u32)], histogram: &Histogram<K>) -> Self {
        let entry = |&(size, times): &(Size<K>, u32)| {
            let position = histogram.entries().binary_search_by_key(&size, |(size, _)| *size).ok()?;
            let count = u32::try_from(histogram.entries()[position].1).unwrap_or(u32::MAX);
            Some((position, times.min(count)))
        };
        Self::new(contents.iter().filter_map(entry).collect())
    }

    /// Sizes and numbers of graphs.
    pub(super) fn contents<const K: usize>(&self, histogram: &Histogram<K>) -> Vec<(Size<K>, u32)> {
        self.iter().map(|(position, times)| (histogram.entries()[position].0, times)).collect()
    }

    /// Positions and numbers of graphs.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, u32)> {
        self.0.iter().copied()
    }

    /// The sum of `prices`, one per position, over the graphs of the pack.
    pub(super) fn worth(&self, prices: &[f64]) -> f64 {
        self.iter().fold(0.0, |sum, (size, times)| sum + prices[size] * f64::from(times))
    }
}
