//! [`Dive`]: from packs in fractions to whole packs.
//!
//! What is whole is kept. Of the fractions, the largest are used once each, the program is solved for the graphs that
//! are left, and so on until none are left. Greedy packers finish the plan at every depth, too. Unless the bound is
//! reached, the next dive passes over a fourth of the packs at each depth.

use super::ascent::Ascent;
use super::program::Program;
use crate::Heuristic;
use crate::packer::greedy::best_fit;
use crate::packer::problem::{Packs, sort_by_value};
use crate::packer::{Budget, demand};
use alloc::vec::Vec;

/// Packs that are rounded up at each depth, as a share of all that are left.
const ROUNDED_UP: f64 = 0.1;

/// A fraction from which a pack is rounded up whatever the share.
const NEARLY_WHOLE: f64 = 0.95;

/// Rounds of a program at each depth but the first, and where the program of all graphs was solved before: then only
/// plans next to the bound are better, and every depth must be nearly solved. Of 8 instances of graphs of a quarter to
/// half of two limits, 7 were proven with 10 rounds, and 1 with 3.
const DEPTH_ROUNDS: usize = 5;
const SOLVED_ROUNDS: usize = 10;

/// Steps of an ascent at each depth where more than [`FEW_SIZES`] are left; a linear program of these takes longer.
const DEPTH_ASCENT: usize = 4;
const FEW_SIZES: usize = 120;

/// Up to this many sizes, what is left is also packed by demand, which takes long for more.
const DEMANDED: usize = 256;

/// Steps of budget per size that a depth takes besides programs, measured as time.
const DEPTH_STEPS: u64 = 200;

/// A plan that is being made.
#[derive(Default)]
pub(super) struct Dive<const K: usize> {
    fixed: Packs,
    used: u64,
    /// The program of the graphs that are left, and the position of each of its sizes among all; None at first.
    rest: Option<(Program<K>, Vec<u32>)>,
    /// Prices of what is left, where there are too many sizes for a linear program.
    ascent: Option<Ascent>,
    /// Which of the dives of a solved program this is: all but the first do without a fourth of the columns.
    number: u32,
}

impl<const K: usize> Dive<K> {
    /// Dives of number 0 use the best packs first; each higher number passes over other ones.
    pub(super) fn new(number: u32) -> Self {
        Self { number, ..Self::default() }
    }

    /// Whether a column is passed over at this depth.
    fn skips(&self, column: usize) -> bool {
        let number = (self.number as usize * 40_503 + self.used as usize * 509 + column) as u32;
        self.number > 0 && (number.wrapping_mul(0x9E37_79B9) >> 28) & 3 == 0
    }

    /// Goes one depth further in the program of all graphs, and replaces `best` by any better plan. Says whether that
    /// was the last one: all graphs are packed, or too many packs are needed. None if the budget is spent.
    pub(super) fn step(
        &mut self,
        all: &Program<K>,
        by: Option<&Ascent>,
        best: &mut Packs,
        budget: &mut Budget,
    ) -> Option<bool> {
        // A depth takes some budget whatever it finds, so that no number of dives is endless.
        budget.take(DEPTH_STEPS * all.left.len() as u64)?;
        let packs = best.packs();
        let mut rest = self.rest.take();
        if let Some((program, positions)) = rest.as_mut() {
            let enough = packs.saturating_sub(self.used);
            if let Some(ascent) = &mut self.ascent {
                for _ in 0..DEPTH_ASCENT {
                    if ascent.step(program, enough, budget)? {
                        break;
                    }
                }
            } else {
                let rounds = if all.state.is_solved { SOLVED_ROUNDS } else { DEPTH_ROUNDS };
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
        match ascent {
            Some(ascent) => self.fix_by(&ascent.used(), program, positions, &mut left),
            None => self.fix(program, positions, &mut left),
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
        self.rest = Some((next, kept));
        Some(false)
    }

    /// Packs what is left by best-fit, or by demand if there are few sizes, and replaces the best plan if that is
    /// better.
    fn finish(&self, program: &Program<K>, positions: &[u32], best: &mut Packs, budget: &mut Budget) -> Option<()> {
        let (graphs, limits) = (&program.counts, &program.limits);
        budget.take(best_fit::FIT_STEPS * graphs.entries().len() as u64)?;
        let (fitted, _) = best_fit::pack(graphs, limits, &Heuristic::Product);
        let most = (best.packs() - self.used).min(fitted.packs());
        let few = graphs.entries().len() <= DEMANDED;
        let demanded = if few { demand::pack_below(graphs, limits, most, budget) } else { None };
        let rest = demanded.unwrap_or(fitted);
        if self.used + rest.packs() < best.packs() {
            let mut plan = self.fixed.clone();
            for (pack, repeat) in rest.iter() {
                plan.push(pack.iter().map(|&(at, times)| (positions[at as usize], times)), repeat);
            }
            *best = plan.with_bound(best.bound);
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
        let most = libm::ceil(rest * ROUNDED_UP) as u64;
        let before = self.used;
        for &(used, pack) in used {
            if self.used - before >= most {
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

    /// Uses packs as often as the program says, rounded down, and those with the largest fractions once more.
    fn fix(&mut self, program: &Program<K>, positions: Option<&[u32]>, left: &mut [u64]) {
        let solution = program.solution();
        let rest = solution.iter().fold(0.0, |sum, (_, used)| sum + used);
        let mut fractions: Vec<(f64, usize)> = Vec::new();
        let before = self.used;
        for &(column, used) in &solution {
            // The basis is feasible for counts that are slightly changed, so that a use may be just below 0.
            let used = used.max(0.0);
            let whole = libm::floor(used + 1e-6);
            if whole >= 1.0 {
                // A cast from float to integer saturates.
                self.take(program.pack(column), positions, whole as u64, left);
            }
            if used - whole > 1e-6 {
                fractions.push((used - whole, column));
            }
        }
        sort_by_value(&mut fractions);
        let most = (libm::ceil(rest * ROUNDED_UP) as u64).max(1);
        let mut rounded = u64::from(self.used > before);
        let (skipped, first): (Vec<_>, Vec<_>) = fractions.into_iter().partition(|&(_, column)| self.skips(column));
        // Those that are passed over come last.
        for (fraction, column) in first.into_iter().chain(skipped) {
            if self.used > before && fraction < NEARLY_WHOLE && rounded >= most {
                break;
            }
            rounded += self.take(program.pack(column), positions, 1, left);
        }
        if self.used == before {
            // No pack is used at all.
            self.take_alone(positions, left);
        }
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

/// Returns the packs of a program that is solved, rounded up to a whole number; a little less first, because rounding
/// may have put them just above it.
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
