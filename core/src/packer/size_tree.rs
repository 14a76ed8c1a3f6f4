//! [`SizeTree`]: the sizes still to be packed; finds the best by direction or by weight among those that fit a room.
//! [`Vector`]: sizes as shares of the limits, with the number of graphs as a set like the others.
//!
//! Floating point ranks candidates; whether a graph fits is decided on integers. Only sums, products, quotients and
//! square roots occur, which IEEE 754 defines to the last bit, so that plans are the same on every platform that
//! follows it.

use crate::FixedLimits;
use crate::lanes::Lanes;
use crate::packer::problem::{Counts, sort_by_value};
use alloc::vec::Vec;
use core::ops::Range;

/// Sizes per leaf. On ppa (35,981 sizes) 8 was fastest of 4 to 32.
const LEAF: usize = 8;

/// A size, and how many graphs of it are left.
#[derive(Clone)]
struct Item<const K: usize> {
    size: [u32; K],
    /// The number of the size in packs.
    number: u32,
    left: u64,
    /// The size as shares of the limits.
    scaled: Vector<K>,
    /// `scaled` at length 1.
    unit: Vector<K>,
}

/// Bounds over the remaining sizes of this subtree.
#[derive(Clone, Copy, PartialEq)]
struct Node<const K: usize> {
    smallest: [u32; K],
    unit_min: Vector<K>,
    unit_max: Vector<K>,
}

/// A balanced tree over sizes, split at the median of the coordinate that spreads most, as in a k-d tree.
pub(super) struct SizeTree<const K: usize> {
    items: Vec<Item<K>>,
    /// Node 1 is the root, node n has the children 2n and 2n + 1; `None` if its subtree has no graphs left.
    nodes: Vec<Option<Node<K>>>,
    /// Number of leaves, a power of two; leaf l holds the items `bounds[l]..bounds[l + 1]`.
    leaves: usize,
    bounds: Vec<usize>,
    /// Steps of budget so far.
    steps: u64,
    /// Nodes after which a search takes the best item so far, if it has found any.
    patience: u64,
    /// Items by weight, once they are sorted.
    scan: Scan<K>,
}

/// Items that are compared at once: eight numbers of 32 bits fill a vector register of AVX2.
pub(super) const PIECE: usize = 8;

/// Steps of budget that a visit of a node takes for each set and the number of graphs, measured as time.
const NODE_STEPS: u64 = 20;

/// Steps of budget, measured as time: of a scan with all that is done for its pack; of two pieces for each set and two
/// more; and of a look at an item by its rank.
const SCAN_STEPS: u64 = 250;
const PIECE_STEPS: u64 = 3;
pub(super) const LOOK_STEPS: u64 = 10;

/// Numbers in the same order, with a sign: processors compare several of these at once.
fn biased(rows: u32) -> i32 {
    (rows ^ (1 << 31)).cast_signed()
}

/// Items in descending order of their product with weights.
struct Scan<const K: usize> {
    weights: Vector<K>,
    products: Vec<f64>,
    items: Vec<u32>,
    /// The rows of each set of [`PIECE`] items after the other, [`biased`]; the last ones may be none, with the
    /// most rows.
    pieces: Vec<[[i32; PIECE]; K]>,
}

impl<const K: usize> Scan<K> {
    /// The first item in a range of ranks that has room and is wanted, and the number of pieces that were looked at.
    fn first(&self, ranks: Range<usize>, room: &[u32; K], is_wanted: impl Fn(usize) -> bool) -> (Option<usize>, usize) {
        let room = room.map(biased);
        let pieces = ranks.start / PIECE..ranks.end.div_ceil(PIECE).max(ranks.start / PIECE);
        for (looked, piece) in pieces.clone().enumerate() {
            // Without branches, because that is several comparisons at once.
            let mut over = [0; PIECE];
            for (rows, room) in self.pieces[piece].iter().zip(room) {
                over.iter_mut().zip(rows).for_each(|(over, &rows)| *over |= i32::from(rows > room));
            }
            if over.contains(&0) {
                let fitting = (piece * PIECE..).zip(over).filter(|(rank, over)| *over == 0 && ranks.contains(rank));
                let mut items = fitting.map(|(rank, _)| self.items[rank] as usize);
                if let Some(item) = items.find(|&item| is_wanted(item)) {
                    return (Some(item), looked + 1);
                }
            }
        }
        (None, pieces.len())
    }
}

