//! [`Pricing`]: the packs that are worth most at given prices, the best for each size that is the dearest of a pack.
//!
//! Sizes are put into a pack one after the other, in the order of their prices, as long as the pack can still become
//! dearer than the best one known. What a room can be worth is the least that the grids and the multipliers say. Where
//! a grid is exact this is the dynamic programme of the knapsack: the first pack that is tried is the best.

use super::grid::Grid;
use super::multipliers::Multipliers;
use crate::lanes::Lanes;
use crate::packer::Budget;
use crate::packer::size_tree::PIECE;
use crate::{FixedLimits, bound};
use alloc::vec::Vec;

/// What a price of 1, a whole pack, is as a number. Prices are whole numbers, so that their sums are exact.
pub(super) const UNIT: f64 = (1_u64 << 40) as f64;

/// The least worth that makes a pack interesting: a little more than one pack, because prices are rounded.
pub(super) const LEAST_WORTH: f64 = (1_u64 << 40) as f64 + (1_u64 << 17) as f64;

/// Most cells of all grids together, about: 224 kB for each level.
const MOST_CELLS: usize = 28_000;

/// Most cells for each size where packs hold few graphs: a search among few sizes takes less than to fill a grid.
const CELLS: usize = 128;

/// Most cells of a grid that is exact: it finds the best pack without a search.
const EXACT_CELLS: usize = 40_000;

/// Visits of cells that filling a grid may take, about: with more sizes, grids have fewer cells.
const MOST_VISITS: usize = 1 << 26;

/// Most graphs of packs that are searched: the search calls itself once for each graph, and the stack is finite.
const MOST_DEEP: u32 = 1000;

/// Most graphs of a pack for which there is a program at all, which guards the time to fill one pack.
const MOST_HELD: u32 = 1 << 14;

/// Packs that hold at most this number of graphs hold few: grids have a level for each graph but the first.
pub(super) const FEW_GRAPHS: u32 = 9;

/// Steps of budget that looking at an item takes, measured as time.
const LOSS_STEPS: u64 = 9;

/// Steps of budget that an item takes before any search, for sorting and multipliers; measured as time.
const ITEM_STEPS: u64 = 400;

/// A way to find packs.
pub(super) struct Pricing<const K: usize> {
    sizes: Vec<[u32; K]>,
    limits: FixedLimits<K>,
    grids: Vec<Grid>,
    multipliers: Multipliers<K>,
    items: Vec<Item<K>>,
    losses: Vec<f64>,
    search: State,
}

/// A size that has a price and graphs left.
struct Item<const K: usize> {
    size: [u32; K],
    price: f64,
    left: u64,
    number: u32,
}

/// What pricing has found.
pub(super) struct Found {
    /// Packs that are worth more than one, with their worth, the dearest first.
    pub(super) packs: Vec<(f64, Vec<(u32, i32)>)>,
    /// One entry for each size that is the dearest of a pack that may be worth more than one: the most that any pack of
    /// which it is the dearest can be worth, and the graphs left of this size.
    pub(super) most: Vec<(f64, u64)>,
    /// One entry for each of the same sizes: the worth of the best pack that was found in place of the most possible.
    pub(super) likely: Vec<(f64, u64)>,
    /// Whether a search was cut off.
    pub(super) is_cut: bool,
    /// Items tried.
    pub(super) tries: u64,
}

