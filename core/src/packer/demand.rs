//! The demand packer: every pack is a small likeness of what is left to be packed.
//!
//! Limits bind in several components, and greedy packers run out of graphs that are rich in the one and poor in the other. So a pack
//! starts with the largest size left and takes the size whose direction is best aligned with the difference of two vectors: what a pack
//! should hold on average from here on, minus what this one holds, over all components and the number of graphs. When nothing fits any
//! more, the last two graphs are exchanged for the pair that fills the pack best. The pack is repeated as often as the counts allow.
//!
//! On ogbg-molhiv (limits 222 x 502) this gives 3,744 packs, which the configuration bound proves optimal; without the exchange of the
//! last pair 3,768, by best-fit 3,764.

use super::scale::{Scale, Vector};
use super::size_tree::SizeTree;
use crate::{Effort, Histogram, Limits, Plan, Size};
use alloc::vec::Vec;

/// First graphs of a last pair that are tried where more sizes than [`TRY_ALL`] are left.
const TRIES: usize = 32;
/// Up to so many sizes all are tried.
const TRY_ALL: usize = 1024;

/// Steps that a visit of the tree counts as.
const VISIT: u64 = 100;

/// None if `effort` is not enough; that is noticed after each distinct pack.
pub(super) fn pack<const K: usize>(
    histogram: &Histogram<K>,
    limits: &Limits<K>,
    effort: &mut Effort,
) -> Option<Plan<K>> {
    let scale = Scale::new(limits);
    let mut tree = SizeTree::new(histogram.entries(), &scale);
    let mut plan = Plan::empty(*limits);
    let mut totals = histogram.totals();
    let mut graphs = histogram.graphs();
    let mut seeds: Vec<usize> = (0..tree.len()).collect();
    seeds.sort_unstable_by(|&a, &b| {
        let rank = |item| (tree.scaled(item).largest(), tree.size(item));
        rank(b).0.total_cmp(&rank(a).0).then(rank(b).1.cmp(&rank(a).1))
    });
    for &seed in &seeds {
        while tree.left(seed) > 0 {
            let remaining = scale.amount(totals.map(|total| total as f64), graphs as f64);
            let mut pack = Filling::new(limits, remaining);
            pack.put(&mut tree, seed, 1);
            while let Some(item) = pack.most_wanted(&mut tree) {
                let times = pack.times(&tree, item);
                pack.put(&mut tree, item, times);
            }
            pack.improve_last_pair(&mut tree, plan.distinct_packs());
            let contents = pack.contents();
            let more = contents.iter().map(|&(item, times)| tree.left(item) / u64::from(times)).min().unwrap_or(0);
            for &(item, times) in &contents {
                tree.take(item, more * u64::from(times));
                let taken = (more + 1) * u64::from(times);
                graphs -= taken;
                for (total, component) in totals.iter_mut().zip(tree.size(item).0) {
                    *total -= u128::from(taken) * u128::from(component);
                }
            }
            plan.push(contents.iter().map(|&(item, times)| (tree.size(item), times)), more + 1);
            if !effort.spend(core::mem::take(&mut tree.visits) * VISIT) {
                return None;
            }
        }
    }
    Some(plan)
}

/// A pack that is being filled.
struct Filling<const K: usize> {
    /// What a pack should hold, as shares of the limits: 1 where the limit binds, less where there is slack.
    target: Vector<K>,
    held: Vector<K>,
    room: Size<K>,
    graphs_left: u32,
    /// Most graphs of a pack, as a number to multiply shares with.
    most_graphs: f64,
    /// Items with the number of graphs of each, in the order in which they came; an item may come again.
    items: Vec<(usize, u32)>,
}

impl<const K: usize> Filling<K> {
    fn new(limits: &Limits<K>, remaining: Vector<K>) -> Self {
        let packs = remaining.largest().max(1.0);
        Self {
            target: remaining.map(|x| x / packs),
            held: remaining.map(|_| 0.0),
            room: limits.size,
            graphs_left: limits.graphs,
            most_graphs: f64::from(limits.graphs),
            items: Vec::new(),
        }
    }