impl<const K: usize> SizeTree<K> {
    pub(super) fn new(counts: &Counts<K>, limits: &FixedLimits<K>, patience: u64) -> Self {
        let entries = counts.entries().iter().zip(counts.numbers());
        let items: Vec<_> = entries
            .map(|(&(size, left), &number)| {
                let scaled = Vector::of_size(&size, limits);
                Item { size, number, left, scaled, unit: scaled.unit() }
            })
            .collect();
        let leaves = items.len().div_ceil(LEAF).next_power_of_two();
        let mut bounds = Vec::with_capacity(leaves + 1);
        // Places are sorted, because to move items took a fifth of the time of a slice.
        let mut places: Vec<u32> = (0..items.len() as u32).collect();
        split(&items, &mut places, 0, leaves, &mut bounds);
        bounds.push(items.len());
        let items = places.into_iter().map(|place| items[place as usize].clone()).collect();
        let mut this = Self {
            items,
            nodes: alloc::vec![None; 2 * leaves],
            leaves,
            bounds,
            steps: 0,
            patience,
            scan: Scan { weights: Vector::ZERO, products: Vec::new(), items: Vec::new(), pieces: Vec::new() },
        };
        for node in (1..2 * leaves).rev() {
            this.nodes[node] = this.summary(node);
        }
        this
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn size(&self, item: usize) -> [u32; K] {
        self.items[item].size
    }

    /// The number of an item in packs.
    pub(super) fn number(&self, item: usize) -> u32 {
        self.items[item].number
    }

    /// What is left: sizes with counts and numbers.
    pub(super) fn rest(&self) -> impl Iterator<Item = ([u32; K], u64, u32)> {
        self.items.iter().filter(|item| item.left > 0).map(|item| (item.size, item.left, item.number))
    }

    pub(super) fn scaled(&self, item: usize) -> &Vector<K> {
        &self.items[item].scaled
    }

    /// How many graphs of an item are left.
    pub(super) fn left(&self, item: usize) -> u64 {
        self.items[item].left
    }

    /// Takes `count` graphs of an item, which must have that number left.
    pub(super) fn take(&mut self, item: usize, count: u64) {
        self.items[item].left -= count;
        if self.items[item].left == 0 {
            self.refresh(item);
        }
    }

    /// Undoes [`take`](Self::take).
    pub(super) fn put_back(&mut self, item: usize, count: u64) {
        self.items[item].left += count;
        if self.items[item].left == count {
            self.refresh(item);
        }
    }

    /// Steps since the last call.
    pub(super) fn take_steps(&mut self) -> u64 {
        core::mem::take(&mut self.steps)
    }

    /// Counts work on items that is done elsewhere.
    pub(super) fn count_steps(&mut self, steps: u64) {
        self.steps += steps;
    }

    /// Counts visits of nodes, and other work as visits.
    fn count_visits(&mut self, visits: u64) {
        self.steps += visits * NODE_STEPS * (K as u64 + 1);
    }

    /// The item that fits `room` and whose direction is nearest to that of `wanted`.
    ///
    /// On the unit sphere the largest product is the smallest distance. Distances are compared because boxes bound them
    /// to the second order; with bounds on the product itself nearly every size was visited.
    pub(super) fn most_aligned(&mut self, wanted: &Vector<K>, room: &[u32; K]) -> Option<usize> {
        let wanted = wanted.unit();
        let bound = |node: &Node<K>| -wanted.distance_to_box(&node.unit_min, &node.unit_max);
        self.best(room, bound, |item| -wanted.distance_to_box(&item.unit, &item.unit))
    }

    /// Sorts the items that are left by their product with `weights`, for [`scan`](Self::scan).
    pub(super) fn sort(&mut self, weights: Vector<K>) {
        let left = self.items.iter().zip(0..).filter(|(item, _)| item.left > 0);
        let mut ranked: Vec<(f64, u32)> = left.map(|(item, at)| (item.scaled.dot(&weights), at)).collect();
        sort_by_value(&mut ranked);
        self.count_visits(3 * ranked.len() as u64);
        let mut pieces = alloc::vec![[[i32::MAX; PIECE]; K]; ranked.len().div_ceil(PIECE)];
        for (rank, (_, at)) in ranked.iter().enumerate() {
            let size = self.items[*at as usize].size;
            pieces[rank / PIECE].iter_mut().zip(size).for_each(|(piece, rows)| piece[rank % PIECE] = biased(rows));
        }
        let (products, items) = ranked.into_iter().unzip();
        self.scan = Scan { weights, products, items, pieces };
    }

    /// The weights by which items were sorted, and the number of these items.
    pub(super) fn sorted(&self) -> (Vector<K>, usize) {
        (self.scan.weights, self.scan.items.len())
    }

    /// The item at a rank of those that were sorted.
    pub(super) fn ranked(&self, rank: usize) -> usize {
        self.scan.items[rank] as usize
    }

    /// The item that fits `room` and whose product with the weights by which items were sorted is the largest, if that
    /// is more than `least`; `scaled_room` is the room as shares of the limits. One graph of `taken` is not to be had.
    pub(super) fn heaviest(
        &mut self,
        room: &[u32; K],
        scaled_room: &Vector<K>,
        least: f64,
        taken: usize,
    ) -> Option<usize> {
        let scan = &self.scan;
        let most = scaled_room.dot(&scan.weights) * (1.0 + 1e-9);
        let above = |bound: f64| scan.products.partition_point(|product| *product > bound);
        let is_left = |item: usize| self.items[item].left > u64::from(item == taken);
        let (found, looked) = scan.first(above(most)..above(least), room, is_left);
        self.steps += SCAN_STEPS + PIECE_STEPS * (K as u64 + 2) * looked as u64 / 2;
        found
    }

    /// The item that fits `room` and has the highest score; of equal scores, the first found. `bound` is at least the
    /// score of every item of a subtree.
    fn best(
        &mut self,
        room: &[u32; K],
        bound: impl Fn(&Node<K>) -> f64,
        score: impl Fn(&Item<K>) -> f64,
    ) -> Option<usize> {
        let mut best = (f64::NEG_INFINITY, None);
        // Room for a depth of 64: one sibling waits per level.
        let mut waiting = [(0, f64::NEG_INFINITY); 65];
        let mut depth = 0;
        let open = |node: usize| self.nodes[node].as_ref().filter(|node| node.smallest.fits(room)).map(&bound);
        if let Some(bound) = open(1) {
            waiting[0] = (1, bound);
            depth = 1;
        }
        let mut visits = 0;
        while depth > 0 {
            depth -= 1;
            let (node, upper) = waiting[depth];
            if upper <= best.0 {
                continue;
            }
            if visits >= self.patience && best.1.is_some() {
                break;
            }
            visits += 1;
            if node >= self.leaves {
                let leaf = node - self.leaves;
                for item in self.bounds[leaf]..self.bounds[leaf + 1] {
                    let candidate = &self.items[item];
                    if candidate.left > 0 && candidate.size.fits(room) {
                        let score = score(candidate);
                        if score > best.0 {
                            best = (score, Some(item));
                        }
                    }
                }
                continue;
            }
            // Written out: with cargo's usual profile `release` the closure of `array::map` is not inlined, and demand
            // took 1.4 to 1.8 times as long.
            let (left, right) = (2 * node, 2 * node + 1);
            let children = [(left, open(left)), (right, open(right))];
            // The child with the better bound goes on last, so that it is visited first.
            let swapped = children[0].1.is_some_and(|left| children[1].1.is_none_or(|right| left >= right));
            for &(child, upper) in if swapped { [&children[1], &children[0]] } else { [&children[0], &children[1]] } {
                if let Some(upper) = upper.filter(|&upper| upper > best.0) {
                    waiting[depth] = (child, upper);
                    depth += 1;
                }
            }
        }
        self.count_visits(visits);
        best.1
    }

    /// Updates the bounds from the leaf of an item upwards, as far as they change.
    fn refresh(&mut self, item: usize) {
        let leaf = self.bounds.partition_point(|&start| start <= item) - 1;
        let mut node = self.leaves + leaf;
        while node > 0 {
            self.count_visits(1);
            let summary = self.summary(node);
            if self.nodes[node] == summary {
                return;
            }
            self.nodes[node] = summary;
            node /= 2;
        }
    }

    /// The bounds of a node, from its items or its children.
    fn summary(&self, node: usize) -> Option<Node<K>> {
        if node >= self.leaves {
            let leaf = node - self.leaves;
            let items = &self.items[self.bounds[leaf]..self.bounds[leaf + 1]];
            return items.iter().filter(|item| item.left > 0).map(Node::of).reduce(Node::join);
        }
        match (self.nodes[2 * node], self.nodes[2 * node + 1]) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (a, b) => a.or(b),
        }
    }
}

