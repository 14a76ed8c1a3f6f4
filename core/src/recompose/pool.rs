//! [`Pool`]: the graphs of two packs that meet.

use super::kinds::{Kinds, Weight};
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

/// What the first of two packs may have: the least and the most of each component, and what weighted sums of both may be.
struct Bounds<'a, const K: usize> {
    total: [i64; K],
    least: [i64; K],
    most: [i64; K],
    sums: &'a [([i64; K], i128)],
}

impl<const K: usize> Bounds<'_, K> {
    fn hold(&self, sum: &[i64; K]) -> bool {
        let both = |(weights, most): &([i64; K], i128)| {
            [*sum, minus(self.total, *sum)].iter().all(|pack| weighted(weights, pack) <= *most)
        };
        (0..K).all(|k| self.least[k] <= sum[k] && sum[k] <= self.most[k]) && self.sums.iter().all(both)
    }
}

impl<const K: usize> Pool<K> {
    /// Deals the graphs of two packs to them again, so that both keep the limits and the weighted `sums` that they keep now.
    pub(super) fn deal(&mut self, kinds: &Kinds<K>, sums: &[([i64; K], i128)], a: &[u32], b: &[u32]) {
        self.merge(a, b);
        let total = self.graphs.iter().fold([0; K], |sum, &graph| plus(sum, kinds.size(graph)));
        let most = kinds.limit.map(i64::from);
        let bounds = Bounds { total, least: minus(total, most), most, sums };
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

    /// The graphs of the first pack, or of the second.
    pub(super) fn pack(&self, first: bool) -> impl Iterator<Item = u32> {
        self.graphs.iter().zip(&self.first).filter(move |&(_, of)| *of == first).map(|(&graph, _)| graph)
    }

    fn merge(&mut self, mut a: &[u32], mut b: &[u32]) {
        self.graphs.clear();
        self.first.clear();
        while let (Some(&x), Some(&y)) = (a.first(), b.first()) {
            let first = x <= y;
            self.graphs.push(if first { x } else { y });
            self.first.push(first);
            (a, b) = if first { (&a[1..], b) } else { (a, &b[1..]) };
        }
        self.graphs.extend(a.iter().chain(b));
        self.first.resize(self.first.len() + a.len(), true);
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
        let mut sum = self.pack(true).fold([0; K], |sum, graph| plus(sum, kinds.size(graph)));
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

/// The sum of all components, each times its weight.
pub(super) fn weighted<const K: usize>(weights: &[i64; K], rows: &[i64; K]) -> i128 {
    weights.iter().zip(rows).map(|(&weight, &rows)| i128::from(weight) * i128::from(rows)).sum()
}

fn plus<const K: usize>(a: [i64; K], b: [i64; K]) -> [i64; K] {
    core::array::from_fn(|k| a[k] + b[k])
}

fn minus<const K: usize>(a: [i64; K], b: [i64; K]) -> [i64; K] {
    core::array::from_fn(|k| a[k] - b[k])
}
