//! [`Search`]: the packs that are worth most at given prices, by branch and bound, where packs hold few graphs.

use super::column::Column;
use super::table::{MOST_CELLS, Table};
use crate::lanes::Lanes;
use crate::packer::Effort;
use crate::{FixedLimits, bound};
use alloc::vec::Vec;

/// Most graphs of a pack, which is the depth of the search.
const MAX_GRAPHS: u32 = 64;

/// Steps of effort that one try costs.
const TRY: u64 = 4;

/// Puts sizes into a pack one after the other, in the order of their prices, as long as the tables say that the pack
/// can still become dearer than the best one known.
///
/// Unlike the grid, it knows how many graphs there are of each size, which makes bounds of few graphs sharper.
pub(super) struct Search<const K: usize> {
    /// Sizes in descending order of their prices.
    items: Vec<Item<K>>,
    /// The room of an empty pack.
    empty: Room<K>,
    /// One per component, and one for the sum of all components.
    tables: Vec<Table>,
    /// Items of the pack that is being filled, and of the best one, which is empty as long as none is good enough.
    pack: Vec<usize>,
    best_pack: Vec<usize>,
    best: f64,
    /// Tries that are left.
    tries: u64,
}

/// A size, with its price and what one graph takes of a pack's room.
#[derive(Clone, Copy)]
struct Item<const K: usize> {
    price: f64,
    takes: Room<K>,
    copies: u64,
    position: usize,
}

/// The room of a pack, or what one graph takes of it.
#[derive(Clone, Copy)]
struct Room<const K: usize> {
    size: [u32; K],
    /// The components in cells of the tables.
    cells: [u32; K],
    /// The sum of all components in cells of its table.
    sum: u32,
    graphs: u32,
}

impl<const K: usize> Room<K> {
    /// Rounds down to cells, which at most makes room.
    fn new(size: [u32; K], graphs: u32, limits: &FixedLimits<K>) -> Self {
        let limit = |k: usize| u64::from(limits.size[k].max(1));
        let cells = |k: usize| u64::from(size[k]) * u64::from(MOST_CELLS) / limit(k).max(u64::from(MOST_CELLS));
        let share = |k: usize| u64::from(size[k]) * (u64::from(MOST_CELLS) / K as u64) / limit(k);
        let sum = (0..K).map(share).sum::<u64>() as u32;
        Self { size, cells: core::array::from_fn(|k| cells(k) as u32), sum, graphs }
    }

    /// Returns the room that is left beside a graph, which must fit.
    fn less(&self, graph: &Self) -> Self {
        Self {
            size: self.size.less(&graph.size, 1),
            cells: self.cells.less(&graph.cells, 1),
            sum: self.sum - graph.sum,
            graphs: self.graphs - graph.graphs,
        }
    }
}

impl<const K: usize> Search<K> {
    /// None if a pack may hold too many graphs.
    pub(super) fn new(sizes: &[([u32; K], u64)], limits: &FixedLimits<K>) -> Option<Self> {
        let graphs = bound::most_graphs(sizes, limits);
        let items = sizes.iter().enumerate().map(|(position, &(size, copies))| {
            let takes = Room::new(size, 1, limits);
            Item { price: 0.0, takes, copies, position }
        });
        (graphs <= MAX_GRAPHS).then(|| Self {
            items: items.collect(),
            empty: Room::new(limits.size, graphs, limits),
            tables: Vec::new(),
            pack: Vec::new(),
            best_pack: Vec::new(),
            best: 0.0,
            tries: 0,
        })
    }

    /// For each size the best pack that holds it and is worth more than `least`, with its worth, and the most that any
    /// pack can be worth. With more than `tries` for a size, its pack may not be the best, and the most is larger than
    /// it need be. None if the effort is spent.
    pub(super) fn best_with_each(
        &mut self,
        prices: &[f64],
        least: f64,
        tries: u64,
        effort: &mut Effort,
    ) -> Option<(f64, Vec<(f64, Column)>)> {
        for item in &mut self.items {
            item.price = prices[item.position];
        }
        self.items.sort_unstable_by(|a, b| b.price.total_cmp(&a.price).then(a.position.cmp(&b.position)));
        self.tables.clear();
        for k in 0..=K {
            let of = |room: &Room<K>| room.cells.get(k).copied().unwrap_or(room.sum);
            let items = self.items.iter().map(|item| (of(&item.takes), item.price));
            if k < K || K > 1 {
                self.tables.push(Table::new(items, of(&self.empty), self.empty.graphs.saturating_sub(1), effort)?);
            }
        }
        let (mut most, mut found) = (least, Vec::new());
        for first in 0..self.items.len() {
            let item = self.items[first];
            let rest = self.empty.less(&item.takes);
            let upper = item.price + self.upper(&rest);
            if upper <= least {
                continue;
            }
            (self.best, self.tries) = (least, tries);
            self.best_pack.clear();
            self.pack.clear();
            self.pack.push(first);
            self.extend(0, &rest, item.price);
            if !effort.spend((tries - self.tries) * TRY) {
                return None;
            }
            let worth = if self.tries == 0 { upper } else { self.best };
            most = if worth > most { worth } else { most };
            if !self.best_pack.is_empty() {
                let entries = self.best_pack.iter().map(|&at| (self.items[at].position, 1));
                found.push((self.best, Column::pack(entries)));
            }
        }
        Some((most, found))
    }

