//! [`Packing`]: begins each pack with the largest size left, and repeats it as often as the counts allow.

use super::filling::Filling;
use super::size_tree::SizeTree;
use super::vector::Vector;
use crate::packer::Effort;
use crate::packer::greedy::best_fit;
use crate::packer::problem::{Counts, Packs};
use crate::{FixedLimits, bound};
use alloc::vec::Vec;

/// Steps of effort that one visit of the tree costs.
const VISIT: u64 = 48;

/// Packs all graphs; those that are left when `effort` runs out by best-fit.
pub(crate) fn pack<const K: usize>(histogram: &Counts<K>, limits: &FixedLimits<K>, effort: &mut Effort) -> Packs {
    let mut packing = Packing::new(histogram, limits);
    packing.run(effort);
    packing.plan()
}

/// A plan with fewer than `most` packs, if demand finds one; given up as soon as the sums of what is left say no.
pub(crate) fn pack_below<const K: usize>(histogram: &Counts<K>, limits: &FixedLimits<K>, most: u64) -> Option<Packs> {
    let mut packing = Packing { most, ..Packing::new(histogram, limits) };
    packing.run(&mut Effort::steps(u64::MAX));
    (packing.is_done() && packing.packs < most).then_some(packing.plan)
}

/// The demand packer at work. It can be interrupted between two packs, and goes on as if it had not been.
pub(crate) struct Packing<'a, const K: usize> {
    histogram: &'a Counts<K>,
    limits: FixedLimits<K>,
    tree: SizeTree<K>,
    /// Items of the tree, the largest first; those before `next` are packed.
    descending: Vec<usize>,
    next: usize,
    /// The packs so far, and what they leave.
    plan: Packs,
    packs: u64,
    totals: [u128; K],
    graphs: u64,
    /// Packs at which it gives up.
    most: u64,
}

impl<'a, const K: usize> Packing<'a, K> {
    pub(crate) fn new(histogram: &'a Counts<K>, limits: &FixedLimits<K>) -> Self {
        let tree = SizeTree::new(histogram, limits);
        let mut descending: Vec<usize> = (0..tree.len()).collect();
        descending.sort_unstable_by(|&a, &b| {
            let rank = |item| (tree.scaled(item).largest(), tree.size(item));
            rank(b).0.total_cmp(&rank(a).0).then(rank(b).1.cmp(&rank(a).1))
        });
        let (totals, graphs) = (histogram.totals(), histogram.graphs());
        let (plan, most) = (Packs::default(), u64::MAX);
        Self { histogram, limits: *limits, tree, descending, next: 0, plan, packs: 0, totals, graphs, most }
    }

    /// Whether all graphs are packed.
    pub(crate) fn is_done(&self) -> bool {
        self.graphs == 0
    }

    /// Goes on until all graphs are packed, or until `effort` runs out, which is checked after each distinct pack.
    pub(crate) fn run(&mut self, effort: &mut Effort) {
        while let Some(&first) = self.descending.get(self.next) {
            if self.tree.left(first) == 0 {
                self.next += 1;
                continue;
            }
            self.add_packs(first);
            let given_up = || {
                self.packs + bound::simple_of(&self.totals, self.graphs, &self.limits.size, self.limits.graphs)
                    >= self.most
            };
            if !effort.spend(self.tree.take_visits() * VISIT) || (self.most < u64::MAX && given_up()) {
                return;
            }
        }
    }

    /// Fills a pack that begins with the item `first`, and repeats it.
    fn add_packs(&mut self, first: usize) {
        let limits = self.limits;
        let remaining = Vector::share(self.totals.map(|total| total as f64), self.graphs as f64, &limits);
        let mut pack = Filling::new(&limits, remaining);
        let tree = &mut self.tree;
        pack.put(tree, first, 1);
        while let Some(item) = pack.most_wanted(tree) {
            let times = pack.times(tree, item);
            pack.put(tree, item, times);
        }
        pack.improve_last_pair(tree, self.plan.len());
        let contents = pack.contents();
        let more = contents.iter().map(|&(item, times)| tree.left(item) / u64::from(times)).min().unwrap_or(0);
        for &(item, times) in &contents {
            tree.take(item, more * u64::from(times));
            let taken = (more + 1) * u64::from(times);
            self.graphs -= taken;
            for (total, component) in self.totals.iter_mut().zip(tree.size(item)) {
                *total -= u128::from(taken) * u128::from(component);
            }
        }
        self.packs += more + 1;
        self.plan.push(contents.iter().map(|&(item, times)| (tree.number(item), times)), more + 1);
    }

    /// The packs so far, and packs by best-fit for the graphs that are left.
    pub(crate) fn plan(&self) -> Packs {
        let mut plan = self.plan.clone();
        if !self.is_done() {
            let rest = self.histogram.without(&plan);
            plan.append(&best_fit::better_of_two(&rest, &self.limits));
        }
        plan
    }
}
