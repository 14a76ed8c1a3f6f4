//! [`Column`]: one pack of the configuration program.

use alloc::vec::Vec;

/// A pack of the program: positions in the list of sizes, ascending, each with its number of graphs.
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

    /// Positions and numbers of graphs.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, u32)> {
        self.0.iter().copied()
    }

    /// The sum of `prices`, one per position, over the graphs of the pack.
    pub(super) fn worth(&self, prices: &[f64]) -> f64 {
        self.iter().fold(0.0, |sum, (size, times)| sum + prices[size] * f64::from(times))
    }
}