impl Found {
    fn dearest_first(&mut self) {
        self.packs.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
}

impl<const K: usize> Pricing<K> {
    /// None if packs can hold too many graphs.
    pub(super) fn new(sizes: &[([u32; K], u64)], limits: &FixedLimits<K>) -> Option<Self> {
        let graphs = bound::most_graphs(sizes, limits);
        if graphs > MOST_HELD {
            return None;
        }
        let levels = if graphs > FEW_GRAPHS { 1 } else { graphs.max(2) as usize - 1 };
        let visited = (MOST_VISITS / sizes.len().max(1) / levels).clamp(1024, MOST_CELLS);
        let most = if graphs > FEW_GRAPHS { visited } else { visited.min(CELLS * sizes.len()) };
        let groups = groups(K, graphs);
        let grids = groups.iter().map(|group| {
            // Multipliers say more where there are many sets.
            let few = match group.len() {
                len if len == K => EXACT_CELLS.min(visited * 2),
                _ => most / if K > 3 { 8 } else { 2 },
            };
            let grid = Grid::new(sizes, limits, group, few, graphs);
            if grid.is_exact { grid } else { Grid::new(sizes, limits, group, few.min(most), graphs) }
        });
        Some(Self {
            grids: grids.collect(),
            multipliers: Multipliers::new(&[], limits),
            sizes: sizes.iter().map(|(size, _)| *size).collect(),
            limits: FixedLimits { size: limits.size, graphs },
            items: Vec::new(),
            losses: Vec::new(),
            search: State::default(),
        })
    }

    /// Whether packs may hold many graphs of many sets: then no search tries all of them.
    pub(super) fn holds_many(&self) -> bool {
        K > 3 && self.limits.graphs > FEW_GRAPHS
    }

    fn search(&mut self) -> Search<'_, K> {
        Search {
            is_exact: self.grids.iter().any(|grid| grid.is_exact),
            items: &self.items,
            losses: &self.losses,
            grids: &self.grids,
            multipliers: &self.multipliers,
            state: &mut self.search,
        }
    }

    /// Makes ready for whole prices, of the graphs that are left. None if the budget is spent.
    pub(super) fn prepare(&mut self, prices: &[f64], left: &[u64], budget: &mut Budget) -> Option<()> {
        let priced = prices.iter().zip(left).enumerate().filter(|(_, (price, left))| **price > 0.0 && **left > 0);
        self.items.clear();
        self.items.extend(priced.map(|(number, (&price, &left))| Item {
            size: self.sizes[number],
            price,
            left,
            number: number as u32,
        }));
        self.items.sort_unstable_by(|a, b| b.price.total_cmp(&a.price).then(a.number.cmp(&b.number)));
        budget.take(self.items.len() as u64 * ITEM_STEPS)?;
        let sizes: Vec<_> = self.items.iter().map(|item| (item.size, item.price)).collect();
        self.multipliers = Multipliers::new(&sizes, &self.limits);
        self.losses.clear();
        self.losses.extend(self.items.iter().map(|item| self.multipliers.loss(&item.size, item.price)));
        for grid in &mut self.grids {
            grid.fill(sizes.iter().copied(), self.limits.graphs - 1, budget)?;
        }
        self.search.taken.clear();
        self.search.taken.resize(self.items.len(), 0);
        Some(())
    }

    /// Finds packs at the prices of [`prepare`](Self::prepare). Tries `tries` items for each size at most. None if the
    /// budget is spent.
    pub(super) fn find(&mut self, tries: u64, budget: &mut Budget) -> Option<Found> {
        let FixedLimits { size: limits, graphs } = self.limits;
        let mut search = self.search();
        let items = search.items;
        let mut found = Found { packs: Vec::new(), most: Vec::new(), likely: Vec::new(), is_cut: false, tries: 0 };
        for (first, item) in items.iter().enumerate() {
            // No pack of this and cheaper items is worth more than one.
            if item.price * f64::from(graphs) <= LEAST_WORTH {
                break;
            }
            let rest = limits.less(&item.size, 1);
            let upper = libm::ceil(item.price + search.upper(&rest, graphs - 1));
            if upper <= LEAST_WORTH {
                continue;
            }
            let tries = tries.min(budget.left() / LOSS_STEPS + 1);
            let (best, is_cut) = search.best_with(first, LEAST_WORTH, upper, graphs, &rest, tries);
            search.spend(budget)?;
            found.tries += tries - search.state.tries;
            found.is_cut |= is_cut;
            found.likely.push((best, item.left));
            found.most.push((if is_cut { upper } else { best }, item.left));
            if !search.state.best_pack.is_empty() {
                found.packs.push((best, search.best_pack()));
            }
        }
        found.dearest_first();
        Some(found)
    }
}