impl<const K: usize> Node<K> {
    fn of(item: &Item<K>) -> Self {
        Self { smallest: item.size, unit_min: item.unit, unit_max: item.unit }
    }

    fn join(self, other: Self) -> Self {
        Self {
            smallest: self.smallest.min_each(&other.smallest),
            unit_min: self.unit_min.min(&other.unit_min),
            unit_max: self.unit_max.max(&other.unit_max),
        }
    }
}

/// Sorts the places of items such that each subtree is one range; appends the start of every leaf to `bounds`.
fn split<const K: usize>(items: &[Item<K>], places: &mut [u32], start: usize, leaves: usize, bounds: &mut Vec<usize>) {
    if leaves == 1 {
        bounds.push(start);
        return;
    }
    let middle = places.len() / 2;
    let item = |place: u32| &items[place as usize];
    if let Some((&first, rest)) = places.split_first() {
        let widest = |of: fn(&Item<K>) -> &Vector<K>| {
            let first = *of(item(first));
            let ends = rest.iter().fold((first, first), |(low, high), &place| {
                let vector = of(item(place));
                (low.min(vector), high.max(vector))
            });
            ends.0.widest(&ends.1)
        };
        let (by_unit, by_scaled) = (widest(|item| &item.unit), widest(|item| &item.scaled));
        // By direction where directions spread more, otherwise by magnitude.
        let key = |item: &Item<K>| {
            if by_unit.1 > by_scaled.1 { item.unit.get(by_unit.0) } else { item.scaled.get(by_scaled.0) }
        };
        // A full sort: the order that `select_nth_unstable` leaves may change with the compiler, and plans with it.
        let mut keyed: Vec<(f64, u32)> = places.iter().map(|&place| (key(item(place)), place)).collect();
        keyed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then_with(|| item(a.1).size.cmp(&item(b.1).size)));
        places.iter_mut().zip(keyed).for_each(|(place, (_, at))| *place = at);
    }
    let (low, high) = places.split_at_mut(middle);
    split(items, low, start, leaves / 2, bounds);
    split(items, high, start + middle, leaves / 2, bounds);
}

