//! [`pack`]: solves the configuration program and rounds it.

use super::lift::lift;
use super::pricing;
use super::program::Program;
use super::progress::Progress;
use super::round::{complete, round, whole};
use crate::{Effort, Histogram, Limits, Plan, Size};
use alloc::vec::Vec;

/// Packs, beginning the program with the packs of `start`, which is a plan for the same graphs, and with those of
/// earlier attempts. Returns `start`, with the bound that the program proves, unless another plan is better. None if the
/// program is too large for `effort`.
pub(crate) fn pack<const K: usize>(
    histogram: &Histogram<K>,
    limits: &Limits<K>,
    start: &Plan<K>,
    progress: &mut Progress<K>,
    effort: &mut Effort,
) -> Option<Plan<K>> {
    let by_component = if K == 1 || pricing::packs_hold_few(histogram, limits) {
        None
    } else {
        pack_by_component(histogram, limits, start, progress, effort)
    };
    let has_begun = by_component.is_some();
    let mut best = by_component.unwrap_or_else(|| start.clone());
    if best.packs() == best.bound() {
        return Some(best);
    }
    let solution = effort.share(2, |effort| progress.solve(histogram, start, effort));
    let Some(solution) = solution else { return has_begun.then_some(best) };
    best = round(best, histogram, &solution, effort);
    progress.is_rounded = effort.left() > 0;
    Some(best)
}

/// Solves the programs of single components, which are small: each may bound the number of packs better than the whole
/// program does where that one cannot be finished. The packs of the one with the best bound are made whole.
fn pack_by_component<const K: usize>(
    histogram: &Histogram<K>,
    limits: &Limits<K>,
    start: &Plan<K>,
    progress: &mut Progress<K>,
    effort: &mut Effort,
) -> Option<Plan<K>> {
    progress.projected.resize_with(K, Default::default);
    let mut projected = |component: usize, effort: &mut Effort| {
        let begun = &mut progress.projected[component];
        let sizes = histogram.entries().iter().map(|(size, count)| (Size([size.0[component]]), *count));
        let projection = Histogram::from_counts(sizes).ok().filter(|_| !begun.is_solved)?;
        let start = start.project(component);
        let packs = start.iter().map(|pack| pack.contents).chain(begun.packs.iter().map(Vec::as_slice));
        let solution = effort.share(4 * K as u64, |effort| {
            let mut program = Program::new(&projection, start.limits(), &begun.prices, effort)?;
            program.add(packs, effort);
            program.run(effort);
            begun.is_solved = program.is_solved();
            program.solution()
        })?;
        begun.packs = solution.packs.iter().map(|(contents, _)| contents.clone()).collect();
        begun.prices.clone_from(&solution.prices);
        Some((component, projection, solution))
    };
    let projections: Vec<_> = (0..K).filter_map(|component| projected(component, effort)).collect();
    let (component, projection, solution) = projections.iter().max_by_key(|(.., solution)| solution.bound)?;
    let best = start.clone().with_bound(solution.bound);
    if best.packs() == best.bound() {
        return Some(best);
    }
    let packs = whole(solution, projection, start.project(*component).limits(), effort);
    let plan = lift(&packs, *component, projection, histogram, limits);
    let rest = histogram.without(&plan.histogram());
    let lifted = complete(plan, &rest, effort);
    Some(if lifted.packs() < best.packs() { lifted.with_bound(best.bound()) } else { best })
}