/// The sets of each grid. Those of many sets are too coarse to say more than single ones where packs hold
/// many graphs.
fn groups(sets: usize, graphs: u32) -> Vec<Vec<usize>> {
    let pairs = || (0..sets).map(|k| alloc::vec![k, (k + 1) % sets]);
    match sets {
        1 => alloc::vec![alloc::vec![0]],
        2 => alloc::vec![alloc::vec![0, 1]],
        3 => pairs().chain([alloc::vec![0, 1, 2]]).collect(),
        4.. if graphs > FEW_GRAPHS => (0..sets).map(|k| alloc::vec![k]).collect(),
        6 => pairs().chain([alloc::vec![0, 2, 4], alloc::vec![1, 3, 5]]).collect(),
        _ => pairs().collect(),
    }
}

/// What a search for the best pack writes.
#[derive(Default)]
struct State {
    /// Graphs of each item in the pack that is being filled.
    taken: Vec<u64>,
    /// Items of the pack that is being filled, and of the best one, which is empty as long as none is good enough.
    pack: Vec<u32>,
    best_pack: Vec<u32>,
    best: f64,
    /// Tries that are left, and items looked at.
    tries: u64,
    visits: u64,
}

struct Search<'a, const K: usize> {
    /// In descending order of their prices.
    items: &'a [Item<K>],
    /// What a graph of each item takes of the room beyond its price, by the multipliers.
    losses: &'a [f64],
    grids: &'a [Grid],
    multipliers: &'a Multipliers<K>,
    is_exact: bool,
    state: &'a mut State,
}