/// A number for each of K sets and one for the number of graphs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Vector<const K: usize> {
    sets: [f64; K],
    graphs: f64,
}

impl<const K: usize> Vector<K> {
    const ZERO: Self = Self { sets: [0.0; K], graphs: 0.0 };

    /// Any amount as a share of the limits.
    pub(super) fn share(sets: [f64; K], graphs: f64, limits: &FixedLimits<K>) -> Self {
        let limits = Self { sets: limits.size.map(f64::from), graphs: f64::from(limits.graphs) };
        Self { sets, graphs }.zip(&limits, |amount, limit| amount / limit)
    }

    /// One graph of a size as a share of the limits.
    pub(super) fn of_size(size: &[u32; K], limits: &FixedLimits<K>) -> Self {
        Self::share(size.map(f64::from), 1.0, limits)
    }

    // Loops, because closures of `array::from_fn` and `array::map` are not inlined here.
    #[inline]
    fn zip(&self, other: &Self, of: impl Fn(f64, f64) -> f64) -> Self {
        let mut sets = self.sets;
        for (a, &b) in sets.iter_mut().zip(&other.sets) {
            *a = of(*a, b);
        }
        Self { sets, graphs: of(self.graphs, other.graphs) }
    }

    #[inline]
    pub(super) fn map(&self, of: impl Fn(f64) -> f64) -> Self {
        let mut sets = self.sets;
        sets.iter_mut().for_each(|x| *x = of(*x));
        Self { sets, graphs: of(self.graphs) }
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    pub(super) fn min(&self, other: &Self) -> Self {
        self.zip(other, |a, b| if b < a { b } else { a })
    }

    pub(super) fn max(&self, other: &Self) -> Self {
        self.zip(other, |a, b| if b > a { b } else { a })
    }

    pub(super) fn dot(&self, other: &Self) -> f64 {
        (0..K).fold(self.graphs * other.graphs, |sum, k| sum + self.sets[k] * other.sets[k])
    }

    /// The squared distance to the box between `min` and `max`; 0 inside.
    pub(super) fn distance_to_box(&self, min: &Self, max: &Self) -> f64 {
        let outside = |x: f64, low: f64, high: f64| {
            if x < low {
                low - x
            } else if x > high {
                x - high
            } else {
                0.0
            }
        };
        let below_above = |k: usize| outside(self.sets[k], min.sets[k], max.sets[k]);
        let graphs = outside(self.graphs, min.graphs, max.graphs);
        (0..K).fold(graphs * graphs, |sum, k| sum + below_above(k) * below_above(k))
    }

    /// Returns this direction at length 1; zero stays zero.
    pub(super) fn unit(&self) -> Self {
        let length = libm::sqrt(self.dot(self));
        if length > 0.0 { self.map(|x| x / length) } else { *self }
    }

    pub(super) fn largest(&self) -> f64 {
        self.sets.iter().fold(self.graphs, |largest, &x| if x > largest { x } else { largest })
    }

    pub(super) fn graphs(&self) -> f64 {
        self.graphs
    }

    /// The number of the set at a position below K, or at K that of graphs.
    pub(super) fn get(&self, position: usize) -> f64 {
        self.sets.get(position).copied().unwrap_or(self.graphs)
    }

    /// The position at which `max` is farthest above this vector, and how far.
    pub(super) fn widest(&self, max: &Self) -> (usize, f64) {
        let spread = max.minus(self);
        (0..=K)
            .map(|k| (k, spread.get(k)))
            .fold((0, f64::NEG_INFINITY), |best, here| if here.1 > best.1 { here } else { best })
    }
}
