//! [`Dive`]: from packs in fractions to whole packs.
//!
//! What is whole is kept. Of the fractions, the largest are used once each, the program is solved for the graphs that
//! are left, and so on until none are left. Greedy packers finish the plan at every depth, too. Unless the bound is
//! reached, a dive then goes back, first to the last depths, where programs are small, and does without a pack that was
//! rounded up there (limited discrepancy). The next dive does without one of the first packs.

use super::ascent::Ascent;
use super::program::Program;
use crate::FixedLimits;
use crate::packer::greedy::best_fit;
use crate::packer::problem::{Counts, Packs, sort_by_value};
use crate::packer::{Budget, demand};
use alloc::vec::Vec;

/// Packs that are rounded up at each depth, as a share of all that are left: the first dive is fast.
const SHARES: [f64; 3] = [0.3, 0.2, 0.1];

/// A fraction from which a pack is rounded up whatever the share, and one below which it is not, unless nothing else is
/// kept.
const NEARLY: f64 = 0.95;
const HARDLY: f64 = 0.6;

/// Rounds of a program at each depth but the first, and where the program of all graphs was solved before: then little
/// is lost between that and whole packs, and every depth must be nearly solved. On 8 instances of graphs of a quarter
/// to half of two limits, 7 were proven with 10 rounds and a budget of 10, and 1 with 3 rounds.
const ROUNDS: usize = 3;
const MORE_ROUNDS: usize = 10;

/// Steps of an ascent at each depth, for more than this many sizes; a linear program takes long for them.
const STEPS: usize = 4;
const FEW_SIZES: usize = 120;

/// How often a dive may go back on one way down, and in all; and the last depths that it may go back to, because each
/// keeps a program.
const TURNS: u32 = 2;
const MOST_RETURNS: u32 = 100;
const DEPTHS: usize = 16;

/// How often an ascent must use a pack for a dive to use it, unless nothing else is kept.
const SELDOM: f64 = 0.2;

/// Up to this many sizes, what is left is also packed by demand, which takes long for more.
pub(super) const DEMANDED: usize = 256;

/// Steps of budget per size that a depth takes besides programs.
const ITEM: u64 = 200;

/// A plan that is being made.
#[derive(Default)]
pub(super) struct Dive<const K: usize> {
    fixed: Packs,
    used: u64,
    /// The program of the graphs that are left, and the position of each of its sizes among all; None at first.
    rest: Option<(Program<K>, Vec<u32>)>,
    /// Prices of what is left, where there are too many sizes for a linear program.
    ascent: Option<Ascent>,
    /// Of the packs that are left at a depth, those that are rounded up.
    share: f64,
    /// Columns that are not used at the next depth.
    forbidden: Vec<usize>,
    /// Columns that were rounded up at the first depth.
    pub(super) rounded: Vec<usize>,
    /// The depths to which the dive may go back, the last one last.
    path: Vec<Depth<K>>,
    /// The one to which it has gone back just now.
    back: Option<Mark>,
    /// How often it has gone back, on the way to where it is and in all.
    turns: u32,
    returns: u32,
    /// How often it may go back to the same depth.
    most: usize,
}

/// A depth from which a dive went on.
struct Depth<const K: usize> {
    program: Program<K>,
    positions: Vec<u32>,
    mark: Mark,
}

/// What a dive had done before a depth, and what it did there.
struct Mark {
    /// Distinct packs that were fixed, and packs with repeats.
    fixed: usize,
    used: u64,
    /// How often it had gone back.
    turns: u32,
    /// Columns that were rounded up, and how many of them were forbidden since then.
    rounded: Vec<usize>,
    forbidden: usize,
}

impl<const K: usize> Dive<K> {
    /// The `number`th dive of those that begin before the program is solved, which never go back.
    pub(super) fn early(number: usize) -> Self {
        Self { share: SHARES[number.min(SHARES.len() - 1)], ..Self::default() }
    }

