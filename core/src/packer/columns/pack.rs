//! [`pack`]: solves the configuration program and rounds it.

use super::lift::lift;
use super::program;
use super::round::{complete, round, whole};
use crate::{Effort, Histogram, Limits, Plan, Size};
use alloc::vec::Vec;

/// Packs, beginning the program with the packs of `start`, which is a plan for the same graphs. Returns `start`, with
/// the bound that the program proves, unless another plan is better. None if the program is too large for `effort`.
pub(crate) fn pack<const K: usize>(
    histogram: &Histogram<K>,
    limits: &Limits<K>,
    start: &Plan<K>,
    effort: &mut Effort,
) -> Option<Plan<K>> {
    // The programs of single components are small. Each may bound the number of packs better than the whole program
    // does where that one cannot be finished.
    let projected = |component: usize, effort: &mut Effort| {
        let sizes = histogram.entries().iter().map(|(size, count)| (Size([size.0[component]]), *count));
        let projection = Histogram::from_counts(sizes).ok()?;
        let limits = Limits { size: Size([limits.size.0[component]]), graphs: limits.graphs };
        let packs = start.project(component);
        let solve =
            |effort: &mut Effort| program::solve(&projection, &limits, packs.iter().map(|pack| pack.contents), effort);
        let solution = effort.share(4 * K as u64, solve)?;
        Some((component, projection, solution))
    };
    let projections: Vec<_> = (0..K).filter_map(|component| projected(component, effort)).collect();
    let binding = projections.iter().max_by_key(|(_, _, solution)| solution.bound);
    let mut best = start.clone();
    if let Some((component, projection, solution)) = binding {
        best = best.with_bound(solution.bound);
        if best.packs() > best.bound() {
            let packs =
                whole(solution, projection, &Limits { size: Size([limits.size.0[*component]]), graphs: limits.graphs });
            let plan = lift(&packs, *component, projection, histogram, limits);
            let rest = histogram.without(&plan.histogram());
            let lifted = complete(plan, &rest, effort);
            if lifted.packs() < best.packs() {
                best = lifted.with_bound(best.bound());
            }
        }
    }
    if best.packs() == best.bound() {
        return Some(best);
    }
    match program::solve(histogram, limits, start.iter().map(|pack| pack.contents), effort) {
        Some(solution) => Some(round(best, histogram, &solution, effort)),
        None => binding.map(|_| best),
    }
}
