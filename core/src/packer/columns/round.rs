//! [`round`]: from packs in fractions to whole packs.
//!
//! What is whole is kept. Of the fractions, the largest are used once each, the program is solved for the graphs that
//! are left, and so on until none are left (a dive). Greedy packers finish the plan at every depth, too, and the best
//! plan of all is returned.

use super::program::{Program, Solution};
use crate::FixedLimits;
use crate::lanes::Lanes;
use crate::packer::greedy::best_fit;
use crate::packer::problem::{Counts, Packs};
use crate::packer::{Effort, demand};
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

/// Steps of effort that it takes to look at a size.
const VISIT: u64 = 4;

/// How many graphs of each size are left.
pub(super) struct Left<'a, const K: usize> {
    graphs: &'a Counts<K>,
    sizes: &'a [([u32; K], u64)],
    counts: Vec<u64>,
    /// The sum of each size's shares of the limits.
    fill: Vec<f64>,
}

impl<'a, const K: usize> Left<'a, K> {
    pub(super) fn new(graphs: &'a Counts<K>, limits: &FixedLimits<K>) -> Self {
        let sizes = graphs.entries();
        let fill = |size: &[u32; K]| (0..K).fold(0.0, |sum, k| sum + f64::from(size[k]) / f64::from(limits.size[k]));
        let counts = sizes.iter().map(|(_, count)| *count).collect();
        Self { graphs, sizes, counts, fill: sizes.iter().map(|(size, _)| fill(size)).collect() }
    }

    /// How often a pack can be used.
    pub(super) fn times(&self, contents: &[(u32, u32)]) -> u64 {
        let of = |&(number, times): &(u32, u32)| {
            self.graphs.position(number).map_or(0, |position| self.counts[position] / u64::from(times))
        };
        contents.iter().map(of).min().unwrap_or(0)
    }

    /// Takes the graphs of a pack that is used `repeat` times, for which there must be enough.
    pub(super) fn take(&mut self, contents: &[(u32, u32)], repeat: u64) {
        for &(number, times) in contents {
            if let Some(position) = self.graphs.position(number) {
                self.counts[position] -= repeat * u64::from(times);
            }
        }
    }

    /// A pack of graphs that are left, in the places of `contents`: the largest graphs take the places for which there
    /// is no graph of that very size. Also says whether all places are taken; not if `effort` is spent.
    ///
    /// `all` are all sizes that are packed, by number.
    pub(super) fn similar(
        &self,
        all: &[([u32; K], u64)],
        contents: &[(u32, u32)],
        effort: &mut Effort,
    ) -> (Vec<(u32, u32)>, bool) {
        let mut pack: Vec<(usize, u32)> = Vec::new();
        let mut is_full = true;
        for &(number, times) in contents {
            let place = &all[number as usize].0;
            let mut missing = times;
            while missing > 0 {
                let left = |at: usize| {
                    let taken = pack.iter().filter(|(taken, _)| *taken == at).map(|(_, times)| u64::from(*times));
                    self.counts[at] - taken.sum::<u64>()
                };
                let same = self.graphs.position(number).filter(|&at| left(at) > 0);
                let fitting = || (0..self.sizes.len()).filter(|&at| self.sizes[at].0.fits(place) && left(at) > 0);
                let largest = || fitting().max_by(|&a, &b| self.fill[a].total_cmp(&self.fill[b]));
                let mut other = || effort.spend(self.sizes.len() as u64 * VISIT).then(largest).flatten();
                let Some(at) = same.or_else(&mut other) else {
                    is_full = false;
                    break;
                };
                let taken = u32::try_from(left(at)).unwrap_or(u32::MAX).min(missing);
                missing -= taken;
                pack.push((at, taken));
            }
        }
        pack.sort_unstable();
        let sizes = pack.chunk_by(|a, b| a.0 == b.0);
        (
            sizes.map(|same| (self.graphs.numbers()[same[0].0], same.iter().map(|(_, times)| times).sum())).collect(),
            is_full,
        )
    }
}
