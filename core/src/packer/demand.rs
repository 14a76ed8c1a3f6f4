//! The demand packer: every pack is a small likeness of what is left to be packed.
//!
//! Several limits bind at once, and greedy packers run out of graphs that are rich in one set and poor in another. A
//! pack therefore starts with the largest size left and then takes, one after the other, the size whose direction is
//! best aligned with what the pack still lacks: what a pack should hold on average from here on, minus what this one
//! holds, over all sets and the number of graphs. When nothing more fits, the last two graphs are exchanged for the
//! pair that fills the pack best. The pack is repeated as often as the counts allow.
//!
//! Of very many sizes, [`super::slices`] packs some thousands at a time.
//!
//! On ogbg-molhiv (limits 222 x 502) this gives 3,744 packs, which [`Packer::Auto`] proves to be the fewest. Without
//! the exchange of the last pair it gives 3,768; best-fit gives 3,764.
//!
//! [`Packer::Auto`]: super::Packer::Auto

use super::size_tree::{LOOK_STEPS, SizeTree, Vector};
use crate::lanes::Lanes;
use crate::packer::Budget;
use crate::packer::greedy::best_fit;
use crate::packer::problem::{Counts, Packs};
use crate::{FixedLimits, Heuristic, bound};
use alloc::vec::Vec;

/// Steps of budget that a size takes before the first pack, for the tree and for sorting; measured as time.
pub(crate) const DEMAND_STEPS: u64 = 600;

/// Packs all graphs; those that are left when `budget` runs out by best-fit, which takes `best_fit_steps` for all of
/// them. What it takes before the first pack, [`DEMAND_STEPS`] for each size, is the caller's.
pub(crate) fn pack<const K: usize>(
    histogram: &Counts<K>,
    limits: &FixedLimits<K>,
    best_fit_steps: u64,
    budget: &mut Budget,
) -> Packs {
    let mut packing = Packing { best_fit_steps, ..Packing::new(histogram, limits, u64::MAX) };
    packing.run(budget);
    budget.use_up(packing.steps_of_rest());
    packing.plan()
}

/// Returns a plan with fewer than `most` packs; None if demand finds none, or `budget` is spent. It gives up as soon as
/// the packs so far and the bound of what is left reach `most`.
pub(crate) fn pack_below<const K: usize>(
    histogram: &Counts<K>,
    limits: &FixedLimits<K>,
    most: u64,
    budget: &mut Budget,
) -> Option<Packs> {
    budget.use_up(DEMAND_STEPS * histogram.entries().len() as u64);
    let mut packing = Packing { most, ..Packing::new(histogram, limits, u64::MAX) };
    packing.run(budget);
    (packing.is_done() && packing.packs < most).then_some(packing.plan)
}

/// The demand packer at work.
pub(crate) struct Packing<'a, const K: usize> {
    histogram: &'a Counts<K>,
    limits: FixedLimits<K>,
    pub(super) tree: SizeTree<K>,
    /// Items of the tree in the order in which they begin packs.
    order: Vec<usize>,
    /// How many graphs of each of these items may begin no pack in a first round. Empty in the second round, or if
    /// there is only one.
    put_off: Vec<u64>,
    /// Position in `order` of the item that begins the next pack.
    next: usize,
    /// The packs so far.
    pub(super) plan: Packs,
    packs: u64,
    /// What they leave: rows of each set and graphs, those that are not in the tree included.
    pub(super) totals: [u128; K],
    pub(super) graphs: u64,
    /// Number of packs at which it gives up.
    most: u64,
    /// Stops when at most this number of graphs is left.
    pub(super) least: u64,
    /// Number of packs that are filled before the items are sorted again.
    unsorted: u64,
    /// Steps of budget that best-fit of all graphs takes.
    best_fit_steps: u64,
}

