//! [`Grid`]: the packs that are worth most at given prices, by dynamic programming over the limits.

use super::column::Column;
use crate::{FixedLimits, bound};
use alloc::vec::Vec;

/// Most cells: 2^21 take 24 MB.
const MAX_CELLS: u64 = 1 << 21;

/// A grid with one dimension per component that sizes have, in steps of the component's greatest common divisor (edges
/// of molecules come in pairs), and one for the number of graphs where that limit can bind. Rows of the last dimension are
/// contiguous.
pub(super) struct Grid {
    /// Cells per dimension.
    extent: Vec<usize>,
    stride: Vec<usize>,
    /// What a graph of each size takes up in each dimension.
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