    fn put(&mut self, tree: &mut SizeTree<K>, item: usize, times: u32) {
        tree.take(item, u64::from(times));
        self.held = self.held.plus(&tree.scaled(item).map(|x| x * f64::from(times)));
        self.room = self.room.less(&tree.size(item), times);
        self.graphs_left -= times;
        self.items.push((item, times));
    }

    /// How many graphs of an item are put at once: one, but in packs of thousands a thousandth of what is wanted, so that the work follows the
    /// number of sizes there, too.
    fn times(&self, tree: &SizeTree<K>, item: usize) -> u32 {
        let wanted = (self.target.graphs - self.held.graphs) * self.most_graphs / 1024.0;
        // A cast from float to integer saturates, at 0 for negative numbers.
        let most = tree.size(item).times_in(&self.room).min(self.graphs_left);
        (wanted as u32).clamp(1, most).min(u32::try_from(tree.left(item)).unwrap_or(u32::MAX))
    }

    /// Takes the last graph out.
    fn remove(&mut self, tree: &mut SizeTree<K>) -> Option<usize> {
        let (item, times) = self.items.last_mut()?;
        let item = *item;
        *times -= 1;
        if *times == 0 {
            self.items.pop();
        }
        tree.put_back(item, 1);
        self.held = self.held.minus(tree.scaled(item));
        self.room = self.room.plus(&tree.size(item));
        self.graphs_left += 1;
        Some(item)
    }

    fn most_wanted(&self, tree: &mut SizeTree<K>) -> Option<usize> {
        if self.graphs_left == 0 { None } else { tree.most_aligned(&self.target.minus(&self.held), &self.room) }
    }

    /// Whether a limit that binds has room left.
    fn has_slack(&self) -> bool {
        let binds = |share: f64| share > 0.999;
        (0..K).any(|k| binds(self.target.components[k]) && self.room.0[k] > 0)
            || (binds(self.target.graphs) && self.graphs_left > 0)
    }

    /// How full the pack is, binding components counting most.
    fn fullness(&self, weights: &Vector<K>) -> f64 {
        self.held.dot(weights)
    }

    /// Exchanges the last two graphs (of two, the last) for the fullest pair.
    fn improve_last_pair(&mut self, tree: &mut SizeTree<K>, number: usize) {
        let graphs: u64 = self.items.iter().map(|&(_, times)| u64::from(times)).sum();
        if !self.has_slack() || graphs < 2 {
            return;
        }
        // The eighth power: slack where the limit does not bind hardly counts.
        let weights = self.target.map(|share| {
            let fourth = (share * share) * (share * share);
            fourth * fourth
        });
        let before = self.fullness(&weights);
        let removed: Vec<usize> = (0..2.min(graphs - 1)).filter_map(|_| self.remove(tree)).collect();
        let step = if tree.len() <= TRY_ALL { 1 } else { tree.len() / TRIES };
        // Other candidates for every pack.
        let start = number.wrapping_mul(7919) % step;
        let mut best = (before, None);
        for first in (start..tree.len()).step_by(step) {
            if tree.left(first) == 0 || !tree.size(first).fits(&self.room) {
                continue;
            }
            self.put(tree, first, 1);
            let second = if self.graphs_left > 0 {
                tree.heaviest(&weights, &self.room, &self.held.map(|x| 1.0 - x))
            } else {
                None
            };
            let fullness = self.fullness(&weights) + second.map_or(0.0, |item| tree.scaled(item).dot(&weights));
            let done = second.is_some_and(|item| {
                self.put(tree, item, 1);
                let done = !self.has_slack();
                self.remove(tree);
                done
            });
            self.remove(tree);
            if fullness > best.0 {
                best = (fullness, Some((first, second)));
                if done && tree.len() > TRY_ALL {
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

    /// Items with the number of graphs of each.
    fn contents(mut self) -> Vec<(usize, u32)> {
        self.items.sort_unstable();
        let runs = self.items.chunk_by(|a, b| a.0 == b.0);
        runs.map(|run| (run[0].0, run.iter().map(|(_, times)| times).sum())).collect()
    }
}
