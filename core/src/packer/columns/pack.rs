//! [`pack`]: solves the configuration program and rounds it.

use super::lift::{Projection, lift};
use super::pricing;
use super::program::{Program, Progress};
use super::round::{complete, round, whole};
use crate::packer::Effort;
use crate::packer::problem::{Counts, Packs};
use crate::{FixedLimits, bound};
use alloc::vec::Vec;

/// Packs, beginning the program with the packs of `start`, which is a plan for the same graphs, and with those of
/// earlier attempts. Returns `start`, with the bound that the program proves, unless another plan is better. None if the
/// program is too large for `effort`.
pub(crate) fn pack<const K: usize>(
    histogram: &Counts<K>,
    limits: &FixedLimits<K>,
    start: &Packs,
    progress: &mut Progress<K>,
    effort: &mut Effort,
) -> Option<Packs> {
    let by_component = if K == 1 || pricing::packs_hold_few(histogram, limits) {
        None
    } else {
        pack_by_component(histogram, limits, start, progress, effort)
    };
    let has_begun = by_component.is_some();
    let mut best = by_component.unwrap_or_else(|| start.clone()).with_bound(bound::of_counts(histogram, limits));
    if best.packs() == best.bound() {
        return Some(best);
    }
    let solution = effort.share(2, |effort| progress.solve(histogram, limits, start, effort));
    let Some(solution) = solution else { return has_begun.then_some(best) };
    best = round(best, histogram, limits, &solution, effort);
    progress.is_rounded = effort.left() > 0;
    Some(best)
}

/// Solves the programs of single components, which are small: each may bound the number of packs better than the whole
/// program does where that one cannot be finished. The packs of the one with the best bound are made whole.
fn pack_by_component<const K: usize>(
    histogram: &Counts<K>,
    limits: &FixedLimits<K>,
    start: &Packs,
    progress: &mut Progress<K>,
    effort: &mut Effort,
) -> Option<Packs> {
    progress.projected.resize_with(K, Default::default);
    let mut projected = |component: usize, effort: &mut Effort| {
        let begun = &mut progress.projected[component];
        if begun.is_solved {
            return None;
        }
        let projection = Projection::new(histogram, limits, component);
        let start = projection.packs(start);
        let packs = start.iter().map(|(contents, _)| contents).chain(begun.packs.iter().map(Vec::as_slice));
        let solution = effort.share(4 * K as u64, |effort| {
            let mut program = Program::new(&projection.counts, &projection.limits, &begun.prices, effort)?;
            program.add(packs, effort);
            program.run(effort);
            begun.is_solved = program.is_solved();
            program.solution()
        })?;
        begun.packs = solution.packs.iter().map(|(contents, _)| contents.clone()).collect();
        begun.prices.clone_from(&solution.prices);
        Some((projection, solution))
    };
    let projections: Vec<_> = (0..K).filter_map(|component| projected(component, effort)).collect();
    let (projection, solution) = projections.iter().max_by_key(|(_, solution)| solution.bound)?;
    let best = start.clone().with_bound(solution.bound).with_bound(bound::of_counts(histogram, limits));
    if best.packs() == best.bound() {
        return Some(best);
    }
    let counts = &projection.counts;
    let packs = whole(counts, solution, counts, &projection.limits, effort);
    let plan = lift(&packs, projection, histogram, limits);
    let lifted = complete(plan.clone(), &histogram.without(&plan), limits, effort);
    Some(if lifted.packs() < best.packs() { lifted.with_bound(best.bound()) } else { best })
}
