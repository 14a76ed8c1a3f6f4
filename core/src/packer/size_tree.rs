//! [`SizeTree`]: the sizes still to be packed, searchable by direction and magnitude under a limit of room.

use super::scale::{Scale, Vector};
use crate::Size;
use alloc::vec::Vec;

/// Sizes per leaf. On ppa (35,981 sizes) 8 was fastest of 4 to 32.
const LEAF: usize = 8;

/// A size with the number of graphs of it that are left.
struct Item<const K: usize> {
    size: Size<K>,
    left: u64,
    /// In units of the limits.
    scaled: Vector<K>,
    /// The same at length 1.
    unit: Vector<K>,
}

/// What holds for all sizes below, of those that are left.
#[derive(Clone, Copy)]
struct Node<const K: usize> {
    smallest: Size<K>,
    scaled_max: Vector<K>,
    unit_min: Vector<K>,
    unit_max: Vector<K>,
}

/// A balanced tree over sizes that were split at the median of their most spread direction, as in a k-d tree.
pub(super) struct SizeTree<const K: usize> {
    items: Vec<Item<K>>,
    /// Node 1 is the root, node n has the children 2n and 2n + 1; `None` if nothing is left below.
    nodes: Vec<Option<Node<K>>>,
    /// Leaves, a power of two; leaf l holds the items `bounds[l]..bounds[l + 1]`.
    leaves: usize,
    bounds: Vec<usize>,
    /// Nodes and items looked at, the measure of work.
    pub(super) visits: u64,
}

impl<const K: usize> SizeTree<K> {
    pub(super) fn new(entries: &[(Size<K>, u64)], scale: &Scale<K>) -> Self {
        let mut items: Vec<_> = entries
            .iter()
            .map(|&(size, left)| {
                let scaled = scale.size(&size);
                Item { size, left, scaled, unit: scaled.unit() }
            })
            .collect();
        let leaves = items.len().div_ceil(LEAF).next_power_of_two();
        let mut bounds = Vec::with_capacity(leaves + 1);
        split(&mut items, 0, leaves, &mut bounds);
        bounds.push(items.len());
        let mut this = Self { items, nodes: alloc::vec![None; 2 * leaves], leaves, bounds, visits: 0 };
        for node in (1..2 * leaves).rev() {
            this.nodes[node] = this.summary(node);
        }
        this
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn size(&self, item: usize) -> Size<K> {
        self.items[item].size
    }

    pub(super) fn scaled(&self, item: usize) -> &Vector<K> {
        &self.items[item].scaled
    }

    /// Graphs of the item that are left.
    pub(super) fn left(&self, item: usize) -> u64 {
        self.items[item].left
    }

    /// Takes graphs of an item, which has as many left.
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

    /// The size that fits `room` and whose direction is nearest to that of `wanted`.
    ///
    /// On the unit sphere the largest product is the smallest distance, which boxes bound to the second order; bounding the product itself
    /// looked at nearly every size.
    pub(super) fn most_aligned(&mut self, wanted: &Vector<K>, room: &Size<K>) -> Option<usize> {
        let wanted = wanted.unit();
        let bound = |node: &Node<K>| -wanted.distance_to_box(&node.unit_min, &node.unit_max);
        self.best(room, bound, |item| -wanted.distance_to_box(&item.unit, &item.unit))
    }

    /// The size that fits `room` with the largest product with `weights`, none of which is negative. `scaled_room` is the room in units of
    /// the limits.
    pub(super) fn heaviest(&mut self, weights: &Vector<K>, room: &Size<K>, scaled_room: &Vector<K>) -> Option<usize> {
        self.best(room, |node| node.scaled_max.min(scaled_room).dot(weights), |item| item.scaled.dot(weights))
    }

    /// The item of the highest score that fits; the first in tree order among equals.
    fn best(
        &mut self,
        room: &Size<K>,
        bound: impl Fn(&Node<K>) -> f64,
        score: impl Fn(&Item<K>) -> f64,
    ) -> Option<usize> {
        let mut best = (f64::NEG_INFINITY, None);
        // Depth 64 is enough: one sibling waits per level.
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
            let children = [2 * node, 2 * node + 1].map(|child| (child, open(child)));
            // The more promising child last, so that it comes first.
            let swapped = children[0].1.is_some_and(|left| children[1].1.is_none_or(|right| left >= right));
            for &(child, upper) in if swapped { [&children[1], &children[0]] } else { [&children[0], &children[1]] } {
                if let Some(upper) = upper.filter(|&upper| upper > best.0) {
                    waiting[depth] = (child, upper);
                    depth += 1;
                }
            }
        }
        self.visits += visits;
        best.1
    }

    /// Brings the nodes above an item up to date.
    fn refresh(&mut self, item: usize) {
        let leaf = self.bounds.partition_point(|&start| start <= item) - 1;
        let mut node = self.leaves + leaf;
        while node > 0 {
            self.nodes[node] = self.summary(node);
            node /= 2;
        }
    }

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
        Self { smallest: item.size, scaled_max: item.scaled, unit_min: item.unit, unit_max: item.unit }
    }

    fn join(self, other: Self) -> Self {
        Self {
            smallest: self.smallest.min_each(&other.smallest),
            scaled_max: self.scaled_max.max(&other.scaled_max),
            unit_min: self.unit_min.min(&other.unit_min),
            unit_max: self.unit_max.max(&other.unit_max),
        }
    }
}

/// Orders items so that each half, quarter, ... lies together; `bounds` gets the start of every leaf.
fn split<const K: usize>(items: &mut [Item<K>], start: usize, leaves: usize, bounds: &mut Vec<usize>) {
    if leaves == 1 {
        bounds.push(start);
        return;
    }
    let middle = items.len() / 2;
    if let Some((first, rest)) = items.split_first() {
        let widest = |of: fn(&Item<K>) -> &Vector<K>| {
            let ends =
                rest.iter().fold((*of(first), *of(first)), |(low, high), item| (low.min(of(item)), high.max(of(item))));
            ends.0.widest(&ends.1)
        };
        let (by_unit, by_scaled) = (widest(|item| &item.unit), widest(|item| &item.scaled));
        // Directions first; sizes of one direction by magnitude.
        let key = |item: &Item<K>| {
            if by_unit.1 > by_scaled.1 { item.unit.get(by_unit.0) } else { item.scaled.get(by_scaled.0) }
        };
        // Sorted, not only divided: how a division leaves its halves may change with the compiler, and plans with it.
        items.sort_unstable_by(|a, b| key(a).total_cmp(&key(b)).then(a.size.cmp(&b.size)));
    }
    let (low, high) = items.split_at_mut(middle);
    split(low, start, leaves / 2, bounds);
    split(high, start + middle, leaves / 2, bounds);
}
