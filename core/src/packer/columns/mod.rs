//! Column generation: the configuration program of Gilmore and Gomory, and whole packs from its fractions.
//!
//! [`Columns`] solves the `program`, which says how often to use each pack: the linear program over the packs found so
//! far (`simplex`, whose basis `factors` keeps as sparse triangular matrices) and `pricing`, which finds the next ones
//! by a search that a `grid` and `multipliers` bound. Where packs hold few graphs of many sizes, an `ascent` of prices
//! takes the place of the linear program, from prices of classes of sizes (`coarse`). `dive` makes whole packs of the
//! fractions.

mod ascent;
mod coarse;
mod dive;
mod factors;
mod grid;
mod multipliers;
mod pricing;
mod program;
mod simplex;

use crate::packer::Budget;
use crate::packer::problem::{Counts, Packs};
use crate::{FixedLimits, bound};
use alloc::boxed::Box;
use alloc::vec::Vec;
use ascent::Ascent;
use coarse::Coarse;
use dive::Dive;
use program::Program;

/// Most graphs of a pack for an ascent. Prices before the linear program save 1.1 to 1.6 % of the packs of hard
/// instances.
const ASCENT_GRAPHS: u32 = 6;

/// From this many sizes, the linear program takes so long that good prices are worth having first.
const ASCENT_SIZES: usize = 400;

/// An ascent is worth it if the program of classes has this many times the packs of the bound, in fractions.
const ASCENT_GAIN: f64 = 1.01;

/// Steps of an ascent before its first dive; before, its mean of packs says little.
const FIRST_ASCENT: u32 = 20;

/// Steps of budget that the program may be ahead of dives while it is not solved, about 0.1 s, twice as many after each
/// dive. Where packs hold many graphs it may be ahead by [`FIRST_ROUNDS`] times its first round at most, because there
/// it is seldom solved. Without dives before it is solved, hard instances need 5.6 % more packs.
const AHEAD: u64 = 1 << 28;
const FIRST_ROUNDS: u64 = 4;

/// Most dives of a program that is solved, so that exchanges get what is left of a large budget.
const DIVES: u32 = 100;

/// Column generation at work, in small steps.
pub(crate) struct Columns<const K: usize> {
    program: Program<K>,
    stage: Stage<K>,
    dive: Option<Dive<K>>,
    /// Dives before the program was solved, and after.
    early: usize,
    dives: u32,
    /// Steps spent on the program, on its first round, and on dives.
    solving: u64,
    first: Option<u64>,
    diving: u64,
    /// The packs of the last plan that the program has got.
    added: u64,
}

/// What comes next for the program.
enum Stage<const K: usize> {
    /// Prices by the program of classes.
    Coarse(Box<Coarse<K>>),
    /// Better prices, by an ascent.
    Ascent(Ascent),
    /// Rounds of the program itself. Dives before it is solved use the packs of the ascent, if there was one.
    Rounds(Option<Ascent>),
}

impl<const K: usize> Columns<K> {
    /// None if there is too much for a program.
    pub(crate) fn new(counts: &Counts<K>, limits: &FixedLimits<K>) -> Option<Self> {
        let program = Program::new(counts, limits)?;
        let ascends =
            bound::most_graphs(counts.entries(), limits) <= ASCENT_GRAPHS && counts.entries().len() >= ASCENT_SIZES;
        let coarse = if ascends { Coarse::new(counts, limits) } else { None };
        let stage = coarse.map_or(Stage::Rounds(None), |coarse| Stage::Coarse(Box::new(coarse)));
        let (early, dives, solving, first, diving) = (0, 0, 0, None, 0);
        Some(Self { program, stage, dive: None, early, dives, solving, first, diving, added: u64::MAX })
    }

    /// Whether the program is solved.
    pub(crate) fn is_solved(&self) -> bool {
        self.program.state.is_solved
    }

