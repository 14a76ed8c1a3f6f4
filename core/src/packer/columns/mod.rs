//! Column generation: the configuration program of Gilmore and Gomory, and whole packs from its fractions.
//!
//! [`Columns`] solves the `program`, which says how often to use each pack: the linear program over the packs found so
//! far (`simplex`, whose basis `factors` keeps as sparse triangular matrices) and `pricing`, which finds the next ones
//! by a search that a `grid` and `multipliers` bound. Where packs hold few graphs of many sizes, an `ascent` of prices
//! takes the place of the linear program, from prices of classes of sizes (`coarse`). `dive` makes whole packs of the
//! fractions. `lift` turns packs of one component alone, whose program is small, into packs of all components.

mod ascent;
mod coarse;
mod dive;
mod factors;
mod grid;
mod lift;
mod multipliers;
mod pricing;
mod program;
mod simplex;

use crate::packer::Budget;
use crate::packer::greedy::best_fit;
use crate::packer::problem::{Counts, Packs};
use crate::{FixedLimits, bound};
use alloc::vec::Vec;
use ascent::Ascent;
use coarse::Coarse;
pub(crate) use coarse::{mean, widest};
use dive::Dive;
pub(crate) use lift::{Projection, lift};
use program::Program;

/// Packs that hold at most this many graphs hold few.
const FEW: u32 = 6;

/// From this many sizes, the linear program takes so long that good prices are worth having first.
const MANY_SIZES: usize = 400;

/// Above this many sizes, the linear program begins with the packs of plans; with fewer it is as fast without.
const BEGUN: usize = 1 << 10;

/// What classes must promise beyond the bound for an ascent.
const WORTH_IT: f64 = 1.01;

/// Steps of an ascent before its first dive.
const FIRST: u32 = 20;

/// Rounds of the program after which a plan is made by its prices.
const PLANS: u32 = 3;

/// Up to this many sizes, packs of many graphs in one to three sets are completed by demand in every round.
const COMPLETED: usize = 32;

/// How often a dive goes back to the same depth, when once was not enough.
const RETURNS: usize = 4;

/// Steps that the program may be ahead of dives while it is not solved; where packs hold many graphs no more than this
/// many first rounds, because there the program is hardly ever solved.
const AHEAD: u64 = 4;
const MOST_AHEAD: u64 = 1 << 28;

/// Column generation at work, in small steps.
pub(crate) struct Columns<const K: usize> {
    program: Program<K>,
    coarse: Option<Coarse<K>>,
    ascent: Option<Ascent>,
    ascended: Option<Ascent>,
    rounds: u32,
    dive: Option<Dive<K>>,
    /// Dives before the program was solved, and after; and the columns that the first of the latter rounded up.
    early: usize,
    dives: usize,
    rounded: Vec<usize>,
    /// Steps spent on the program and on dives, and on the first round of the program.
    spent: [u64; 2],
    first: u64,
    graphs: Vec<u64>,
    /// The packs of the last plan that the program has got.
    added: u64,
    /// Up to this many sizes, every round's whole packs are completed by demand.
    completed: usize,
}

impl<const K: usize> Columns<K> {
    /// None if there is too much for a program.
    pub(crate) fn new(counts: &Counts<K>, limits: &FixedLimits<K>) -> Option<Self> {
        let program = Program::new(counts, limits)?;
        let most = bound::most_graphs(counts.entries(), limits);
        let few = most <= FEW && counts.entries().len() >= MANY_SIZES;
        let coarse = if few { Coarse::new(counts, limits) } else { None };
        let graphs = program.left.to_vec();
        let completed = match most {
            _ if program.holds_many() => dive::DEMANDED,
            0..=pricing::MANY_GRAPHS => 0,
            _ => COMPLETED,
        };
        Some(Self {
            program,
            coarse,
            ascent: None,
            ascended: None,
            rounds: 0,
            dive: None,
            early: 0,
            dives: 0,
            rounded: Vec::new(),
            spent: [0, 0],
            first: 0,
            graphs,
            added: u64::MAX,
            completed,
        })
    }

    /// Lets the program begin with the packs of a plan.
    fn add(&mut self, plan: &Packs) {
        for (contents, _) in plan.iter() {
            let mut pack: Vec<_> =
                contents.iter().map(|&(at, times)| (at, i32::try_from(times).unwrap_or(i32::MAX))).collect();
            crate::histogram::add_up(&mut pack);
            self.program.add(pack);
        }
        if self.rounds == 0 && self.graphs.len() > BEGUN {
            self.program.begin_with_added();
        }
    }

    /// Whether the program is solved.
    pub(crate) fn is_solved(&self) -> bool {
        self.program.state.is_solved
    }

    /// Whether the program has had a round.
    pub(crate) fn has_begun(&self) -> bool {
        self.rounds > 0
    }

    /// The most packs that the program can prove to be needed, as far as is known.
    pub(crate) fn most(&self) -> u64 {
        dive::whole_packs(&self.program)
    }

