//! [`round`]: from packs in fractions to whole packs.
//!
//! What is whole is kept. Of the fractions, the largest are used once each, the program is solved for the graphs that
//! are left, and so on until none are left (a dive). Greedy packers finish the plan at every depth, too, and the best
//! plan of all is returned.

use super::left::Left;
use super::program::{Program, Solution};
use crate::FixedLimits;
use crate::packer::Effort;
use crate::packer::problem::{Counts, Packs};
use crate::packer::{demand, greedy::best_fit};
use alloc::vec::Vec;

/// How many times deeper each dive is than one that uses all fractions at once: the first is the fastest.
const DEPTHS: [f64; 5] = [2.0, 6.0, 20.0, 60.0, 180.0];

/// Rounds the program of `histogram`, and returns `start` unless another plan is better.
pub(super) fn round<const K: usize>(
    start: Packs,
    histogram: &Counts<K>,
    limits: &FixedLimits<K>,
    solution: &Solution,
    effort: &mut Effort,
) -> Packs {
    let mut best = start.with_bound(solution.bound);
    for depth in DEPTHS {
        if best.packs() > best.bound() && effort.left() > 0 {
            dive(&mut best, histogram, limits, solution, depth, effort);
        }
    }
    best
}

/// Replaces `best` by what a dive finds, if that is better.
fn dive<const K: usize>(
    best: &mut Packs,
    histogram: &Counts<K>,
    limits: &FixedLimits<K>,
    solution: &Solution,
    depth: f64,
    effort: &mut Effort,
) {
    let mut plan = Packs::default();
    let (mut rest, mut solved) = (histogram.clone(), None);
    loop {
        let solution = solved.as_ref().unwrap_or(solution);
        if plan.packs() + solution.bound >= best.packs() {
            return;
        }
        let packs = whole(histogram, solution, &rest, limits, effort);
        plan.append(&packs);
        rest = rest.without(&packs);
        let completed = complete(plan.clone(), &rest, limits, effort);
        if completed.packs() < best.packs() {
            *best = completed.with_bound(best.bound());
        }
        let once = largest(histogram, solution, &rest, limits, depth, effort);
        plan.append(&once);
        rest = rest.without(&once);
        if once.len() == 0 || best.packs() <= best.bound() {
            return;
        }
        let packs = solution.packs.iter().map(|(contents, _)| contents);
        let Some(mut program) = Program::new(&rest, limits, &solution.prices, effort) else { return };
        program.add(packs, effort);
        program.run(effort);
        let Some(next) = program.solution() else { return };
        solved = Some(next);
    }
}

/// Each pack as often as its fraction says, rounded down. Where its graphs are used up, exchanges have taken their
/// places. `all` are all sizes that are packed.
pub(super) fn whole<const K: usize>(
    all: &Counts<K>,
    solution: &Solution,
    graphs: &Counts<K>,
    limits: &FixedLimits<K>,
    effort: &mut Effort,
) -> Packs {
    let mut left = Left::new(graphs, limits);
    let mut plan = Packs::default();
    for (contents, used) in &solution.packs {
        // A cast from float to integer saturates.
        let mut missing = floor(*used) as u64;
        while missing > 0 {
            let (pack, is_full) = left.similar(all.entries(), contents, effort);
            let repeat = left.times(&pack).min(missing);
            if !is_full || repeat == 0 {
                break;
            }
            missing -= repeat;
            left.take(&pack, repeat);
            plan.push(pack, repeat);
        }
    }
    plan
}

/// The packs with the largest fractions, once each, until they are 1 / `depth` of all fractions; at least one, if there
/// are graphs for any.
fn largest<const K: usize>(
    all: &Counts<K>,
    solution: &Solution,
    graphs: &Counts<K>,
    limits: &FixedLimits<K>,
    depth: f64,
    effort: &mut Effort,
) -> Packs {
    let mut left = Left::new(graphs, limits);
    let mut plan = Packs::default();
    let mut packs: Vec<_> = solution.packs.iter().map(|(contents, used)| (contents, used - floor(*used))).collect();
    packs.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut wanted = packs.iter().fold(0.0, |sum, (_, fraction)| sum + fraction) / depth;
    for (contents, fraction) in packs {
        let (pack, is_full) = left.similar(all.entries(), contents, effort);
        if !pack.is_empty() && (is_full || plan.len() == 0) {
            left.take(&pack, 1);
            plan.push(pack, 1);
            wanted -= fraction;
            if wanted <= 0.0 {
                break;
            }
        }
    }
    plan
}

/// Rounds down. Fractions that are whole up to rounding are whole.
fn floor(used: f64) -> f64 {
    libm::floor(used + 1e-7)
}

/// The plan, and greedy packs for the graphs that are left.
pub(super) fn complete<const K: usize>(
    mut plan: Packs,
    left: &Counts<K>,
    limits: &FixedLimits<K>,
    effort: &mut Effort,
) -> Packs {
    let fitted = best_fit::better_of_two(left, limits);
    let demanded = demand::pack(left, limits, effort);
    plan.append(if demanded.packs() < fitted.packs() { &demanded } else { &fitted });
    plan
}
