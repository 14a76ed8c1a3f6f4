//! [`cheapest`]: the limits with the cheapest epoch, and [`within`] a budget of memory those that may be.

use super::{Candidate, around};
use crate::{Cost, Histogram, Limits, PackError, bound};
use alloc::vec::Vec;

/// Number of sizes of packs that [`within`] proposes, each an eighth smaller than the one before.
const SMALLER: usize = 12;

/// The candidate whose epoch costs least, as packed by [`Candidate::evaluate`]; the first of equal ones; None without
/// `limits`. Packs only under limits that would be cheaper if there were as few packs as the
/// [simple bound](bound::simple).
///
/// ```
/// use graphpack_core::{Cost, Histogram, Size, search};
///
/// // 8 bytes for a node and 24 for an edge, in 100 kB. A step takes as long as 5,000 rows.
/// let histogram = Histogram::from_counts([(Size([20, 40]), 5000), (Size([31, 64]), 2000)])?;
/// let limits = search::within(&histogram, &Cost::rows([8, 24]), 100_000, u32::MAX, 8);
/// let best = search::cheapest(&histogram, &limits, &Cost::SLOTS.step(5000))?.expect("the largest graph fits");
/// assert!(best.limits.size.0[0] * 8 + best.limits.size.0[1] * 24 <= 100_000);
/// assert!(best.graphs_per_step(&histogram) > 60.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cheapest<const K: usize>(
    histogram: &Histogram<K>,
    limits: &[Limits<K>],
    cost: &Cost<K>,
) -> Result<Option<Candidate<K>>, PackError<K>> {
    let (totals, graphs) = (histogram.totals(), histogram.graphs());
    let at_least = |limits: &Limits<K>| cost.of_epoch(bound::simple(totals, graphs, limits), limits);
    let mut waiting: Vec<_> = limits.iter().map(|limits| (at_least(limits), limits)).collect();
    waiting.sort_by_key(|(at_least, _)| *at_least);
    let mut best: Option<(u128, Candidate<K>)> = None;
    for (at_least, limits) in waiting {
        if best.as_ref().is_some_and(|(best, _)| *best <= at_least) {
            break;
        }
        let found = Candidate::evaluate(histogram, *limits)?;
        let found = (cost.of_epoch(found.packs, limits), found);
        if best.as_ref().is_none_or(|best| found.0 < best.0) {
            best = Some(found);
        }
    }
    Ok(best.map(|(_, best)| best))
}

/// Proposes limits [`around`] numbers of graphs, the largest of which need `budget` of `memory` or hold `most_graphs`.
/// None of them needs or holds more; empty if the largest graph needs more.
pub fn within<const K: usize>(
    histogram: &Histogram<K>,
    memory: &Cost<K>,
    budget: u64,
    most_graphs: u32,
    multiple_of: u32,
) -> Vec<Limits<K>> {
    let (totals, count) = (histogram.totals(), histogram.graphs().max(1) as f64);
    let rows = (0..K).map(|k| totals[k] as f64 / count * memory.rows[k] as f64);
    let graph = rows.fold(memory.graph as f64, |sum, rows| sum + rows);
    // No pack has more graphs than there are, even if they need no memory.
    let most = (budget.saturating_sub(memory.step) as f64 / graph).min(count).min(most_graphs.into());
    let mut found: Vec<Limits<K>> = Vec::new();
    let smaller = (0..SMALLER).scan(most, |graphs, _| Some(core::mem::replace(graphs, *graphs * 0.875)));
    // Of no graphs: those of the largest graph.
    for graphs in smaller.chain([0.0]) {
        for limits in around(histogram, graphs, multiple_of) {
            let limits = limits.graphs(limits.graphs.min(most_graphs));
            if memory.of(&limits) <= budget.into() && !found.contains(&limits) {
                found.push(limits);
            }
        }
    }
    found
}