    /// Returns the most that the graphs in a room can be worth.
    #[inline]
    fn upper(&self, room: &Room<K>) -> f64 {
        let components = (0..K).map(|k| self.tables[k].most(room.cells[k], room.graphs));
        let sum = self.tables.get(K).map_or(f64::INFINITY, |table| table.most(room.sum, room.graphs));
        components.fold(sum, |least, most| if most < least { most } else { least })
    }

    /// Tries all ways to go on with the pack by items from `from` on.
    fn extend(&mut self, from: usize, room: &Room<K>, worth: f64) {
        if worth > self.best {
            self.best = worth;
            self.best_pack.clone_from(&self.pack);
        }
        for at in from..self.items.len() {
            let item = &self.items[at];
            let price = item.price;
            // Items further on are not dearer.
            if price <= 0.0 || worth + price * f64::from(room.graphs) <= self.best || self.tries == 0 {
                return;
            }
            self.tries -= 1;
            if !item.takes.size.fits(&room.size) {
                continue;
            }
            let rest = room.less(&item.takes);
            let taken = self.pack.iter().filter(|&&taken| taken == at).count() as u64;
            if taken < item.copies && worth + price + self.upper(&rest) > self.best {
                self.pack.push(at);
                self.extend(at, &rest, worth + price);
                self.pack.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Effort, FixedLimits, Lanes, Search, Vec};
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;

    /// The most that graphs of sizes from `from` on are worth in a room.
    fn best(sizes: &[([u32; 2], u64)], prices: &[f64], from: usize, room: [u32; 2], graphs: u32) -> f64 {
        let Some(&(size, copies)) = sizes.get(from) else { return 0.0 };
        let most = size.times_in(&room).min(graphs).min(copies as u32);
        let with = |times: u32| {
            let rest = best(sizes, prices, from + 1, room.less(&size, times), graphs - times);
            f64::from(times) * prices[from] + rest
        };
        (0..=most).map(with).fold(0.0, f64::max)
    }

    #[test]
    fn the_best_pack_with_each_size_is_found() {
        let mut random = Pcg32::seed_from_u64(2);
        let mut draw = |from: u32, to: u32| from + random.next_u32() % (to - from + 1);
        for case in 0..300 {
            let limits = FixedLimits::new([40, 60]).graphs(draw(1, 6));
            let size = |draw: &mut dyn FnMut(u32, u32) -> u32| [draw(5, 40), draw(5, 60)];
            let sizes: Vec<_> = (0..draw(1, 7)).map(|_| (size(&mut draw), u64::from(draw(1, 3)))).collect();
            let prices: Vec<f64> = sizes.iter().map(|_| f64::from(draw(1, 100))).collect();
            let mut search = Search::new(&sizes, &limits).unwrap();
            let (most, found) = search.best_with_each(&prices, 0.0, 1 << 20, &mut Effort::default()).unwrap();
            let mut expected: Vec<f64> = Vec::new();
            for (at, &(size, _)) in sizes.iter().enumerate() {
                let mut left = sizes.clone();
                left[at].1 -= 1;
                let room = limits.size.less(&size, 1);
                expected.push(prices[at] + best(&left, &prices, 0, room, limits.graphs - 1));
            }
            let mut worth: Vec<f64> = found.iter().map(|(worth, _)| *worth).collect();
            assert!(found.iter().all(|(worth, pack)| pack.gain(&prices) + pack.cost() == *worth), "case {case}");
            worth.sort_by(f64::total_cmp);
            expected.sort_by(f64::total_cmp);
            assert_eq!((most, worth), (expected[expected.len() - 1], expected), "case {case}");
        }
    }

    #[test]
    fn a_spent_effort_finds_nothing() {
        let sizes = [([5, 5], 3), ([7, 9], 2)];
        let mut search = Search::new(&sizes, &FixedLimits::new([40, 60])).unwrap();
        assert!(search.best_with_each(&[1.0, 2.0], 0.0, 100, &mut Effort::steps(10)).is_none());
    }
}