    /// A dive of a program that is solved, which does without `forbidden` at first and goes back to each depth up to
    /// `most` times.
    pub(super) fn new(forbidden: Vec<usize>, most: usize) -> Self {
        Self { forbidden, most, ..Self::early(usize::MAX) }
    }

    /// Goes one depth further in the program of all graphs, or back, and replaces `best` by any better plan. Says
    /// whether that was the last one. None if the budget is spent.
    pub(super) fn step(
        &mut self,
        all: &Program<K>,
        by: Option<&Ascent>,
        best: &mut Packs,
        budget: &mut Budget,
    ) -> Option<bool> {
        let is_end = self.go_on(all, by, best, budget)?;
        Some(is_end && (best.packs() <= best.bound || !self.go_back(best.packs())))
    }

    /// Goes back to the last depth at which another pack can be forbidden, and where fewer than `packs` packs seem
    /// possible.
    fn go_back(&mut self, packs: u64) -> bool {
        while self.returns < MOST_RETURNS
            && let Some(Depth { program, positions, mut mark }) = self.path.pop()
        {
            if mark.used.saturating_add(whole_packs(&program)) < packs {
                self.fixed.truncate(mark.fixed);
                self.used = mark.used;
                self.turns = mark.turns + 1;
                self.returns += 1;
                self.forbidden = alloc::vec![mark.rounded[mark.forbidden]];
                mark.forbidden += 1;
                self.rest = Some((program, positions));
                self.back = Some(mark);
                return true;
            }
        }
        false
    }

    /// Goes one depth further. Says whether that was the last one: all graphs are packed, or too many packs are needed.
    fn go_on(&mut self, all: &Program<K>, by: Option<&Ascent>, best: &mut Packs, budget: &mut Budget) -> Option<bool> {
        // A depth takes some budget whatever it finds, so that no number of dives is endless.
        budget.take(ITEM * all.left.len() as u64)?;
        let packs = best.packs();
        let (mut rest, back) = (self.rest.take(), self.back.take());
        if let Some((program, positions)) = rest.as_mut().filter(|_| back.is_none()) {
            let enough = packs.saturating_sub(self.used);
            if let Some(ascent) = &mut self.ascent {
                for _ in 0..STEPS {
                    if ascent.step(program, enough, budget)? {
                        break;
                    }
                }
            } else {
                let rounds = if all.state.is_solved { MORE_ROUNDS } else { ROUNDS };
                for _ in 0..rounds {
                    if program.round(enough, budget)? {
                        break;
                    }
                }
            }
            let in_fractions = if program.state.is_solved { whole_packs(program) } else { 0 };
            if self.used + program.state.proven.max(in_fractions) >= packs {
                return Some(true);
            }
            let plan = program.by_prices(budget)?;
            self.keep(&plan, positions, best);
            self.finish(program, positions, best, budget)?;
        }
        if best.packs() <= best.bound {
            return Some(true);
        }
        let program = rest.as_ref().map_or(all, |(program, _)| program);
        let positions = rest.as_ref().map(|(_, positions)| positions.as_slice());
        let mut left = program.left.to_vec();
        let own = self.ascent.take();
        let ascent = if positions.is_none() { by } else { own.as_ref() };
        let (fixed, used) = (self.fixed.len(), self.used);
        let rounded = match ascent {
            Some(ascent) => {
                self.fix_by(&ascent.used(), program, positions, &mut left);
                Vec::new()
            }
            None => self.fix(program, positions, &mut left),
        };
        if positions.is_none() {
            self.rounded.clone_from(&rounded);
        }
        if left.iter().all(|&left| left == 0) {
            if self.used < best.packs() {
                *best = self.fixed.clone().with_bound(best.bound);
            }
            return Some(true);
        }
        let (next, kept) = program.rest(&left, budget)?;
        self.ascent = ascent.filter(|_| kept.len() > FEW_SIZES).map(|ascent| ascent.rest(&next, &kept));
        let all_of = |&at: &u32| positions.map_or(at, |positions| positions[at as usize]);
        let kept = kept.iter().map(all_of).collect();
        if let Some((program, positions)) = rest {
            let mark = back.unwrap_or(Mark { fixed, used, turns: self.turns, rounded, forbidden: 0 });
            if mark.turns < TURNS && mark.forbidden < self.most.min(mark.rounded.len()) {
                if self.path.len() == DEPTHS {
                    self.path.remove(0);
                }
                self.path.push(Depth { program, positions, mark });
            }
        }
        self.rest = Some((next, kept));
        Some(false)
    }

