//! [`round`]: from packs in fractions to whole packs.
//!
//! What is whole is kept. Of the fractions, the largest are used once each, the program is solved for the graphs that
//! are left, and so on until none are left (a dive). Greedy packers finish the plan at every depth, too, and the best
//! plan of all is returned.

use super::program::{self, Solution};
use crate::packer::{demand, greedy::best_fit};
use crate::{Effort, Histogram, Limits, Plan, Size};
use alloc::vec::Vec;

/// How many times deeper each dive is than one that uses all fractions at once: the first is the fastest.
const DEPTHS: [f64; 3] = [2.0, 6.0, 20.0];

/// Rounds the program of `histogram`, and returns `start` unless another plan is better.
pub(super) fn round<const K: usize>(
    start: Plan<K>,
    histogram: &Histogram<K>,
    solution: &Solution<K>,
    effort: &mut Effort,
) -> Plan<K> {
    let mut best = start.with_bound(solution.bound);
    for depth in DEPTHS {
        if best.packs() > best.bound() && effort.left() > 0 {
            dive(&mut best, histogram, solution, depth, effort);
        }
    }
    best
}

/// Replaces `best` by what a dive finds, if that is better.
fn dive<const K: usize>(
    best: &mut Plan<K>,
    histogram: &Histogram<K>,
    solution: &Solution<K>,
    depth: f64,
    effort: &mut Effort,
) {
    let mut plan = Plan::empty(*best.limits());
    let (mut rest, mut solved) = (histogram.clone(), None);
    loop {
        let solution = solved.as_ref().unwrap_or(solution);
        if plan.packs() + solution.bound >= best.packs() {
            return;
        }
        rest = plan.use_up(&whole(solution, &rest, plan.limits()), &rest);
        let completed = complete(plan.clone(), &rest, effort);
        if completed.packs() < best.packs() {
            *best = completed.with_bound(best.bound());
        }
        let once = largest(solution, &rest, plan.limits(), depth);
        rest = plan.use_up(&once, &rest);
        let packs = solution.packs.iter().map(|(contents, _)| contents);
        if once.distinct_packs() == 0 || best.packs() <= best.bound() {
            return;
        }
        let Some(next) = program::solve(&rest, plan.limits(), packs, effort) else { return };
        solved = Some(next);
    }
}

/// Each pack as often as its fraction says, rounded down, and no more often than there are graphs for it.
pub(super) fn whole<const K: usize>(solution: &Solution<K>, graphs: &Histogram<K>, limits: &Limits<K>) -> Plan<K> {
    let mut left = Left::new(graphs);
    let mut plan = Plan::empty(*limits);
    for (contents, used) in &solution.packs {
        // A cast from float to integer saturates.
        let repeat = left.times(contents).min(floor(*used) as u64);
        if repeat > 0 {
            left.take(contents, repeat);
            plan.push(contents.iter().copied(), repeat);
        }
    }
    plan
}

/// The packs with the largest fractions, once each, until they are 1 / `depth` of all fractions; at least one, if there
/// are graphs for any.
fn largest<const K: usize>(solution: &Solution<K>, graphs: &Histogram<K>, limits: &Limits<K>, depth: f64) -> Plan<K> {
    let mut left = Left::new(graphs);
    let mut plan = Plan::empty(*limits);
    let mut packs: Vec<_> = solution.packs.iter().map(|(contents, used)| (contents, used - floor(*used))).collect();
    packs.sort_by(|a, b| b.1.total_cmp(&a.1));
    let wanted = packs.iter().fold(0.0, |sum, (_, fraction)| sum + fraction) / depth;
    let mut rounded = 0.0;
    for (contents, fraction) in packs {
        if left.times(contents) > 0 {
            left.take(contents, 1);
            plan.push(contents.iter().copied(), 1);
            rounded += fraction;
            if rounded >= wanted {
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

/// How many graphs of each size are left.
struct Left<'a, const K: usize> {
    sizes: &'a [(Size<K>, u64)],
    counts: Vec<u64>,
}

impl<'a, const K: usize> Left<'a, K> {
    fn new(graphs: &'a Histogram<K>) -> Self {
        let sizes = graphs.entries();
        Self { sizes, counts: sizes.iter().map(|(_, count)| *count).collect() }
    }

    /// How often a pack can be used.
    fn times(&self, contents: &[(Size<K>, u32)]) -> u64 {
        let of = |(size, times): &(Size<K>, u32)| {
            let position = self.sizes.binary_search_by_key(size, |(size, _)| *size);
            position.map_or(0, |position| self.counts[position] / u64::from(*times))
        };
        contents.iter().map(of).min().unwrap_or(0)
    }

    /// Takes the graphs of a pack that is used `repeat` times, for which there must be enough.
    fn take(&mut self, contents: &[(Size<K>, u32)], repeat: u64) {
        for (size, times) in contents {
            if let Ok(position) = self.sizes.binary_search_by_key(size, |(size, _)| *size) {
                self.counts[position] -= repeat * u64::from(*times);
            }
        }
    }
}

/// The plan, and greedy packs for the graphs that are left.
pub(super) fn complete<const K: usize>(mut plan: Plan<K>, left: &Histogram<K>, effort: &mut Effort) -> Plan<K> {
    let fitted = best_fit::better_of_two(left, plan.limits());
    let demanded = demand::pack(left, plan.limits(), effort);
    plan.append(if demanded.packs() < fitted.packs() { &demanded } else { &fitted });
    plan
}