impl<const K: usize> Search<'_, K> {
    /// What a room can be worth at most.
    #[inline]
    fn upper(&self, room: &[u32; K], graphs: u32) -> f64 {
        let mut least = self.multipliers.most(room, graphs);
        for grid in self.grids {
            let most = grid.most(room, graphs);
            least = if most < least { most } else { least };
        }
        least
    }

    /// Returns the worth of the best pack of `first` and items that are not dearer, or `least` if none is worth more;
    /// and whether the search was cut off. `room` is what `first` leaves, `upper` the most that the pack can be worth.
    fn best_with(
        &mut self,
        first: usize,
        least: f64,
        upper: f64,
        graphs: u32,
        room: &[u32; K],
        tries: u64,
    ) -> (f64, bool) {
        self.state.best = least;
        self.state.best_pack.clear();
        self.state.tries = tries;
        self.put(first);
        let price = self.items[first].price;
        self.follow(first, room, graphs - 1, price);
        while self.state.pack.len() > 1 {
            self.take_back();
        }
        let mut is_cut = false;
        if self.state.best < upper {
            is_cut = graphs > MOST_DEEP;
            if !is_cut {
                self.extend(first, room, graphs - 1, price);
                is_cut = self.state.tries == 0;
            }
        }
        self.take_back();
        (self.state.best, is_cut)
    }

    /// The best pack by the numbers of its sizes, ascending.
    fn best_pack(&self) -> Vec<(u32, i32)> {
        let mut pack = self.state.best_pack.iter().map(|&at| (self.items[at as usize].number, 1)).collect();
        crate::histogram::add_up(&mut pack);
        pack
    }

    /// Takes what was looked at out of the budget.
    fn spend(&mut self, budget: &mut Budget) -> Option<()> {
        let visits = core::mem::take(&mut self.state.visits);
        budget.take(visits * (LOSS_STEPS + 6 * self.grids.len() as u64))
    }

    fn put(&mut self, item: usize) {
        self.state.taken[item] += 1;
        self.state.pack.push(item as u32);
    }

    fn take_back(&mut self) {
        if let Some(item) = self.state.pack.pop() {
            self.state.taken[item as usize] -= 1;
        }
    }

    fn keep(&mut self, worth: f64) {
        self.state.best = worth;
        self.state.best_pack.clone_from(&self.state.pack);
    }

    /// Fills the pack greedily: each time with the item after which the pack can become worth most.
    fn follow(&mut self, first: usize, room: &[u32; K], graphs: u32, mut worth: f64) {
        // Where the grid is exact, a pack is the best that the dearest room can hold, of dearer items, too.
        let (mut room, mut graphs, mut from) = (*room, graphs, if self.is_exact { 0 } else { first });
        while graphs > 0 {
            let all = self.upper(&room, graphs);
            let mut best = (0.0, None);
            let most = self.multipliers.most(&room, graphs);
            let mut at = from;
            loop {
                at = self.next(at, most - best.0);
                let Some(item) = self.items.get(at) else { break };
                if !self.is_exact && item.price * f64::from(graphs) <= best.0 {
                    break;
                }
                if item.size.fits(&room) && self.state.taken[at] < item.left {
                    self.state.visits += 1;
                    let with = item.price + self.upper(&room.less(&item.size, 1), graphs - 1);
                    if with > best.0 {
                        best = (with, Some(at));
                        if with >= all {
                            break;
                        }
                    }
                }
                at += 1;
            }
            let Some(next) = best.1.filter(|_| worth + best.0 > self.state.best) else { break };
            self.put(next);
            worth += self.items[next].price;
            room = room.less(&self.items[next].size, 1);
            graphs -= 1;
            from = next;
        }
        if worth > self.state.best {
            self.keep(worth);
        }
    }

    /// Tries all ways to go on with the pack by items from `from` on.
    fn extend(&mut self, from: usize, room: &[u32; K], graphs: u32, worth: f64) {
        if worth > self.state.best {
            self.keep(worth);
        }
        if graphs == 0 {
            return;
        }
        let most = worth + self.multipliers.most(room, graphs);
        // Skips items that are too dear to fit. Often none are, and to search for them would take a seventh of the
        // time.
        let dearest = self.upper(room, 1);
        let mut at = from;
        if self.items.get(at).is_some_and(|item| item.price > dearest) {
            at += self.items[at..].partition_point(|item| item.price > dearest);
        }
        loop {
            // Items further on are not dearer.
            at = self.next(at, most - self.state.best);
            let Some(item) = self.items.get(at) else { return };
            if worth + item.price * f64::from(graphs) <= self.state.best || self.state.tries == 0 {
                return;
            }
            self.state.tries -= 1;
            at += 1;
            if !item.size.fits(room) || self.state.taken[at - 1] >= item.left {
                continue;
            }
            let with = worth + item.price;
            if graphs == 1 {
                self.put(at - 1);
                self.keep(with);
                self.take_back();
                return;
            }
            let rest = room.less(&item.size, 1);
            self.state.visits += 1;
            if with + self.multipliers.most(&rest, graphs - 1) > self.state.best
                && with + self.upper(&rest, graphs - 1) > self.state.best
            {
                self.put(at - 1);
                self.extend(at - 1, &rest, graphs - 1, with);
                self.take_back();
            }
        }
    }

    /// The first item from `at` on that takes less than `most` beyond its price, or the end.
    #[inline]
    fn next(&mut self, mut at: usize, most: f64) -> usize {
        self.state.visits += 1;
        let (start, end) = (at, self.items.len());
        // In pieces, because that is several comparisons at once.
        while let Some(piece) = self.losses[..end].get(at..at + PIECE) {
            if piece.iter().fold(false, |any, &loss| any | (loss < most)) {
                break;
            }
            at += PIECE;
        }
        while at < end && self.losses[at] >= most {
            at += 1;
        }
        self.state.visits += (at - start) as u64 / 16;
        at
    }
}