    /// Replaces the best plan by what is fixed and a plan for the rest, if that is better.
    fn keep(&self, rest: &Packs, positions: &[u32], best: &mut Packs) {
        if self.used + rest.packs() < best.packs() {
            let mut plan = self.fixed.clone();
            for (pack, repeat) in rest.iter() {
                plan.push(pack.iter().map(|&(at, times)| (positions[at as usize], times)), repeat);
            }
            *best = plan.with_bound(best.bound);
        }
    }

    /// Packs what is left greedily.
    fn finish(&self, program: &Program<K>, positions: &[u32], best: &mut Packs, budget: &mut Budget) -> Option<()> {
        let rest = &program.counts;
        budget.take(2 * best_fit::SIZE * rest.entries().len() as u64)?;
        let enough = best.packs() - self.used;
        if let Some(packed) = pack_below(rest, &program.limits, enough, budget) {
            self.keep(&packed, positions, best);
        }
        (budget.left() > 0).then_some(())
    }

    /// Uses the packs that an ascent used most often.
    fn fix_by(
        &mut self,
        used: &[(f64, &[(u32, i32)])],
        program: &Program<K>,
        positions: Option<&[u32]>,
        left: &mut [u64],
    ) {
        let rest = program.state.best.max(1.0);
        let most = libm::ceil(rest * self.share) as u64;
        let before = self.used;
        for &(used, pack) in used {
            if self.used - before >= most || (used < SELDOM && self.used > before) {
                break;
            }
            let wanted = (libm::ceil(used) as u64).min(most - (self.used - before));
            self.take(pack, positions, wanted, left);
        }
        if self.used == before {
            // No pack is left that was used.
            self.take_alone(positions, left);
        }
    }

    /// Uses packs as often as the program says, rounded down, and those with the largest fractions once more. Returns
    /// the columns of the latter.
    fn fix(&mut self, program: &Program<K>, positions: Option<&[u32]>, left: &mut [u64]) -> Vec<usize> {
        let forbidden = core::mem::take(&mut self.forbidden);
        let solution = program.solution();
        let rest = solution.iter().fold(0.0, |sum, (_, used)| sum + used);
        let mut fractions: Vec<(f64, usize)> = Vec::new();
        let mut kept = false;
        for &(column, used) in &solution {
            // The basis is feasible for counts that are slightly changed, so that a use may be just below 0.
            let used = used.max(0.0);
            let whole = libm::floor(used + 1e-6);
            if whole >= 1.0 && !forbidden.contains(&column) {
                // A cast from float to integer saturates.
                kept |= self.take(program.pack(column), positions, whole as u64, left) > 0;
            }
            if used - whole > 1e-6 {
                fractions.push((used - whole, column));
            }
        }
        sort_by_value(&mut fractions);
        let most = libm::ceil(rest * self.share) as usize;
        let had_whole = usize::from(kept);
        let mut rounded = Vec::new();
        for &(fraction, column) in &fractions {
            if forbidden.contains(&column) {
                continue;
            }
            if kept && fraction < NEARLY && (rounded.len() + had_whole >= most.max(1) || fraction < HARDLY) {
                break;
            }
            if self.take(program.pack(column), positions, 1, left) > 0 {
                rounded.push(column);
                kept = true;
            }
        }
        // Exchanges took the places of graphs that there are none of: what is left of the fullest fraction.
        for &(_, column) in &fractions {
            if kept {
                return rounded;
            }
            if forbidden.contains(&column) {
                continue;
            }
            let there =
                |&(at, times): &(u32, i32)| (at, i32::try_from(left[at as usize]).unwrap_or(i32::MAX).min(times));
            let pack: Vec<_> = program.pack(column).iter().map(there).filter(|(_, times)| *times > 0).collect();
            kept = !pack.is_empty() && self.take(&pack, positions, 1, left) > 0;
        }
        if !kept {
            // No pack is used at all.
            self.take_alone(positions, left);
        }
        rounded
    }

