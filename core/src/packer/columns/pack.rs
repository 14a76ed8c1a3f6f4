//! [`pack`]: solves the configuration program, rounds it down, and packs the graphs left over.

use super::lift::lift;
use super::program;
use crate::packer::{demand, greedy::best_fit};
use crate::{Effort, Heuristic, Histogram, Limits, Plan, Size};
use alloc::vec::Vec;

/// Packs, beginning the program with the packs of `start`, which is a plan for the same graphs or has no packs. The
/// plan carries the bound that the program proves. None if the program is too large for `effort`.
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
        let histogram = Histogram::from_counts(sizes).ok()?;
        let limits = Limits { size: Size([limits.size.0[component]]), graphs: limits.graphs };
        let mut share = Effort::steps(effort.left() / 4 / K as u64);
        let before = share.left();
        let solution = program::solve(&histogram, &limits, &start.project(component), &mut share);
        effort.spend(before - share.left());
        solution.map(|solution| (component, histogram, solution))
    };
    let projections: Vec<_> = (0..K).filter_map(|component| projected(component, effort)).collect();
    let binding = projections.iter().max_by_key(|(_, _, solution)| solution.bound());
    let projected_bound = binding.map_or(0, |(_, _, solution)| solution.bound());
    if start.distinct_packs() > 0 && projected_bound.max(start.bound()) == start.packs() {
        return Some(start.clone().with_bound(projected_bound));
    }
    let whole_program = program::solve(histogram, limits, start, effort).map(|solution| {
        let packs = solution.whole(histogram).into_iter().map(|(column, repeat)| {
            (column.iter().map(|(position, times)| (histogram.entries()[position].0, times)).collect(), repeat)
        });
        complete(packs.collect(), histogram, limits, effort).with_bound(solution.bound())
    });
    let lifted = binding.map(|(component, projection, solution)| {
        let packs = lift(&solution.whole(projection), *component, projection, histogram, limits);
        complete(packs, histogram, limits, effort)
    });
    let bound = whole_program.as_ref().map_or(0, Plan::bound).max(projected_bound);
    [whole_program, lifted].into_iter().flatten().min_by_key(Plan::packs).map(|plan| plan.with_bound(bound))
}

/// A plan of the given packs and of packs for the graphs that they leave over.
fn complete<const K: usize>(
    packs: Vec<(Vec<(Size<K>, u32)>, u64)>,
    histogram: &Histogram<K>,
    limits: &Limits<K>,
    effort: &mut Effort,
) -> Plan<K> {
    let mut plan = Plan::empty(*limits);
    for (contents, repeat) in packs {
        plan.push(contents, repeat);
    }
    let rest = histogram.without(&plan.histogram());
    let heuristics = [Heuristic::Product, Heuristic::Maximum];
    let fitted = heuristics.map(|heuristic| best_fit::pack(&rest, limits, &heuristic));
    let demanded = demand::pack(&rest, limits, effort);
    if let Some(best) = fitted.into_iter().chain(demanded).min_by_key(Plan::packs) {
        plan.append(&best);
    }
    plan
}
