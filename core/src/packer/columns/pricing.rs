//! [`Pricing`]: finds packs that are worth more than they cost.

use super::column::Column;
use super::grid::Grid;
use super::search::Search;
use crate::packer::Effort;
use crate::packer::problem::Counts;
use crate::{FixedLimits, bound};
use alloc::vec::Vec;

/// What a price of 1, a whole pack, is as a number. Prices are whole numbers, so that their sums are exact.
pub(super) const UNIT: f64 = (1_u64 << 40) as f64;

/// Sums of whole numbers are exact below this one.
pub(super) const EXACT: f64 = (1_u64 << 53) as f64;

/// The least worth that makes a pack interesting.
const LEAST: f64 = (1_u64 << 40) as f64 + (1_u64 << 18) as f64;

/// Packs that hold at most this many graphs on average are searched.
const FEW: u64 = 6;

/// Up to this many graphs in all are searched, too: unlike the grid, the search knows how many there are of each size.
const SINGLE: u64 = 64;

/// Most sizes.
const MAX_SIZES: usize = 1 << 14;

/// Grids of which a round visits fewer cells for each size are faster than any search.
const SMALL: u64 = 20_000;

/// Most cells that a round may visit.
const MAX_VISITS: u64 = 1 << 27;

/// Tries of the search for each size.
const TRIES: u64 = 4000;

/// Whether packs hold so few graphs that the whole program is soon solved.
pub(super) fn packs_hold_few<const K: usize>(histogram: &Counts<K>, limits: &FixedLimits<K>) -> bool {
    let most = bound::most_graphs(histogram.entries(), limits);
    let sizes = histogram.entries().len();
    histogram.graphs() <= SINGLE
        || (sizes <= MAX_SIZES && mean_graphs(histogram, limits) <= FEW / 2 && u64::from(most) <= FEW)
}

/// The most graphs that packs hold on average.
fn mean_graphs<const K: usize>(histogram: &Counts<K>, limits: &FixedLimits<K>) -> u64 {
    histogram.graphs() / bound::of_counts(histogram, limits).max(1)
}

/// One of two ways to find packs.
pub(super) enum Pricing<const K: usize> {
    /// Where packs hold many graphs.
    Grid(Grid),
    /// Where packs hold few graphs, or limits are too large for a grid; with the number of tries.
    Search(Search<K>, u64),
}

impl<const K: usize> Pricing<K> {
    /// None if there are no sizes or too many, or if one round takes too large a share of the effort.
    pub(super) fn new(histogram: &Counts<K>, limits: &FixedLimits<K>, effort: &Effort) -> Option<Self> {
        let sizes = histogram.entries();
        let search = || Search::new(sizes, limits).map(|search| Self::Search(search, TRIES));
        let grid = |visits: u64| Grid::new(sizes, limits, visits).map(Self::Grid);
        if sizes.is_empty() || sizes.len() > MAX_SIZES {
            return None;
        }
        let few = if histogram.graphs() <= SINGLE {
            search()
        } else if mean_graphs(histogram, limits) < FEW {
            grid(SMALL * sizes.len() as u64).or_else(search)
        } else {
            None
        };
        // A program takes 20 rounds or more; one that ends earlier proves little.
        few.or_else(|| grid(MAX_VISITS)).or_else(search).filter(|this| this.visits() <= effort.left() / 20)
    }

    /// Cells that a round visits.
    fn visits(&self) -> u64 {
        match self {
            Self::Grid(grid) => grid.visits(),
            Self::Search(..) => 0,
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
