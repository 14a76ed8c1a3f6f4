//! [`Column`]: one unknown of the configuration program.

use crate::histogram::add_up;
use crate::packer::problem::Counts;
use alloc::vec::Vec;

/// A pack, which costs 1, or an exchange, which costs little: the place of a size in a pack is taken by a graph of a
/// smaller size or by none.
#[derive(Clone)]
pub(super) struct Column {
    /// Positions in the list of sizes, ascending, each with its number of graphs.
    entries: Vec<(usize, i64)>,
    cost: f64,
}

impl Column {
    /// A pack. Adds up the numbers of equal positions.
    pub(super) fn pack(entries: impl Iterator<Item = (usize, u32)>) -> Self {
        let mut entries: Vec<_> = entries.map(|(position, times)| (position, i64::from(times))).collect();
        add_up(&mut entries);
        Self { entries, cost: 1.0 }
    }

    /// The graphs of a pack that `histogram` has, too.
    pub(super) fn of<const K: usize>(contents: &[(u32, u32)], histogram: &Counts<K>) -> Self {
        Self::pack(contents.iter().filter_map(|&(number, times)| {
            let position = histogram.position(number)?;
            let count = u32::try_from(histogram.entries()[position].1).unwrap_or(u32::MAX);
            Some((position, times.min(count)))
        }))
    }

    /// A place for one size is taken by another, which is smaller, or by none.
    pub(super) fn exchange(place: usize, by: Option<usize>, cost: f64) -> Self {
        let mut entries: Vec<_> = by.map(|by| (by, 1)).into_iter().chain([(place, -1)]).collect();
        entries.sort_unstable();
        Self { entries, cost }
    }

    /// The cost of the column, in packs.
    pub(super) fn cost(&self) -> f64 {
        self.cost
    }

    /// Returns the numbers of the sizes and how many graphs of each; `None` for an exchange.
    pub(super) fn contents<const K: usize>(&self, histogram: &Counts<K>) -> Option<Vec<(u32, u32)>> {
        let entry =
            |&(position, times): &(usize, i64)| Some((histogram.numbers()[position], u32::try_from(times).ok()?));
        self.entries.iter().map(entry).collect()
    }

    /// Positions and numbers of graphs.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, f64)> {
        self.entries.iter().map(|&(position, times)| (position, times as f64))
    }

    /// Returns how much more its graphs are worth than it costs; `prices` has one price per position.
    pub(super) fn gain(&self, prices: &[f64]) -> f64 {
        self.iter().fold(-self.cost, |sum, (size, times)| sum + prices[size] * times)
    }
}
