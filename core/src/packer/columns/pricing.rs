//! [`Pricing`]: finds packs that are worth more than they cost.

use super::column::Column;
use super::grid::Grid;
use super::search::Search;
use crate::{Effort, Limits, Size, bound};
use alloc::vec::Vec;

/// What a price of 1, a whole pack, is as a number. Prices are whole numbers, so that their sums are exact.
pub(super) const UNIT: f64 = (1_u64 << 40) as f64;

/// Sums of whole numbers are exact below this one.
pub(super) const EXACT: f64 = (1_u64 << 53) as f64;

/// The least worth that makes a pack interesting.
const LEAST: f64 = (1_u64 << 40) as f64 + (1_u64 << 18) as f64;

/// Packs of at most this many graphs are searched, larger ones are found by a grid.
const FEW: u32 = 8;

/// Tries of the search for each size.
const TRIES: u64 = 4000;

/// One of two ways to find packs.
pub(super) enum Pricing<const K: usize> {
    /// Where packs hold many graphs.
    Grid(Grid),
    /// Where packs hold few graphs, or limits are too large for a grid; with the number of tries.
    Search(Search<K>, u64),
}

impl<const K: usize> Pricing<K> {
    /// None if there are no sizes, or if one round takes too large a share of the effort.
    pub(super) fn new(sizes: &[(Size<K>, u64)], limits: &Limits<K>, effort: &Effort) -> Option<Self> {
        let few = bound::most_graphs(sizes, limits) <= FEW;
        let search = || Search::new(sizes, limits).map(|search| Self::Search(search, TRIES));
        let grid = || Grid::new(sizes, limits, effort.left() / 20).map(Self::Grid);
        if sizes.is_empty() {
            None
        } else if few {
            search()
        } else {
            grid().or_else(search)
        }
    }

    /// At whole prices, a number that no pack's worth exceeds, and packs that are worth much, the dearest first. None
    /// if the effort is spent.
    pub(super) fn find(&mut self, prices: &[f64], effort: &mut Effort) -> Option<(f64, Vec<Column>)> {
        let (most, mut found) = match self {
            Self::Grid(grid) => {
                if !effort.spend(grid.visits()) {
                    return None;
                }
                (grid.fill(prices), grid.best_with_each(prices))
            }
            Self::Search(search, tries) => search.best_with_each(prices, LEAST, *tries, effort)?,
        };
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        Some((most, found.into_iter().map(|(_, column)| column).collect()))
    }

    /// Searches longer from now on. False if that changes nothing.
    pub(super) fn persist(&mut self) -> bool {
        match self {
            Self::Search(_, tries) if *tries < TRIES << 12 => {
                *tries *= 8;
                true
            }
            _ => false,
        }
    }
}