impl<'a, const K: usize> Packing<'a, K> {
    pub(crate) fn new(histogram: &'a Counts<K>, limits: &FixedLimits<K>, patience: u64) -> Self {
        let tree = SizeTree::new(histogram, limits, patience);
        let mut order: Vec<usize> = (0..tree.len()).collect();
        order.sort_unstable_by(|&a, &b| {
            let rank = |item| (tree.scaled(item).largest(), tree.size(item));
            rank(b).0.total_cmp(&rank(a).0).then(rank(b).1.cmp(&rank(a).1))
        });
        let (totals, graphs) = (histogram.totals(), histogram.graphs());
        Self {
            histogram,
            limits: *limits,
            tree,
            order,
            put_off: Vec::new(),
            next: 0,
            plan: Packs::default(),
            packs: 0,
            totals,
            graphs,
            most: u64::MAX,
            least: 0,
            unsorted: 0,
            best_fit_steps: 0,
        }
    }

    /// Lets packs begin with three tenths of the graphs of each size at first, and with sizes of many graphs as if they
    /// were twice as large.
    ///
    /// Slices would leave all small graphs, and sizes that no others go well with, to the last ones: on 90,000 skewed
    /// sizes 1.5 % more packs than sums say, and 0.4 % like this.
    pub(super) fn share_out(&mut self) {
        let many = self.histogram.graphs() / HEAVY;
        let tree = &self.tree;
        let rank = |item: usize| tree.scaled(item).largest() * if tree.left(item) > many { 2.0 } else { 1.0 };
        // Stable, so that equal ones stay in descending order.
        self.order.sort_by(|&a, &b| rank(b).total_cmp(&rank(a)));
        let (mut seen, mut put_off) = (0_u64, 0);
        for &item in &self.order {
            let left = tree.left(item);
            seen += left;
            let share = left.min((u128::from(seen) * 7 / 10) as u64 - put_off);
            put_off += share;
            self.put_off.push(share);
        }
    }

    /// Whether all graphs are packed.
    pub(crate) fn is_done(&self) -> bool {
        self.graphs == 0
    }

    /// Steps of best-fit for the graphs that are left.
    fn steps_of_rest(&self) -> u64 {
        let all = u128::from(self.histogram.graphs().max(1));
        u64::try_from(u128::from(self.best_fit_steps) * u128::from(self.graphs) / all).unwrap_or(u64::MAX)
    }

    /// Packs until no graphs are left, or until `budget` is just enough for best-fit of those that are left, which is
    /// checked after each distinct pack.
    pub(crate) fn run(&mut self, budget: &mut Budget) {
        loop {
            let Some(&first) = self.order.get(self.next) else {
                if self.put_off.is_empty() {
                    return;
                }
                (self.next, self.put_off) = (0, Vec::new());
                continue;
            };
            if self.tree.left(first) <= self.put_off.get(self.next).copied().unwrap_or(0) {
                self.next += 1;
                continue;
            }
            if self.graphs <= self.least || budget.left() < self.steps_of_rest() {
                return;
            }
            self.add_packs(first);
            let given_up = || {
                self.packs + bound::of_sums(&self.totals, self.graphs, &self.limits.size, self.limits.graphs)
                    >= self.most
            };
            if budget.take(self.tree.take_steps()).is_none() || (self.most < u64::MAX && given_up()) {
                return;
            }
        }
    }

    /// Fills a pack that begins with the item `first`, and repeats it.
    fn add_packs(&mut self, first: usize) {
        let mut pack = self.begin();
        pack.put(&mut self.tree, first, 1);
        self.fill(&mut pack);
        self.finish(pack, u64::MAX);
    }

    /// Returns an empty pack that is to have the proportions of what is left.
    pub(super) fn begin(&self) -> Filling<K> {
        let remaining = Vector::share(self.totals.map(|total| total as f64), self.graphs as f64, &self.limits);
        Filling::new(&self.limits, remaining)
    }

    /// Puts into a pack what it lacks most, until nothing more fits, and exchanges the last two graphs.
    pub(super) fn fill(&mut self, pack: &mut Filling<K>) {
        let tree = &mut self.tree;
        while let Some(item) = pack.most_wanted(tree) {
            let times = pack.times(tree, item);
            pack.put(tree, item, times);
        }
        if self.unsorted == 0 {
            self.unsorted = SORTED;
            tree.sort(pack.weights());
        }
        self.unsorted -= 1;
        pack.improve_last_pair(tree, self.plan.len());
    }

