//! [`Pool`]: the graphs of two packs that meet; [`Kinds`]: the distinct sizes, and what they weigh when packs are made
//! alike.

use super::composition::Composition;
use crate::packer::Counts;
use crate::{FixedLimits, Size};
use alloc::vec::Vec;

/// Number of pairs that may change sides after dealing. With them, half to all of the deals of tight packs succeed.
const PAIRS: usize = 16;

/// The graphs of two packs, from small to large, and which of the packs each is in. Reused for its memory.
#[derive(Default)]
pub(super) struct Pool<const K: usize> {
    graphs: Vec<u32>,
    /// Whether a graph is in the first pack.
    first: Vec<bool>,
    /// The same after dealing.
    dealt: Vec<bool>,
    /// Pairs of graphs that may change sides, and how much more the first pack then has.
    changes: Vec<(usize, [i64; K])>,
}

/// Bounds of the first of two packs: the least and the most rows of each component, and what both packs must fit.
struct Bounds<'a, const K: usize> {
    total: [i64; K],
    least: [i64; K],
    most: [i64; K],
    fits: Option<&'a dyn Fn(&Size) -> bool>,
}

impl<const K: usize> Bounds<'_, K> {
    fn hold(&self, sum: &[i64; K]) -> bool {
        // Within the limits, so that no number is cut off.
        let size = |sum: [i64; K]| Size::new(sum.map(|rows| rows as u32));
        let both = |fits: &dyn Fn(&Size) -> bool| fits(&size(*sum)) && fits(&size(minus(self.total, *sum)));
        (0..K).all(|k| self.least[k] <= sum[k] && sum[k] <= self.most[k]) && self.fits.is_none_or(both)
    }
}

impl<const K: usize> Pool<K> {
    /// Deals the graphs of two packs to them again, so that both keep the limits and fit if they do now.
    pub(super) fn deal(&mut self, kinds: &Kinds<K>, fits: Option<&dyn Fn(&Size) -> bool>, a: &[u32], b: &[u32]) {
        self.merge(a, b);
        let total = self.graphs.iter().fold([0; K], |sum, &graph| plus(sum, kinds.size(graph)));
        let most = kinds.limit.map(i64::from);
        let bounds = Bounds { total, least: minus(total, most), most, fits };
        let odd = !self.graphs.len().is_multiple_of(2);
        let middle = self.graphs.partition_point(|&graph| graph < kinds.mean);
        if odd {
            self.graphs.insert(middle, kinds.none());
        }
        let dealt = self.level(kinds, &bounds);
        if odd {
            self.graphs.remove(middle);
            self.dealt.remove(middle);
        }
        if dealt {
            core::mem::swap(&mut self.first, &mut self.dealt);
        } else {
            self.exchange(kinds, &bounds);
        }
    }

    /// Adds the first pack to `firsts` and the second to `seconds`. Every graph is written to both, because a branch
    /// would be mispredicted at every second graph.
    pub(super) fn divide(&self, firsts: &mut Composition, seconds: &mut Composition) {
        let (mut a, mut b) = (firsts.graphs.len(), seconds.graphs.len());
        firsts.graphs.resize(a + self.graphs.len(), 0);
        seconds.graphs.resize(b + self.graphs.len(), 0);
        for (&graph, &first) in self.graphs.iter().zip(&self.first) {
            firsts.graphs[a] = graph;
            seconds.graphs[b] = graph;
            a += usize::from(first);
            b += usize::from(!first);
        }
        firsts.end_at(a);
        seconds.end_at(b);
    }

    fn merge(&mut self, a: &[u32], b: &[u32]) {
        self.graphs.clear();
        self.first.clear();
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            let first = a[i] <= b[j];
            self.graphs.push(if first { a[i] } else { b[j] });
            self.first.push(first);
            i += usize::from(first);
            j += usize::from(!first);
        }
        self.graphs.extend(a[i..].iter().chain(&b[j..]));
        self.first.resize(self.first.len() + a.len() - i, true);
        self.first.resize(self.graphs.len(), false);
    }

    /// Gives each pack one graph of every pair of neighbours, so that both stay level. False if they cannot keep the
    /// limits.
    fn level(&mut self, kinds: &Kinds<K>, bounds: &Bounds<'_, K>) -> bool {
        let pairs = self.graphs.len() / 2;
        // From the outside, where neighbours differ most, to the middle, where small differences level what is left.
        let outer = |step: usize| if step.is_multiple_of(2) { pairs - 1 - step / 2 } else { step / 2 };
        self.dealt.clear();
        self.dealt.resize(self.graphs.len(), false);
        let (mut sum, mut gap) = ([0; K], Weight::ZERO);
        for pair in (0..pairs).map(outer) {
            let [low, high] = self.pair(pair);
            let mut given = 2 * pair;
            if low != high {
                let difference = kinds.difference(high, low);
                let lags = gap.product(&difference) <= 0;
                given += usize::from(lags);
                gap.add(&difference, if lags { 1 } else { -1 });
            }
            self.dealt[given] = true;
            sum = plus(sum, kinds.size(self.graphs[given]));
        }
        if bounds.hold(&sum) {
            return true;
        }
        self.changes.clear();
        for pair in (0..pairs).rev().map(outer) {
            let [low, high] = self.pair(pair);
            if low != high && self.changes.len() < PAIRS {
                let (taken, given) = if self.dealt[2 * pair] { (low, high) } else { (high, low) };
                self.changes.push((pair, minus(kinds.size(given), kinds.size(taken))));
            }
        }
        for (i, (pair, change)) in self.changes.iter().enumerate() {
            let sum = plus(sum, *change);
            if bounds.hold(&sum) {
                self.dealt.swap(2 * pair, 2 * pair + 1);
                return true;
            }
            for (other, change) in &self.changes[..i] {
                if bounds.hold(&plus(sum, *change)) {
                    self.dealt.swap(2 * pair, 2 * pair + 1);
                    self.dealt.swap(2 * other, 2 * other + 1);
                    return true;
                }
            }
        }
        false
    }

    fn pair(&self, pair: usize) -> [u32; 2] {
        [self.graphs[2 * pair], self.graphs[2 * pair + 1]]
    }

    /// Exchanges neighbours that are in different packs where the limits allow it.
    fn exchange(&mut self, kinds: &Kinds<K>, bounds: &Bounds<'_, K>) {
        let firsts = self.graphs.iter().zip(&self.first).filter(|(_, first)| **first);
        let mut sum = firsts.fold([0; K], |sum, (&graph, _)| plus(sum, kinds.size(graph)));
        let mut next = 1;
        while next < self.graphs.len() {
            let [low, high] = [self.graphs[next - 1], self.graphs[next]];
            if low != high && self.first[next - 1] != self.first[next] {
                let (taken, given) = if self.first[next] { (high, low) } else { (low, high) };
                let changed = plus(sum, minus(kinds.size(given), kinds.size(taken)));
                if bounds.hold(&changed) {
                    sum = changed;
                    self.first.swap(next - 1, next);
                    next += 1;
                }
            }
            next += 1;
        }
    }
}

fn plus<const K: usize>(a: [i64; K], b: [i64; K]) -> [i64; K] {
    core::array::from_fn(|k| a[k] + b[k])
}

fn minus<const K: usize>(a: [i64; K], b: [i64; K]) -> [i64; K] {
    core::array::from_fn(|k| a[k] - b[k])
}

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
