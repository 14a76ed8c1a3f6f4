//! [`pack`]: begins each pack with the largest size left, and repeats it as often as the counts allow.

use super::filling::Filling;
use super::size_tree::SizeTree;
use super::vector::Vector;
use crate::{Effort, Histogram, Limits, Plan};
use alloc::vec::Vec;

/// Steps of effort that one visit of the tree costs.
const VISIT: u64 = 100;

/// Packs all graphs; None if `effort` runs out, which is checked after each distinct pack.
pub(crate) fn pack<const K: usize>(
    histogram: &Histogram<K>,
    limits: &Limits<K>,
    effort: &mut Effort,
) -> Option<Plan<K>> {
    let mut tree = SizeTree::new(histogram.entries(), limits);
    let mut plan = Plan::empty(*limits);
    let mut totals = histogram.totals();
    let mut graphs = histogram.graphs();
    let mut descending: Vec<usize> = (0..tree.len()).collect();
    descending.sort_unstable_by(|&a, &b| {
        let rank = |item| (tree.scaled(item).largest(), tree.size(item));
        rank(b).0.total_cmp(&rank(a).0).then(rank(b).1.cmp(&rank(a).1))
    });
    for &first in &descending {
        while tree.left(first) > 0 {
            let remaining = Vector::share(totals.map(|total| total as f64), graphs as f64, limits);
            let mut pack = Filling::new(limits, remaining);
            pack.put(&mut tree, first, 1);
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
            if !effort.spend(tree.take_visits() * VISIT) {
                return None;
            }
        }
    }
    Some(plan)
}
