//! [`Kinds`]: the distinct sizes of a plan, and what they weigh when packs are made alike.

use crate::FixedLimits;
use crate::packer::Counts;
use alloc::vec::Vec;

/// The weight that the scarcest component of a graph has on average.
const MEAN: u128 = 1 << 12;

/// The mean of the spread. If it is much more, sums get less level; if it is much less, graphs of rare sizes meet.
const MEAN_SPREAD: u128 = MEAN / 16;

/// No number of a weight is larger. A pair is dealt such that the square of the gap grows by no more than the square of
/// the difference, so that products of gaps and differences stay below 2^60 with up to 2^31 pairs.
const MOST: u128 = 1 << 20;

/// The distinct sizes of a plan from small to large, each known by its position. The last stands for no graph: it is
/// dealt where the number of graphs is odd.
#[derive(Clone, Debug)]
pub(super) struct Kinds<const K: usize> {
    /// The most that a pack may hold.
    pub(super) limit: [u32; K],
    /// Where a graph of mean weight would be among the sizes.
    pub(super) mean: u32,
    sizes: Vec<[u32; K]>,
    weights: Vec<Weight<K>>,
}

/// The components of a size in units of their means, scarce components with more weight; and how far the size is from
/// the mean.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight<const K: usize> {
    rows: [i64; K],
    spread: i64,
}

impl<const K: usize> Kinds<K> {
    /// The sizes of the graphs of this number of packs.
    pub(super) fn new(histogram: &Counts<K>, limits: &FixedLimits<K>, packs: u64) -> Self {
        let (limit, packs) = (limits.size, u128::from(packs));
        let (totals, graphs) = (histogram.totals(), u128::from(histogram.graphs()));
        // The share of the limits that is free, in 1/1024, and 1/64.
        let free: [u128; K] = core::array::from_fn(|k| {
            let all = packs * u128::from(limit[k]);
            all.saturating_sub(totals[k]) * 1024 / all.max(1) + 16
        });
        let least = free.iter().copied().min().unwrap_or(1);
        let rows = |size: &[u32; K]| {
            core::array::from_fn(|k| {
                let scaled = u128::from(size[k]) * graphs * MEAN * least / (totals[k].max(1) * free[k]);
                scaled.min(MOST) as i64
            })
        };
        let mean: [i64; K] = core::array::from_fn(|k| if totals[k] == 0 { 0 } else { (MEAN * least / free[k]) as i64 });
        let square = |rows: &[i64; K]| -> u128 {
            rows.iter().zip(mean).map(|(rows, mean)| u128::from((rows - mean).unsigned_abs()).pow(2)).sum()
        };
        let mut kinds: Vec<(i64, [u32; K], [i64; K])> =
            histogram.entries().iter().map(|(size, _)| (rows(size).iter().sum(), *size, rows(size))).collect();
        let squares: u128 = kinds
            .iter()
            .zip(histogram.entries())
            .map(|((.., rows), (_, count))| square(rows) * u128::from(*count))
            .sum();
        let weight = |rows: [i64; K]| {
            let spread = (square(&rows) * graphs * MEAN_SPREAD / squares.max(1)).min(MOST) as i64;
            Weight { rows, spread }
        };
        kinds.sort_unstable();
        let middle = kinds.partition_point(|(sum, ..)| *sum < mean.iter().sum()) as u32;
        let none = Weight { rows: mean, spread: if squares == 0 { 0 } else { MEAN_SPREAD as i64 } };
        Self {
            limit,
            mean: middle,
            sizes: kinds.iter().map(|(_, size, _)| *size).chain([[0; K]]).collect(),
            weights: kinds.iter().map(|(.., rows)| weight(*rows)).chain([none]).collect(),
        }
    }

    /// The sizes.
    pub(super) fn sizes(&self) -> &[[u32; K]] {
        &self.sizes[..self.sizes.len() - 1]
    }

    /// The kind that stands for no graph.
    pub(super) fn none(&self) -> u32 {
        self.sizes().len() as u32
    }

    /// The size of a graph.
    pub(super) fn size(&self, kind: u32) -> [i64; K] {
        self.sizes[kind as usize].map(i64::from)
    }

    /// How much more a graph weighs than another.
    pub(super) fn difference(&self, more: u32, less: u32) -> Weight<K> {
        let [more, less] = [more, less].map(|kind| &self.weights[kind as usize]);
        let rows = core::array::from_fn(|k| more.rows[k] - less.rows[k]);
        Weight { rows, spread: more.spread - less.spread }
    }
}

impl<const K: usize> Weight<K> {
    pub(super) const ZERO: Self = Self { rows: [0; K], spread: 0 };

    /// The scalar product.
    pub(super) fn product(&self, other: &Self) -> i64 {
        self.rows.iter().zip(other.rows).map(|(a, b)| a * b).sum::<i64>() + self.spread * other.spread
    }

    /// Adds `times` times another weight.
    pub(super) fn add(&mut self, other: &Self, times: i64) {
        self.rows.iter_mut().zip(other.rows).for_each(|(a, b)| *a += times * b);
        self.spread += times * other.spread;
    }
}
