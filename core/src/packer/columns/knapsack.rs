//! [`Knapsack`]: the pack that is worth most at given prices, by dynamic programming over the limits.

use super::column::Column;
use crate::{Limits, Size};
use alloc::vec::Vec;

/// Most cells of a grid: 2^24 take 200 MB with the choices.
const MAX_CELLS: u64 = 1 << 24;

/// A grid with one dimension per component that sizes have, in steps of the component's greatest common divisor (edges
/// of molecules come in pairs), and one for the number of graphs where that limit can bind. Rows of the last dimension are
/// contiguous.
pub(super) struct Knapsack {
    /// Cells per dimension.
    extent: Vec<usize>,
    stride: Vec<usize>,
    /// What a graph of each size takes up in each dimension.
    sizes: Vec<Vec<usize>>,
    worth: Vec<f64>,
    /// The size that was put last into the best pack of each cell; `u32::MAX` for none.
    last: Vec<u32>,
}

impl Knapsack {
    /// Number of cells of the grid. None if there are too many, or no sizes.
    pub(super) fn cells<const K: usize>(sizes: &[(Size<K>, u64)], limits: &Limits<K>) -> Option<u64> {
        let Dimensions { extent, .. } = Dimensions::new(sizes, limits)?;
        extent.iter().try_fold(1_u64, |cells, &more| cells.checked_mul(more)).filter(|&cells| cells <= MAX_CELLS)
    }

    /// The grid for these sizes. None if it is too large, or there are no sizes.
    pub(super) fn new<const K: usize>(sizes: &[(Size<K>, u64)], limits: &Limits<K>) -> Option<Self> {
        let cells = usize::try_from(Self::cells(sizes, limits)?).ok()?;
        let Dimensions { divisors, extent } = Dimensions::new(sizes, limits)?;
        // No extent exceeds the number of cells.
        let extent: Vec<usize> = extent.into_iter().map(|extent| extent as usize).collect();
        let stride = (0..extent.len()).map(|d| extent[d + 1..].iter().product()).collect();
        let graphs_bind = extent.len() > divisors.len();
        let sizes = sizes
            .iter()
            .map(|(size, _)| {
                let components = divisors.iter().map(|&(k, divisor)| (size.0[k] / divisor) as usize);
                components.chain(graphs_bind.then_some(1)).collect()
            })
            .collect();
        Some(Self { extent, stride, sizes, worth: alloc::vec![0.0; cells], last: alloc::vec![u32::MAX; cells] })
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

    /// The worth of the best pack at integer prices; `u64::MAX` stands for anything larger.
    pub(super) fn worth_of_dearest(&mut self, prices: &[u64]) -> u64 {
        let mut worth = alloc::vec![0_u64; self.worth.len()];
        for (size, &price) in prices.iter().enumerate().filter(|(_, price)| **price > 0) {
            self.for_each_row(size, |cells, offset| {
                for cell in cells {
                    worth[cell] = worth[cell].max(worth[cell - offset].saturating_add(price));
                }
            });
        }
        worth[worth.len() - 1]
    }

    /// For each size the best pack that holds it, after [`fill`](Self::fill) at the same prices; the most valuable
    /// first.
    pub(super) fn best_with_each(&self, prices: &[f64]) -> Vec<Column> {
        let end = self.worth.len() - 1;
        let mut found: Vec<(f64, usize)> =
            (0..self.sizes.len()).map(|size| (self.worth[end - self.offset(size)] + prices[size], size)).collect();
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.iter().map(|&(_, size)| self.trace(end - self.offset(size), size)).collect()
    }

    /// The best pack of a cell, and one more graph of size `first`.
    fn trace(&self, mut cell: usize, first: usize) -> Column {
        let mut graphs = alloc::vec![(first, 1)];
        while self.last[cell] != u32::MAX {
            let size = self.last[cell] as usize;
            graphs.push((size, 1));
            cell -= self.offset(size);
        }
        Column::new(graphs)
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

/// The dimensions of a grid.
struct Dimensions {
    /// The components that sizes have, each with its divisor; the number of graphs follows where that limit can bind.
    divisors: Vec<(usize, u32)>,
    /// Cells per dimension.
    extent: Vec<u64>,
}

impl Dimensions {
    /// None if there are no sizes.
    fn new<const K: usize>(sizes: &[(Size<K>, u64)], limits: &Limits<K>) -> Option<Self> {
        let divisor = |k: usize| sizes.iter().fold(0, |divisor, (size, _)| gcd(divisor, size.0[k]));
        let divisors: Vec<_> = (0..K).map(|k| (k, divisor(k))).filter(|&(_, divisor)| divisor > 0).collect();
        let smallest = sizes.iter().map(|(size, _)| *size).reduce(|a, b| a.min_each(&b))?;
        let graphs_bind =
            sizes.iter().any(|(size, _)| size.0 == [0; K]) || smallest.times_in(&limits.size) > limits.graphs;
        let components = divisors.iter().map(|&(k, divisor)| u64::from(limits.size.0[k] / divisor) + 1);
        let extent = components.chain(graphs_bind.then(|| u64::from(limits.graphs) + 1)).collect();
        Some(Self { divisors, extent })
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