    /// The packs of the program in fractions, each as often as it is used, rounded down; None before the first round
    /// and in a dive.
    pub(crate) fn whole_packs(&self) -> Option<Packs> {
        if self.dive.is_some() || self.first.is_none() {
            return None;
        }
        let (mut packs, mut left) = (Packs::default(), self.program.left.clone());
        for (column, used) in self.program.solution() {
            let pack = self.program.pack(column);
            // A cast from float to integer saturates.
            let wanted = libm::floor(used + 1e-6) as u64;
            let repeat = dive::times(pack, &left).min(wanted);
            if repeat > 0 {
                dive::take(pack, repeat, &mut left);
                packs.push(pack.iter().map(|&(at, times)| (at, times.unsigned_abs())), repeat);
            }
        }
        Some(packs)
    }

    /// Goes one step, and replaces `best` by a better plan, and its bound by a better bound. Says whether that was the
    /// last step. None if the budget is spent.
    pub(crate) fn step(&mut self, best: &mut Packs, budget: &mut Budget) -> Option<bool> {
        let before = budget.left();
        if best.packs() < self.added {
            self.added = best.packs();
            for (contents, _) in best.iter() {
                let mut pack: Vec<_> =
                    contents.iter().map(|&(at, times)| (at, i32::try_from(times).unwrap_or(i32::MAX))).collect();
                crate::histogram::add_up(&mut pack);
                self.program.add(pack);
            }
        }
        let is_last = if self.dive.is_some() || self.is_solved() || self.may_dive() {
            let is_last = self.dive(best, budget)?;
            self.diving += before - budget.left();
            is_last
        } else {
            self.solve(best, budget)?;
            self.solving += before - budget.left();
            false
        };
        Some(is_last || best.packs() <= best.bound)
    }

    /// Whether a dive is due although the program is not solved.
    fn may_dive(&self) -> bool {
        match &self.stage {
            Stage::Coarse(_) => false,
            Stage::Ascent(ascent) => ascent.steps >= FIRST_ASCENT && self.solving > self.diving,
            Stage::Rounds(_) => {
                let few = if self.program.holds_many() { FIRST_ROUNDS * self.first.unwrap_or(0) } else { AHEAD };
                self.solving > 2 * self.diving + (few.min(AHEAD) << self.early.min(16))
            }
        }
    }

    /// One round of the program, or of what comes before it. None if the budget is spent.
    fn solve(&mut self, best: &mut Packs, budget: &mut Budget) -> Option<()> {
        match &mut self.stage {
            Stage::Coarse(coarse) => {
                if coarse.step(budget)? {
                    // Where sums prove as much as classes do, prices cannot rise.
                    let is_worth_it = coarse.packs() > best.bound as f64 * ASCENT_GAIN;
                    if is_worth_it {
                        self.program.state.center = coarse.prices(&self.program.counts, &self.program.limits);
                    }
                    self.stage =
                        if is_worth_it { Stage::Ascent(Ascent::new(&self.program)) } else { Stage::Rounds(None) };
                }
            }
            Stage::Ascent(ascent) => {
                if ascent.step(&mut self.program, best.packs(), budget)?
                    && let Stage::Ascent(ascent) = core::mem::replace(&mut self.stage, Stage::Rounds(None))
                {
                    self.stage = Stage::Rounds(Some(ascent));
                }
            }
            Stage::Rounds(_) => {
                let before = budget.left();
                self.program.round(best.packs(), budget)?;
                self.first.get_or_insert(before - budget.left());
            }
        }
        best.bound = best.bound.max(self.program.state.proven);
        Some(())
    }

    /// One depth of a dive. Says whether no other dive can find a better plan. None if the budget is spent.
    fn dive(&mut self, best: &mut Packs, budget: &mut Budget) -> Option<bool> {
        let is_solved = self.is_solved();
        let is_over = dive::whole_packs(&self.program) >= best.packs() || (self.dives >= DIVES && self.dive.is_none());
        if is_solved && is_over {
            return Some(true);
        }
        let mut dive = self.dive.take().unwrap_or_else(|| Dive::new(self.dives));
        let ascent = match &self.stage {
            Stage::Ascent(ascent) | Stage::Rounds(Some(ascent)) if !is_solved => Some(ascent),
            _ => None,
        };
        if !dive.step(&self.program, ascent, best, budget)? {
            self.dive = Some(dive);
        } else if is_solved {
            self.dives += 1;
        } else {
            self.early += 1;
        }
        Some(false)
    }
}
