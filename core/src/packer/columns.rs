//! The columns packer: the configuration program, rounded.
//!
//! Nearly exact where few sizes have large counts: on the PCQM4Mv2 histogram, where greedy packers are 3 to 4 % off. The fractional use of each
//! pack is rounded down, and the few graphs left over are packed by the demand packer or best-fit, whichever needs fewer packs.
//!
//! Where the grid of all limits is too large for the knapsack, the program is solved for the component that bounds the number of packs best,
//! and its packs are filled with sizes that have this component; graphs for which the other limits leave no room are packed as leftovers.

use super::best_fit;
use super::demand;
use crate::configuration::{self, Column};
use crate::{Effort, Heuristic, Histogram, Limits, Plan, Size};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// Packs, beginning the program with the packs of `start`, a plan for the same graphs or one without packs. The plan has the bound that the
/// program proves. None if the program is too large for `effort`.
pub(super) fn pack<const K: usize>(
    histogram: &Histogram<K>,
    limits: &Limits<K>,
    start: &Plan<K>,
    effort: &mut Effort,
) -> Option<Plan<K>> {
    // The programs of single components are small, and may bound the number of packs better than a large one that does not get finished.
    let projected = |component: usize, effort: &mut Effort| {
        let sizes = histogram.entries().iter().map(|(size, count)| (Size([size.0[component]]), *count));
        let histogram = Histogram::from_counts(sizes).ok()?;
        let limits = Limits { size: Size([limits.size.0[component]]), graphs: limits.graphs };
        let mut share = Effort::steps(effort.left() / 4 / K as u64);
        let before = share.left();
        let solution = configuration::solve(&histogram, &limits, &start.project(component), &mut share);
        effort.spend(before - share.left());
        solution.map(|solution| (component, histogram, solution))
    };
    let projections: Vec<_> = (0..K).filter_map(|component| projected(component, effort)).collect();
    let binding = projections.iter().max_by_key(|(_, _, solution)| solution.bound);
    let projected_bound = binding.map_or(0, |(_, _, solution)| solution.bound);
    if start.distinct_packs() > 0 && projected_bound.max(start.bound()) == start.packs() {
        return Some(start.clone().with_bound(projected_bound));
    }
    let whole_program = configuration::solve(histogram, limits, start, effort).map(|solution| {
        let packs = whole(&solution.columns, |position| histogram.entries()[position].1);
        let packs = packs.into_iter().map(|(column, repeat)| {
            (column.iter().map(|&(position, times)| (histogram.entries()[position].0, times)).collect(), repeat)
        });
        complete(packs.collect(), histogram, limits, effort).with_bound(solution.bound)
    });
    let lifted = binding.map(|(component, projection, solution)| {
        let packs = whole(&solution.columns, |position| projection.entries()[position].1);
        complete(lift(&packs, *component, projection, histogram, limits), histogram, limits, effort)
    });
    let bound = whole_program.as_ref().map_or(0, Plan::bound).max(projected_bound);
    [whole_program, lifted].into_iter().flatten().min_by_key(Plan::packs).map(|plan| plan.with_bound(bound))
}

/// Columns rounded down, no size used more often than it occurs.
fn whole(columns: &[(Column, f64)], count: impl Fn(usize) -> u64) -> Vec<(&Column, u64)> {
    let mut left: Vec<u64> = (0..columns.len()).map(count).collect();
    let mut packs = Vec::new();
    for (column, used) in columns {
        let fitting = column.iter().map(|&(position, times)| left[position] / u64::from(times)).min().unwrap_or(0);
        // A cast from float to integer saturates. Fractions that are whole up to rounding are whole.
        let repeat = fitting.min((used + 1e-7) as u64);
        if repeat > 0 {
            for &(position, times) in column {
                left[position] -= repeat * u64::from(times);
            }
            packs.push((column, repeat));
        }
    }
    packs
}

/// A plan of the given packs, and of all graphs that they leave over.
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

/// Fills packs of one component with whole sizes: from each class of that component the largest and the smallest in turn, so that the other
/// components come out even. Packs that exceed another limit are left out.
fn lift<const K: usize>(
    packs: &[(&Column, u64)],
    component: usize,
    projection: &Histogram<1>,
    histogram: &Histogram<K>,
    limits: &Limits<K>,
) -> Vec<(Vec<(Size<K>, u32)>, u64)> {
    let mut classes: Vec<VecDeque<(Size<K>, u64)>> = projection.entries().iter().map(|_| VecDeque::new()).collect();
    for &(size, count) in histogram.entries() {
        if let Ok(class) = projection.entries().binary_search_by_key(&[size.0[component]], |(size, _)| size.0) {
            classes[class].push_back((size, count));
        }
    }
    let mut lifted: Vec<(Vec<(Size<K>, u32)>, u64)> = Vec::new();
    for &(column, repeat) in packs {
        let places = || column.iter().flat_map(|&(class, times)| (0..times).map(move |_| class)).enumerate();
        let mut left = repeat;
        while left > 0 {
            // As many alike as the first and the last size of every class have for all places of the column.
            let enough = |&(class, times): &(usize, u32)| {
                let ends = [classes[class].front(), classes[class].back()];
                ends.iter().map(|end| end.map_or(0, |(_, count)| count / u64::from(times))).min().unwrap_or(0)
            };
            let alike = column.iter().map(enough).fold(left, u64::min).max(1);
            let graphs = places().filter_map(|(place, class)| take(&mut classes[class], place % 2 == 0, alike));
            let contents: Vec<(Size<K>, u32)> = graphs.map(|size| (size, 1)).collect();
            let within = |k: usize| {
                contents.iter().map(|(size, _)| u64::from(size.0[k])).sum::<u64>() <= u64::from(limits.size.0[k])
            };
            if (0..K).all(within) {
                match lifted.last_mut() {
                    Some((last, repeat)) if *last == contents => *repeat += alike,
                    _ => lifted.push((contents, alike)),
                }
            }
            left -= alike;
        }
    }
    lifted
}

/// Takes graphs of the first size of a class, or of the last, which has as many.
fn take<const K: usize>(class: &mut VecDeque<(Size<K>, u64)>, first: bool, graphs: u64) -> Option<Size<K>> {
    let (size, count) = if first { class.front_mut() } else { class.back_mut() }?;
    let size = *size;
    *count -= graphs;
    if *count == 0 {
        if first {
            class.pop_front()
        } else {
            class.pop_back()
        };
    }
    Some(size)
}