    /// Uses a pack of one graph.
    fn take_alone(&mut self, positions: Option<&[u32]>, left: &mut [u64]) {
        if let Some(at) = left.iter().position(|&left| left > 0) {
            self.take(&[(at as u32, 1)], positions, 1, left);
        }
    }

    /// Uses a pack as often as wanted and possible, and returns how often.
    fn take(&mut self, pack: &[(u32, i32)], positions: Option<&[u32]>, wanted: u64, left: &mut [u64]) -> u64 {
        let repeat = times(pack, left).min(wanted);
        if repeat > 0 {
            take(pack, repeat, left);
            let place = |at: u32| positions.map_or(at, |positions| positions[at as usize]);
            self.fixed.push(pack.iter().map(|&(at, times)| (place(at), times.unsigned_abs())), repeat);
            self.used += repeat;
        }
        repeat
    }
}

/// Fewer than `enough` packs, by best-fit or by demand, if these find such.
pub(super) fn pack_below<const K: usize>(
    graphs: &Counts<K>,
    limits: &FixedLimits<K>,
    enough: u64,
    budget: &mut Budget,
) -> Option<Packs> {
    let fitted = best_fit::better_of_two(graphs, limits);
    let few = graphs.entries().len() <= DEMANDED;
    let most = enough.min(fitted.packs());
    let demanded = if few { demand::pack_below(graphs, limits, most, budget) } else { None };
    demanded.or_else(|| (fitted.packs() < enough).then_some(fitted))
}

/// The packs of a program that is solved, in whole packs; a little less where they are hardly more than a number.
pub(super) fn whole_packs<const K: usize>(program: &Program<K>) -> u64 {
    // A cast from float to integer saturates.
    libm::ceil(program.packs() * (1.0 - 1e-7) - 1e-3) as u64
}

/// How often a pack can be used.
pub(super) fn times(pack: &[(u32, i32)], left: &[u64]) -> u64 {
    let of = |&(at, times): &(u32, i32)| left[at as usize] / u64::from(times.unsigned_abs());
    pack.iter().map(of).min().unwrap_or(0)
}

/// Takes the graphs of a pack that is used `repeat` times, for which there must be enough.
pub(super) fn take(pack: &[(u32, i32)], repeat: u64, left: &mut [u64]) {
    for &(at, times) in pack {
        left[at as usize] -= repeat * u64::from(times.unsigned_abs());
    }
}

#[cfg(test)]
mod tests {
    use super::{Dive, Packs, Program, Vec};
    use crate::FixedLimits;
    use crate::packer::Budget;
    use crate::packer::problem::Counts;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;

    #[test]
    fn plans_of_a_dive_that_goes_back_hold_every_graph_once() {
        let mut random = Pcg32::seed_from_u64(1);
        let mut side = || 250 + random.next_u32() % 251;
        let counts = Counts::of((0..100).map(|_| ([side(), side()], 1)));
        let mut budget = Budget::seconds(1e3);
        let mut program = Program::new(&counts, &FixedLimits { size: [1000, 1000], graphs: 256 }).unwrap();
        while !program.round(u64::MAX, &mut budget).unwrap() {}
        let mut alone = Packs::default();
        for (at, &left) in (0..).zip(&program.left) {
            alone.push([(at, 1)], left);
        }
        let mut dive = Dive::new(Vec::new(), 1);
        let mut is_end = false;
        while !is_end {
            // Every plan is better than this one.
            let mut plan = alone.clone();
            is_end = dive.step(&program, None, &mut plan, &mut budget).unwrap();
            assert_eq!(plan.counts(counts.entries().len()), program.left);
        }
        assert!(dive.returns > 3, "{}", dive.returns);
    }
}