    /// The packs of the program in fractions, each as often as it is used, rounded down; None in a dive.
    pub(crate) fn whole_packs(&self) -> Option<Packs> {
        if self.dive.is_some() {
            return None;
        }
        let (mut packs, mut left) = (Packs::default(), self.graphs.clone());
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
            self.add(best);
        }
        let ascends = self.coarse.is_some() || self.ascent.as_ref().is_some_and(|ascent| ascent.steps < FIRST);
        let many = self.program.holds_many();
        let ahead = if many { AHEAD.saturating_mul(self.first).min(MOST_AHEAD) } else { MOST_AHEAD };
        let ahead = if self.ascent.is_some() { 0 } else { ahead << self.early.min(16) };
        let may_dive = !ascends && self.spent[0] > if self.ascent.is_some() { 1 } else { 2 } * self.spent[1] + ahead;
        let dives = self.dive.is_some() || self.program.state.is_solved || may_dive;
        let is_last = if dives { self.dive(best, budget)? } else { self.solve(best, budget)? };
        self.spent[usize::from(dives)] += before - budget.left();
        if self.rounds == 1 && self.first == 0 {
            self.first = before - budget.left();
        }
        Some(is_last || best.packs() <= best.bound)
    }

    /// One round of the program, or of what comes before it.
    fn solve(&mut self, best: &mut Packs, budget: &mut Budget) -> Option<bool> {
        let mut plans = false;
        if let Some(coarse) = &mut self.coarse {
            if coarse.step(budget)? {
                // Where sums prove as much as classes do, prices cannot rise.
                if coarse.packs() > best.bound as f64 * WORTH_IT {
                    self.program.state.center = coarse.prices(&self.program.counts, &self.program.limits);
                    self.ascent = Some(Ascent::new(&self.program));
                }
                self.coarse = None;
            }
        } else if let Some(ascent) = &mut self.ascent {
            if ascent.step(&mut self.program, best.packs(), budget)? {
                self.ascended = self.ascent.take();
                plans = true;
            }
        } else {
            self.program.round(best.packs(), budget)?;
            let completes = self.graphs.len() <= self.completed;
            if completes {
                self.complete(best, budget)?;
            }
            plans = self.rounds.is_multiple_of(PLANS) && !completes;
            self.rounds += 1;
        }
        best.bound = best.bound.max(self.program.state.proven);
        if plans && best.packs() > best.bound {
            let plan = self.program.by_prices(budget)?;
            if plan.packs() < best.packs() {
                *best = plan.with_bound(best.bound);
            }
        }
        Some(false)
    }

    /// A plan of the whole packs of the fractions, and of what is left greedily.
    fn complete(&self, best: &mut Packs, budget: &mut Budget) -> Option<()> {
        let (program, mut plan) = (&self.program, self.whole_packs()?);
        let rest = program.counts.without(&plan);
        budget.take(2 * best_fit::SIZE * rest.entries().len() as u64)?;
        let most = best.packs().saturating_sub(plan.packs());
        let packed = dive::pack_below(&rest, &program.limits, most, budget);
        if let Some(packed) = packed {
            plan.append(&packed);
            *best = plan.with_bound(best.bound);
        }
        Some(())
    }

    /// One depth of a dive. Says whether no other dive can find a better plan.
    fn dive(&mut self, best: &mut Packs, budget: &mut Budget) -> Option<bool> {
        let is_solved = self.program.state.is_solved;
        if is_solved && dive::whole_packs(&self.program) >= best.packs() {
            return Some(true);
        }
        // All sets of one and two early choices were forbidden, first with one try at each later depth, then with more.
        let sets = 1 + self.rounded.len() * self.rounded.len().max(1);
        if is_solved && self.dives >= 2 * sets && self.dive.is_none() {
            return Some(true);
        }
        let mut dive = self.dive.take().unwrap_or_else(|| {
            if is_solved {
                let returns = if self.dives < sets { 1 } else { RETURNS };
                Dive::new(forbidden(self.dives % sets, &self.rounded), returns)
            } else {
                Dive::early(self.early)
            }
        });
        if !dive.step(
            &self.program,
            if is_solved { None } else { self.ascent.as_ref().or(self.ascended.as_ref()) },
            best,
            budget,
        )? {
            self.dive = Some(dive);
        } else if is_solved {
            if self.dives == 0 {
                self.rounded = dive.rounded;
            }
            self.dives += 1;
        } else {
            self.early += 1;
        }
        Some(false)
    }
}

/// The columns that a dive does without: none in the first one, then each of `rounded` for itself, then two of them.
fn forbidden(dive: usize, rounded: &[usize]) -> Vec<usize> {
    let get = |at: usize| rounded.get(at).copied();
    match dive {
        0 => Vec::new(),
        _ if dive <= rounded.len() => get(dive - 1).into_iter().collect(),
        _ => {
            let pair = dive - rounded.len();
            let distance = 1 + pair / rounded.len().max(1);
            let first = pair % rounded.len().max(1);
            get(first).into_iter().chain(get((first + distance) % rounded.len().max(1))).collect()
        }
    }
}
