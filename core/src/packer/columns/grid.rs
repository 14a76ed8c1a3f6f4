//! [`Grid`]: what graphs can be worth at most in the room that a pack has left, in the rows of up to three sets.

use crate::FixedLimits;
use crate::packer::Budget;
use alloc::vec::Vec;

/// Most sets of a grid: with the same number of cells, each set more makes all others coarser.
const AXES: usize = 3;

/// Up to this number of graphs, the grid has a level for each number; where packs hold more, one level for any number.
const LEVELS: u32 = 8;

/// For every room in some sets, and for every number of graphs, the worth of the dearest graphs that have room
/// there. Room is measured in cells, down to which sizes and room are rounded; where a cell is the greatest common
/// divisor of all sizes, nothing is rounded.
pub(super) struct Grid {
    /// The set of each axis, and its cells per row in 2^-32. An axis without a set has one cell.
    axes: [(usize, u64); AXES],
    extent: [usize; AXES],
    cells: usize,
    /// The last level. Up to it a level is a number of graphs; the last one stands for any number, if `is_open`.
    last: u32,
    is_open: bool,
    /// Whether the worth of a room is that of a pack of any number of graphs of each size.
    pub(super) is_exact: bool,
    /// Level after level.
    worth: Vec<f64>,
}

impl Grid {
    /// A grid over `sets` with about `most` cells at most, for packs of `graphs` graphs at most.
    pub(super) fn new<const K: usize>(
        sizes: &[([u32; K], u64)],
        limits: &FixedLimits<K>,
        sets: &[usize],
        most: usize,
        graphs: u32,
    ) -> Self {
        let divisors: Vec<u32> = sets
            .iter()
            .map(|&k| sizes.iter().fold(0, |divisor, (size, _)| gcd(divisor, size[k])))
            // A set that no size has is one cell.
            .map(|divisor| if divisor == 0 { u32::MAX } else { divisor })
            .collect();
        let whole: Vec<f64> =
            sets.iter().zip(&divisors).map(|(&k, divisor)| f64::from(limits.size[k] / divisor) + 1.0).collect();
        let mut extent = whole.clone();
        while extent.iter().product::<f64>() > most as f64 {
            // Shorten the longest axis to the next, or until there are few enough cells; 0.9 makes it end.
            let longest = (0..extent.len()).fold(0, |best, d| if extent[d] > extent[best] { d } else { best });
            let others = (0..extent.len()).filter(|&d| d != longest).map(|d| extent[d]);
            let (next, product) = others.fold((1.0, 1.0), |(next, all), x| (f64::max(next, x), all * x));
            let wanted = f64::max(next, most as f64 / product).min(extent[longest] * 0.9);
            extent[longest] = libm::floor(wanted).max(2.0);
            if extent[longest] <= 2.0 {
                break;
            }
        }
        let is_exact = extent == whole;
        let others = graphs.saturating_sub(1);
        let is_open = others > LEVELS;
        let mut this = Self {
            axes: [(0, 0); AXES],
            extent: [1; AXES],
            cells: 1,
            last: if is_open { 1 } else { others },
            is_open,
            is_exact: is_exact && sets.len() == K,
            worth: Vec::new(),
        };
        let unused = AXES - sets.len();
        for (axis, &k) in sets.iter().enumerate() {
            let cells = extent[axis] as u64;
            let scale = if extent[axis] < whole[axis] {
                ((cells - 1) << 32) / u64::from(limits.size[k].max(1))
            } else if divisors[axis] == 1 {
                1 << 32
            } else {
                (1 << 32) / u64::from(divisors[axis]) + 1
            };
            this.axes[unused + axis] = (k, scale);
            this.extent[unused + axis] = cells as usize;
            this.cells *= cells as usize;
        }
        this
    }

    fn at<const K: usize>(&self, axis: usize, size: &[u32; K]) -> usize {
        let (k, scale) = self.axes[axis];
        // Rounded up, the scale of a divisor reaches one cell beyond the whole limit where that is no multiple of it.
        (((u64::from(size[k]) * scale) >> 32) as usize).min(self.extent[axis] - 1)
    }

    fn cell<const K: usize>(&self, size: &[u32; K]) -> usize {
        (self.at(0, size) * self.extent[1] + self.at(1, size)) * self.extent[2] + self.at(2, size)
    }

    /// The most that `graphs` can be worth in a room.
    #[inline]
    pub(super) fn most<const K: usize>(&self, room: &[u32; K], graphs: u32) -> f64 {
        self.worth[graphs.min(self.last) as usize * self.cells + self.cell(room)]
    }

