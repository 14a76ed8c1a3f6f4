//! [`Pricing`]: finds packs that are worth more than they cost.

use super::column::Column;
use super::search::Search;
use crate::packer::Effort;
use crate::packer::problem::Counts;
use crate::{FixedLimits, bound};
use alloc::vec::Vec;

/// The whole number that stands for a price of 1, a whole pack. Prices are whole numbers, so that their sums are exact.
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

/// Most cells: 2^21 take 24 MB.
const MAX_CELLS: u64 = 1 << 21;

/// A grid with one dimension per component that sizes have, in steps of the component's greatest common divisor (edges
/// of molecules come in pairs), and one for the number of graphs where that limit can bind. Rows of the last dimension are
/// contiguous.
pub(super) struct Grid {
    /// Cells per dimension.
    extent: Vec<usize>,
    stride: Vec<usize>,
    /// The cells that a graph of each size takes in each dimension.
    sizes: Vec<Vec<usize>>,
    worth: Vec<f64>,
    /// The size that was put last into the best pack of each cell; `u32::MAX` for none.
    last: Vec<u32>,
    /// Cells that one [`fill`](Self::fill) visits.
    visits: u64,
}

impl Grid {
    /// The grid for these sizes. None if there are none, or if it has too many cells or a visit of all that it needs
    /// takes more than `most_visits`.
    pub(super) fn new<const K: usize>(
        sizes: &[([u32; K], u64)],
        limits: &FixedLimits<K>,
        most_visits: u64,
    ) -> Option<Self> {
        // Edges of molecules come in pairs.
        let divisor = |k: usize| sizes.iter().fold(0, |divisor, (size, _)| gcd(divisor, size[k]));
        let divisors: Vec<_> = (0..K).map(|k| (k, divisor(k))).filter(|&(_, divisor)| divisor > 0).collect();
        // The grid takes a size that fills nothing once, unless there is a dimension for graphs.
        let graphs_bind = sizes.iter().any(|(size, _)| *size == [0; K])
            || bound::most_graphs(sizes, &FixedLimits { graphs: u32::MAX, ..*limits }) > limits.graphs;
        let components = divisors.iter().map(|&(k, divisor)| u64::from(limits.size[k] / divisor) + 1);
        let extent: Vec<u64> = components.chain(graphs_bind.then_some(u64::from(limits.graphs) + 1)).collect();
        let cells = extent.iter().try_fold(1_u64, |cells, &more| cells.checked_mul(more));
        let cells = cells.filter(|&cells| !sizes.is_empty() && cells <= MAX_CELLS)?;
        // No extent exceeds the number of cells, so that all that follows fits.
        let extent: Vec<usize> = extent.into_iter().map(|extent| extent as usize).collect();
        let of = |size: &[u32; K]| {
            let components = divisors.iter().map(|&(k, divisor)| (size[k] / divisor) as usize);
            components.chain(graphs_bind.then_some(1)).collect::<Vec<_>>()
        };
        let sizes: Vec<_> = sizes.iter().map(|(size, _)| of(size)).collect();
        let visit = |size: &Vec<usize>| {
            extent.iter().zip(size).map(|(extent, at)| extent.saturating_sub(*at) as u64).product::<u64>()
        };
        let visits = sizes.iter().map(visit).sum();
        let stride = (0..extent.len()).map(|d| extent[d + 1..].iter().product()).collect();
        (visits <= most_visits).then(|| {
            let (worth, last) = (alloc::vec![0.0; cells as usize], alloc::vec![u32::MAX; cells as usize]);
            Self { extent, stride, sizes, worth, last, visits }
        })
    }

    /// Cells that one [`fill`](Self::fill) visits.
    pub(super) fn visits(&self) -> u64 {
        self.visits
    }

    /// Finds the best pack of every cell, and returns the worth of the best that keeps the limits.
    pub(super) fn fill(&mut self, prices: &[f64]) -> f64 {
        let (mut worth, mut last) = (core::mem::take(&mut self.worth), core::mem::take(&mut self.last));
        worth.fill(0.0);
        last.fill(u32::MAX);
        for (size, &price) in prices.iter().enumerate().filter(|(_, price)| **price > 0.0) {
            self.for_each_row(size, |cells, offset| {
                for cell in cells {
                    let with = worth[cell - offset] + price;
                    if with > worth[cell] {
                        worth[cell] = with;
                        last[cell] = size as u32;
                    }
                }
            });
        }
        (self.worth, self.last) = (worth, last);
        self.worth[self.worth.len() - 1]
    }

    /// For each size the worth of the best pack that holds it and the pack, after [`fill`](Self::fill) at the same
    /// prices.
    pub(super) fn best_with_each(&self, prices: &[f64]) -> Vec<(f64, Column)> {
        let end = self.worth.len() - 1;
        let best = |size: usize| {
            let rest = end - self.offset(size);
            (self.worth[rest] + prices[size], self.trace(rest, size))
        };
        (0..self.sizes.len()).map(best).collect()
    }

    /// The best pack of a cell, and one more graph of size `first`.
    fn trace(&self, mut cell: usize, first: usize) -> Column {
        let mut graphs = alloc::vec![(first, 1)];
        while self.last[cell] != u32::MAX {
            let size = self.last[cell] as usize;
            graphs.push((size, 1));
            cell -= self.offset(size);
        }
        Column::pack(graphs.into_iter())
    }

    /// The distance from a cell to the cell without a graph of this size.
    fn offset(&self, size: usize) -> usize {
        self.sizes[size].iter().zip(&self.stride).map(|(extent, stride)| extent * stride).sum()
    }

    /// Calls `call` for every row of cells that have room for a size, in ascending order, with the
    /// [`offset`](Self::offset) of the size.
    fn for_each_row(&self, size: usize, mut call: impl FnMut(core::ops::Range<usize>, usize)) {
        let start = &self.sizes[size];
        let inner = start.len() - 1;
        let offset = self.offset(size);
        let mut at = start.clone();
        if start.iter().zip(&self.extent).any(|(at, extent)| at >= extent) {
            return;
        }
        loop {
            let row: usize = at[..inner].iter().zip(&self.stride).map(|(at, stride)| at * stride).sum();
            call(row + start[inner]..row + self.extent[inner], offset);
            // The next row; the last of the outer dimensions advances fastest.
            let Some(d) = (0..inner).rev().find(|&d| at[d] + 1 < self.extent[d]) else { return };
            at[d] += 1;
            at[d + 1..inner].copy_from_slice(&start[d + 1..inner]);
        }
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