    /// Adds a pack as often as the counts allow, but no more than `most` times. Returns how often.
    pub(super) fn finish(&mut self, mut pack: Filling<K>, most: u64) -> u64 {
        let tree = &mut self.tree;
        let contents = pack.contents();
        let more = contents.iter().map(|&(item, times)| tree.left(item) / u64::from(times)).min().unwrap_or(0);
        let more = more.min(most.saturating_sub(1));
        for &(item, times) in &contents {
            tree.take(item, more * u64::from(times));
            let taken = (more + 1) * u64::from(times);
            self.graphs -= taken;
            for (total, rows) in self.totals.iter_mut().zip(tree.size(item)) {
                *total -= u128::from(taken) * u128::from(rows);
            }
        }
        self.packs += more + 1;
        self.plan.push(contents.iter().map(|&(item, times)| (tree.number(item), times)), more + 1);
        more + 1
    }

    /// The packs so far, and packs by best-fit for the graphs that are left.
    pub(crate) fn plan(&self) -> Packs {
        let mut plan = self.plan.clone();
        if !self.is_done() {
            let rest = self.histogram.without(&plan);
            plan.append(&best_fit::pack(&rest, &self.limits, &Heuristic::Product).0);
        }
        plan
    }
}

/// Number of sizes that are tried as the first of a last pair, about, by the number of sets (the last is for 8 and
/// more): fewer where each takes longer.
const SCANS: [usize; 9] = [256, 256, 256, 256, 256, 120, 120, 32, 32];

/// Packs after which sizes are sorted again. Until then, searches skip sizes of which no graph is left.
const SORTED: u64 = 64;

/// A size has many graphs if it has more than 1/200 of the slice's: such sizes begin packs earlier in a slice.
const HEAVY: u64 = 200;

/// A limit binds where a pack should hold more than this share of it: those that nearly bind count, too.
const BINDS: f64 = 0.999;

/// A pack that is being filled with items of the tree.
pub(super) struct Filling<const K: usize> {
    /// What a pack should hold, as shares of the limits: 1 where the limit binds, less elsewhere.
    wanted: Vector<K>,
    /// What this pack holds, as shares of the limits.
    held: Vector<K>,
    room: [u32; K],
    graphs_left: u32,
    /// The limit of graphs, as a factor that turns shares into numbers.
    most_graphs: f64,
    /// Items and how many graphs of each were put in, in this order; an item may occur again.
    items: Vec<(usize, u32)>,
}

impl<const K: usize> Filling<K> {
    /// An empty pack, where `remaining` are the graphs left, as shares of the limits.
    pub(super) fn new(limits: &FixedLimits<K>, remaining: Vector<K>) -> Self {
        let packs = remaining.largest().max(1.0);
        Self {
            wanted: remaining.map(|x| x / packs),
            held: remaining.map(|_| 0.0),
            room: limits.size,
            graphs_left: limits.graphs,
            most_graphs: f64::from(limits.graphs),
            items: Vec::new(),
        }
    }

