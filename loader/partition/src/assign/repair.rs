//! [`repair`]: moves nodes between parts until no part has too much of anything, at the least cost in cut edges.

use super::undirected::Undirected;
use super::weights::Weights;

/// The largest number of passes over the nodes of parts that have too much.
const PASSES: usize = 20;

/// The amounts that parts have, and the largest that they may have.
struct Sums<'a> {
    weights: &'a Weights,
    /// `[part][constraint]`
    sums: Vec<u64>,
    most: Vec<u64>,
}

/// Moves nodes out of parts that exceed the limit of some constraint: `tolerance` times the mean, or the mean rounded
/// up if that is more. Each move lowers the total excess, so this ends, though not always at 0. Returns the largest
/// ratio of a part's amount to its limit.
pub(super) fn repair(graph: &Undirected, weights: &Weights, owners: &mut [u16], parts: usize, tolerance: f64) -> f64 {
    let most = weights.totals().iter().map(|&total| {
        let mean = total as f64 / parts as f64;
        ((mean * tolerance) as u64).max(total.div_ceil(parts as u64))
    });
    let mut sums = Sums { weights, sums: weights.sums(owners, parts), most: most.collect() };
    // Number of a node's neighbours in each part.
    let mut near = vec![0_i32; parts];
    for _ in 0..PASSES {
        let mut candidates: Vec<(i32, u32)> = Vec::new();
        for node in 0..owners.len() {
            if sums.relieves(node, owners[node].into()) {
                candidates.push((loss(graph, owners, node, &mut near), node as u32));
            }
        }
        candidates.sort_unstable();
        let mut moved = false;
        for (_, node) in candidates {
            let (node, from) = (node as usize, owners[node as usize]);
            if !sums.relieves(node, from.into()) {
                continue;
            }
            graph.of(node).iter().for_each(|&other| near[usize::from(owners[other as usize])] += 1);
            let helps = |&to: &usize| to != usize::from(from) && sums.change(node, from.into(), to) < 0.0;
            // The part that has most of its neighbours; among equals, the one where moving helps most.
            let better = |&a: &usize, &b: &usize| {
                let change = |to| sums.change(node, from.into(), to);
                near[a].cmp(&near[b]).then(change(b).total_cmp(&change(a)))
            };
            if let Some(to) = (0..parts).filter(helps).max_by(better) {
                sums.shift(node, from.into(), to);
                owners[node] = to as u16;
                moved = true;
            }
            graph.of(node).iter().for_each(|&other| near[usize::from(owners[other as usize])] = 0);
            near[usize::from(from)] = 0;
        }
        if !moved {
            break;
        }
    }
    let ratios = sums.sums.iter().zip(sums.most.iter().cycle()).map(|(&sum, &most)| sum as f64 / most as f64);
    ratios.fold(0.0, f64::max)
}

/// Number of edges that are cut if the node moves to the best of the other parts, minus those that are cut now.
fn loss(graph: &Undirected, owners: &[u16], node: usize, near: &mut [i32]) -> i32 {
    let own = usize::from(owners[node]);
    let mut best = 0;
    for &other in graph.of(node) {
        let part = usize::from(owners[other as usize]);
        near[part] += 1;
        if part != own {
            best = best.max(near[part]);
        }
    }
    let loss = near[own] - best;
    graph.of(node).iter().for_each(|&other| near[usize::from(owners[other as usize])] = 0);
    loss
}

impl Sums<'_> {
    fn row(&self, node: usize) -> impl Iterator<Item = (usize, u64)> {
        self.weights
            .of(node)
            .iter()
            .enumerate()
            .filter(|(_, weight)| **weight > 0)
            .map(|(c, &weight)| (c, weight.into()))
    }

    /// Whether the part exceeds the limit of something that the node has.
    fn relieves(&self, node: usize, part: usize) -> bool {
        self.row(node).any(|(c, _)| self.sums[part * self.most.len() + c] > self.most[c])
    }

    /// Change of the total excess, relative to the limits, if the node moves.
    fn change(&self, node: usize, from: usize, to: usize) -> f64 {
        let over = |sum: u64, c: usize| sum.saturating_sub(self.most[c]) as f64 / self.most[c] as f64;
        let change = self.row(node).map(|(c, weight)| {
            let (a, b) = (self.sums[from * self.most.len() + c], self.sums[to * self.most.len() + c]);
            over(a - weight, c) - over(a, c) + over(b + weight, c) - over(b, c)
        });
        change.sum()
    }

    fn shift(&mut self, node: usize, from: usize, to: usize) {
        let width = self.most.len();
        for (c, &weight) in self.weights.of(node).iter().enumerate() {
            let weight = u64::from(weight);
            self.sums[from * width + c] -= weight;
            self.sums[to * width + c] += weight;
        }
    }
}
