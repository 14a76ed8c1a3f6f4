//! [`pack`]: solves the configuration program and rounds it.

use super::lift::lift;
use super::program;
use super::round::{complete, round, whole};
use crate::{Effort, Histogram, Limits, Plan, Size};
use alloc::vec::Vec;

/// What earlier attempts on the same histogram have found, where the next one begins.
#[derive(Default)]
pub(crate) struct Progress<const K: usize> {
    /// Packs of the whole program, and of each component's.
    packs: Vec<Contents<K>>,
    projected: Vec<Vec<Contents<1>>>,
    projections_are_solved: bool,
    is_solved: bool,
}

type Contents<const K: usize> = Vec<(Size<K>, u32)>;

impl<const K: usize> Progress<K> {
    /// Whether the program was solved to its end, so that another attempt finds nothing more.
    pub(crate) fn is_solved(&self) -> bool {
        self.is_solved
    }
}

/// Packs, beginning the program with the packs of `start`, which is a plan for the same graphs. Returns `start`, with
/// the bound that the program proves, unless another plan is better. None if the program is too large for `effort`.
pub(crate) fn pack<const K: usize>(
    histogram: &Histogram<K>,
    limits: &Limits<K>,
    start: &Plan<K>,
    progress: &mut Progress<K>,
    effort: &mut Effort,
) -> Option<Plan<K>> {
    let by_component = if progress.projections_are_solved {
        Some(start.clone())
    } else {
        pack_by_component(histogram, limits, start, progress, effort)
    };
    let best = by_component.as_ref().unwrap_or(start);
    if best.packs() == best.bound() {
        return by_component;
    }
    let begin = start.iter().map(|pack| pack.contents).chain(progress.packs.iter().map(Vec::as_slice));
    let Some(solution) = program::solve(histogram, limits, begin, effort) else { return by_component };
    progress.is_solved = effort.left() > 0;
    let plan = round(best.clone(), histogram, &solution, effort);
    progress.packs = solution.packs.into_iter().map(|(contents, _)| contents).collect();
    Some(plan)
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
    progress.projected.resize_with(K, Vec::new);
    progress.projections_are_solved = true;
    let mut projected = |component: usize, effort: &mut Effort| {
        let sizes = histogram.entries().iter().map(|(size, count)| (Size([size.0[component]]), *count));
        let projection = Histogram::from_counts(sizes).ok()?;
        let limits = Limits { size: Size([limits.size.0[component]]), graphs: limits.graphs };
        let (packs, earlier) = (start.project(component), &mut progress.projected[component]);
        let begin = packs.iter().map(|pack| pack.contents).chain(earlier.iter().map(Vec::as_slice));
        let solution = effort.share(4 * K as u64, |effort| {
            let solution = program::solve(&projection, &limits, begin, effort);
            progress.projections_are_solved &= effort.left() > 0;
            solution
        })?;
        *earlier = solution.packs.iter().map(|(contents, _)| contents.clone()).collect();
        Some((component, projection, limits, solution))
    };
    let projections: Vec<_> = (0..K).filter_map(|component| projected(component, effort)).collect();
    let (component, projection, narrow, solution) =
        projections.iter().max_by_key(|(_, _, _, solution)| solution.bound)?;
    let best = start.clone().with_bound(solution.bound);
    if best.packs() == best.bound() {
        return Some(best);
    }
    let plan = lift(&whole(solution, projection, narrow), *component, projection, histogram, limits);
    let rest = histogram.without(&plan.histogram());
    let lifted = complete(plan, &rest, effort);
    Some(if lifted.packs() < best.packs() { lifted.with_bound(best.bound()) } else { best })
}