    /// Fills all levels for `items`, sizes with prices, of which a pack holds `graphs` at most. None if the budget is
    /// spent.
    pub(super) fn fill<const K: usize>(
        &mut self,
        items: impl Iterator<Item = ([u32; K], f64)>,
        graphs: u32,
        budget: &mut Budget,
    ) -> Option<()> {
        let items = self.dearest(items);
        let visit = |at: &[usize; AXES]| (0..AXES).map(|axis| (self.extent[axis] - at[axis]) as u64).product::<u64>();
        let visits = items.iter().map(|(at, _)| visit(at)).sum::<u64>();
        budget.take((visits + self.cells as u64) * u64::from(self.last))?;
        let mut worth = core::mem::take(&mut self.worth);
        worth.clear();
        worth.resize(self.cells * (self.last as usize + 1), 0.0);
        for level in 1..=self.last as usize {
            let (before, this) = worth.split_at_mut(level * self.cells);
            let (before, this) = (&before[(level - 1) * self.cells..], &mut this[..self.cells]);
            this.copy_from_slice(before);
            for (at, price) in &items {
                // What takes no cell may be in a pack as often as the pack may hold graphs.
                if self.is_open && at.iter().all(|&at| at == 0) {
                    this.iter_mut().for_each(|worth| *worth += price * f64::from(graphs));
                } else if self.is_open {
                    self.add_any(this, at, *price);
                } else {
                    self.add_one(this, before, at, *price);
                }
            }
        }
        self.worth = worth;
        Some(())
    }

    /// Calls `call` with the start of every row of cells that has room at `at`, in ascending order.
    #[inline]
    fn for_each_row(&self, at: &[usize; AXES], mut call: impl FnMut(usize)) {
        for outer in at[0]..self.extent[0] {
            for middle in at[1]..self.extent[1] {
                call((outer * self.extent[1] + middle) * self.extent[2]);
            }
        }
    }

    /// The worth with at most one more graph.
    fn add_one(&self, this: &mut [f64], before: &[f64], at: &[usize; AXES], price: f64) {
        let back = (at[0] * self.extent[1] + at[1]) * self.extent[2];
        let width = self.extent[2] - at[2];
        self.for_each_row(at, |row| {
            let this = &mut this[row + at[2]..row + self.extent[2]];
            let before = &before[row - back..row - back + width];
            for (worth, before) in this.iter_mut().zip(before) {
                let with = before + price;
                *worth = if with > *worth { with } else { *worth };
            }
        });
    }

    /// The worth with any number of graphs more.
    fn add_any(&self, this: &mut [f64], at: &[usize; AXES], price: f64) {
        let offset = (at[0] * self.extent[1] + at[1]) * self.extent[2] + at[2];
        self.for_each_row(at, |row| {
            // In pieces no longer than the way back, so that no piece reads what it writes.
            let (mut start, end) = (row + at[2], row + self.extent[2]);
            while start < end {
                let stop = end.min(start + offset);
                let (before, now) = this.split_at_mut(start);
                let before = &before[start - offset..stop - offset];
                for (worth, before) in now[..stop - start].iter_mut().zip(before) {
                    let with = before + price;
                    *worth = if with > *worth { with } else { *worth };
                }
                start = stop;
            }
        });
    }

    /// The items that are dearer than all that are smaller, by cell.
    fn dearest<const K: usize>(&self, items: impl Iterator<Item = ([u32; K], f64)>) -> Vec<([usize; AXES], f64)> {
        let place = |size: &[u32; K]| core::array::from_fn(|axis| self.at(axis, size));
        let mut items: Vec<([usize; AXES], f64)> = items.map(|(size, price)| (place(&size), price)).collect();
        items.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        if self.extent[0] > 1 {
            items.dedup_by_key(|item| item.0);
            return items;
        }
        // The dearest so far up to each place of the last axis: as items come in the order of the axis before it, all
        // that are dearer and smaller have come. A tree of prefixes.
        let mut dearest = alloc::vec![0.0; self.extent[2] + 1];
        items.retain(|(at, price)| {
            let (mut prefix, mut most) = (at[2] + 1, 0.0);
            while prefix > 0 {
                most = f64::max(most, dearest[prefix]);
                prefix &= prefix - 1;
            }
            let keep = *price > most;
            let mut prefix = at[2] + 1;
            while keep && prefix < dearest.len() {
                dearest[prefix] = f64::max(dearest[prefix], *price);
                prefix += prefix & prefix.wrapping_neg();
            }
            keep
        });
        items
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::Grid;
    use crate::FixedLimits;

    /// Where the limit is no multiple of all sizes, the scale of a divisor, rounded up, would reach beyond it.
    #[test]
    fn the_whole_limit_is_in_the_last_cell() {
        for (limit, unit) in [(1_052_671, 4096), (6_100_999, 1000), (u32::MAX, 1 << 17)] {
            let grid = Grid::new(&[([unit], 1)], &FixedLimits { size: [limit], graphs: 1 }, &[0], 40_000, 1);
            assert!(grid.is_exact);
            assert_eq!(grid.cell(&[limit]), grid.cells - 1, "{limit} by {unit}");
            assert_eq!((grid.cell(&[0]), grid.cell(&[unit])), (0, 1));
        }
    }
}