    /// Puts `times` graphs of an item into the pack; they must fit.
    pub(super) fn put(&mut self, tree: &mut SizeTree<K>, item: usize, times: u32) {
        tree.take(item, u64::from(times));
        self.hold(tree, item, times);
        self.items.push((item, times));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether a graph of an item fits.
    pub(super) fn has_room(&self, tree: &SizeTree<K>, item: usize) -> bool {
        self.graphs_left > 0 && tree.size(item).fits(&self.room)
    }

    fn hold(&mut self, tree: &SizeTree<K>, item: usize, times: u32) {
        self.held = self.held.plus(&tree.scaled(item).map(|x| x * f64::from(times)));
        self.room = self.room.less(&tree.size(item), times);
        self.graphs_left -= times;
    }

    fn release(&mut self, tree: &SizeTree<K>, item: usize) {
        self.held = self.held.minus(tree.scaled(item));
        self.room = self.room.plus(&tree.size(item));
        self.graphs_left += 1;
    }

    /// Returns how many graphs of an item to put in at once: one, or a thousandth of the graphs still wanted if they
    /// are thousands, so that the work grows with the number of sizes and not of graphs.
    pub(super) fn times(&self, tree: &SizeTree<K>, item: usize) -> u32 {
        let missing = (self.wanted.graphs() - self.held.graphs()) * self.most_graphs / 1024.0;
        // A cast from float to integer saturates, at 0 for negative numbers.
        let most = tree.size(item).times_in(&self.room).min(self.graphs_left);
        (missing as u32).clamp(1, most).min(u32::try_from(tree.left(item)).unwrap_or(u32::MAX))
    }

    /// Takes out the graph that was put in last, and returns its item.
    fn remove(&mut self, tree: &mut SizeTree<K>) -> Option<usize> {
        let (item, times) = self.items.last_mut()?;
        let item = *item;
        *times -= 1;
        if *times == 0 {
            self.items.pop();
        }
        tree.put_back(item, 1);
        self.release(tree, item);
        Some(item)
    }

    /// The item that is best aligned with what the pack still lacks; None if nothing more fits.
    pub(super) fn most_wanted(&self, tree: &mut SizeTree<K>) -> Option<usize> {
        if self.graphs_left == 0 { None } else { tree.most_aligned(&self.wanted.minus(&self.held), &self.room) }
    }

    /// Whether there is room left under a limit that binds.
    fn has_slack(&self) -> bool {
        let binds = |share: f64| share > BINDS;
        (0..K).any(|k| binds(self.wanted.get(k)) && self.room[k] > 0)
            || (binds(self.wanted.graphs()) && self.graphs_left > 0)
    }

    /// The weights of the sets and of the number of graphs: to the eighth power, so that slack where a limit does not
    /// bind hardly counts.
    fn weights(&self) -> Vector<K> {
        self.wanted.map(|share| {
            let fourth = (share * share) * (share * share);
            fourth * fourth
        })
    }

    /// How full the pack is, weighted by [`weights`](Self::weights).
    fn fullness(&self, weights: &Vector<K>) -> f64 {
        self.held.dot(weights)
    }

    /// Exchanges the last two graphs (the last one, if there are only two) for those that fill the pack best. `number`
    /// counts the packs before this one.
    pub(super) fn improve_last_pair(&mut self, tree: &mut SizeTree<K>, number: usize) {
        let graphs: u64 = self.items.iter().map(|&(_, times)| u64::from(times)).sum();
        if !self.has_slack() || graphs < 2 {
            return;
        }
        let (weights, sizes) = tree.sorted();
        let mut best = (self.fullness(&weights), None);
        let removed: Vec<usize> = (0..2.min(graphs - 1)).filter_map(|_| self.remove(tree)).collect();
        // Each pack tries other candidates.
        let step = (sizes / SCANS[K.min(8)]).max(1);
        tree.count_steps(LOOK_STEPS * (sizes / step) as u64);
        for rank in (number.wrapping_mul(7919) % step..sizes).step_by(step) {
            let first = tree.ranked(rank);
            if tree.left(first) == 0 || !tree.size(first).fits(&self.room) {
                continue;
            }
            self.hold(tree, first, 1);
            // Only a heavier second than this makes a better pair; a little less, because sums are rounded.
            let least = best.0 - self.fullness(&weights) - 1e-9;
            let second = if self.graphs_left == 0 {
                None
            } else {
                tree.heaviest(&self.room, &self.held.map(|x| 1.0 - x), least, first)
            };
            let fullness = self.fullness(&weights) + second.map_or(0.0, |item| tree.scaled(item).dot(&weights));
            let is_full = second.is_some_and(|item| {
                self.hold(tree, item, 1);
                let is_full = !self.has_slack();
                self.release(tree, item);
                is_full
            });
            self.release(tree, first);
            if fullness > best.0 {
                best = (fullness, Some((first, second)));
                if is_full {
                    break;
                }
            }
        }
        let chosen: Vec<usize> = match best.1 {
            Some((first, second)) => core::iter::once(first).chain(second).collect(),
            None => removed.into_iter().rev().collect(),
        };
        for item in chosen {
            self.put(tree, item, 1);
        }
    }

    /// Each item of the pack once, with its number of graphs.
    pub(super) fn contents(&mut self) -> Vec<(usize, u32)> {
        self.items.sort_unstable();
        let runs = self.items.chunk_by(|a, b| a.0 == b.0);
        runs.map(|run| (run[0].0, run.iter().map(|(_, times)| times).sum())).collect()
    }
}
