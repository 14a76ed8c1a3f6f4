//! [`Line`]: the sizes of a histogram in the order of a [`Key`], and the cheapest division into intervals.

use crate::{Cost, Histogram, HistogramError, Limits, MAX_SETS, Size};
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

/// The most pieces that intervals are made of; of more sizes, several are one piece. Division takes a time that grows
/// with the square of their number.
const PIECES: usize = 512;

/// The sizes of a histogram in the order of a key, in pieces that intervals are made of.
pub(super) struct Line {
    sizes: Vec<(Size, u64)>,
    /// Number of sizes per piece.
    step: usize,
    /// Sums over the first pieces: over none, over one piece, and so on.
    sums: Vec<Sums>,
    /// The most rows of each set in each piece.
    largest: Vec<Size>,
}

/// Sums over graphs: their number, and of each set the rows and their squares.
#[derive(Clone, Copy)]
struct Sums {
    graphs: f64,
    rows: [f64; MAX_SETS],
    squares: [f64; MAX_SETS],
}

/// The sums over an interval.
pub(super) struct Interval {
    /// Number of graphs.
    pub(super) graphs: f64,
    /// Rows of each set.
    pub(super) rows: [f64; MAX_SETS],
    /// Mean of each set over graphs.
    pub(super) mean: [f64; MAX_SETS],
    /// Variance of each set over graphs.
    pub(super) variance: [f64; MAX_SETS],
    /// The largest of each set.
    pub(super) largest: Size,
    /// Whether it is the last interval.
    pub(super) last: bool,
}

/// A division into intervals.
pub(super) struct Division {
    /// The cost of all intervals together.
    pub(super) cost: f64,
    /// The first piece of each interval but the first.
    pub(super) cuts: Vec<usize>,
}

impl Line {
    /// Sorts the sizes of a histogram.
    pub(super) fn new(histogram: &Histogram, key: Key, cost: &Cost) -> Self {
        let mut sizes = histogram.entries().to_vec();
        sizes.sort_unstable_by(|(a, _), (b, _)| key.compare(cost, a, b));
        let step = sizes.len().div_ceil(PIECES).max(1);
        let mut sum = Sums { graphs: 0.0, rows: [0.0; MAX_SETS], squares: [0.0; MAX_SETS] };
        let (mut sums, mut largest) = (vec![sum], Vec::new());
        for piece in sizes.chunks(step) {
            let mut most = Size::new([]);
            for (size, count) in piece {
                let count = *count as f64;
                sum.graphs += count;
                for k in 0..size.sets() {
                    let rows = f64::from(size[k]);
                    sum.rows[k] += count * rows;
                    sum.squares[k] += count * rows * rows;
                }
                most = most.max_each(size);
            }
            sums.push(sum);
            largest.push(most);
        }
        Self { sizes, step, sums, largest }
    }

    /// Returns the cheapest division into m intervals for each m from 1 to `most`, at most the number of pieces.
    pub(super) fn divide(&self, most: usize, cost: impl Fn(&Interval) -> f64) -> Vec<Division> {
        let pieces = self.largest.len();
        let most = most.min(pieces);
        // For m intervals, none of them the last, that end after piece j: their cost, and where the m-th begins.
        let mut best = vec![vec![(f64::INFINITY, 0); pieces + 1]; most];
        let mut whole = vec![(f64::INFINITY, 0); most];
        best[..most.min(1)].iter_mut().for_each(|none| none[0].0 = 0.0);
        for end in 1..=pieces {
            let mut largest = Size::new([]);
            for start in (0..end).rev() {
                largest = largest.max_each(&self.largest[start]);
                let inner = cost(&self.interval(start..end, largest, false));
                for m in 1..most {
                    let total = best[m - 1][start].0 + inner;
                    if total < best[m][end].0 {
                        best[m][end] = (total, start);
                    }
                }
                if end == pieces {
                    let last = cost(&self.interval(start..end, largest, true));
                    for (whole, before) in whole.iter_mut().zip(&best) {
                        let total = before[start].0 + last;
                        if total < whole.0 {
                            *whole = (total, start);
                        }
                    }
                }
            }
        }
        let division = |(m, &(cost, mut start)): (usize, &(f64, usize))| {
            let mut cuts = Vec::new();
            for m in (1..=m).rev() {
                cuts.push(start * self.step);
                start = best[m][start].1;
            }
            cuts.reverse();
            Division { cost, cuts }
        };
        whole.iter().enumerate().map(division).collect()
    }

    fn interval(&self, pieces: Range<usize>, largest: Size, last: bool) -> Interval {
        let (before, end) = (&self.sums[pieces.start], &self.sums[pieces.end]);
        let graphs = end.graphs - before.graphs;
        let (mut rows, mut mean, mut variance) = ([0.0; MAX_SETS], [0.0; MAX_SETS], [0.0; MAX_SETS]);
        for k in 0..largest.sets() {
            rows[k] = end.rows[k] - before.rows[k];
            mean[k] = rows[k] / graphs;
            let found = (end.squares[k] - before.squares[k]) / graphs - mean[k] * mean[k];
            // Rounding may give a negative number.
            variance[k] = if found > 0.0 { found } else { 0.0 };
        }
        Interval { graphs, rows, mean, variance, largest, last }
    }

    /// Returns the histogram of each interval of a division.
    pub(super) fn histograms(&self, division: &Division) -> Result<Vec<Histogram>, HistogramError> {
        let starts = [0].into_iter().chain(division.cuts.iter().copied());
        let ends = division.cuts.iter().copied().chain([self.sizes.len()]);
        starts.zip(ends).map(|(start, end)| Histogram::from_counts(self.sizes[start..end].iter().copied())).collect()
    }
}

/// The value that sizes are sorted by.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key {
    /// The rows of a set.
    Set(usize),
    /// The cost of the rows of a graph.
    Cost,
    /// The rows of the first set per row of the second.
    Ratio(usize, usize),
}

impl Key {
    /// Returns the keys that are tried for sizes of `sets` sets. Ratios are those to the first set.
    pub(super) fn all(sets: usize) -> impl Iterator<Item = Self> {
        let ratios = (1..sets).flat_map(|k| [Self::Ratio(0, k), Self::Ratio(k, 0)]);
        (0..sets).map(Self::Set).chain((sets > 1).then_some(Self::Cost)).chain(ratios)
    }

    /// Compares two sizes by this key, and by all sets where it is equal.
    pub(super) fn compare(self, cost: &Cost, a: &Size, b: &Size) -> Ordering {
        let by_key = match self {
            Self::Set(k) => a[k].cmp(&b[k]),
            Self::Cost => cost.of(&Limits::new(*a)).cmp(&cost.of(&Limits::new(*b))),
            // With one more of each, a ratio to nothing is a number, too.
            Self::Ratio(k, l) => {
                let product = |x: &Size, y: &Size| (u128::from(x[k]) + 1) * (u128::from(y[l]) + 1);
                product(a, b).cmp(&product(b, a))
            }
        };
        by_key.then_with(|| a.cmp(b))
    }
}
