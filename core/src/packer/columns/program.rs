//! [`Program`]: the configuration program of Gilmore and Gomory, the fewest packs if packs could be used in fractions.
//!
//! It minimises the number of packs, over all packs that keep the limits, such that each size is packed as often as it
//! occurs. There are far too many packs to list, so they are generated: a linear program over few packs ([`Simplex`])
//! puts a price on each size, [`Pricing`] finds packs that are worth more than one pack at these prices, and as long as
//! there are any they join the linear program.
//!
//! Every round proves a bound ([`bound`]), also where a search was cut off. The linear program's own prices jump from
//! round to round; packs are sought at prices between these and those of the best bound so far (Wentges smoothing),
//! which takes fewer rounds.

use super::pricing::{Found, LEAST_WORTH, Pricing, UNIT};
use super::simplex::Simplex;
use crate::FixedLimits;
use crate::lanes::Lanes;
use crate::packer::Budget;
use crate::packer::problem::Counts;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// Most sizes of a program, which bounds the time and the memory of a round.
pub(super) const MOST_SIZES: usize = 1 << 14;

/// Share of the best bound's prices in those at which packs are sought. After a round in which nothing was found it is
/// halved, then 0. Without smoothing, hard instances need 4.6 % more packs.
const SMOOTHING: f64 = 0.2;

/// Items that the search for each size's best pack looks at, at first.
const TRIES: u64 = 200;

/// The next round searches longer only if all searches of this round tried fewer than [`CHEAP`] items, or fewer than
/// one for every [`CHEAPER`] steps of the linear program: then the program takes most of the time anyway.
const CHEAP: u64 = 3_000_000;
const CHEAPER: u64 = 18;

/// Longer searches must promise to raise the best bound by this share of its distance to the linear program's packs.
const PROMISE: f64 = 0.02;

/// Packs that cost at most this share of a pack more than their graphs are worth go from a program to that of a dive.
const NEARLY_WORTH: f64 = 0.01;

/// Graphs that each size is given in addition, one to two times this: with whole numbers, many columns would leave the
/// basis at the same time, and the simplex would make steps of length 0.
const PERTURBATION: f64 = 1e-4;

/// A program that is being solved, for all graphs or for those that are left in a dive.
pub(super) struct Program<const K: usize> {
    pub(super) counts: Counts<K>,
    pub(super) limits: FixedLimits<K>,
    /// The graphs left of each size.
    pub(super) left: Vec<u64>,
    simplex: Simplex,
    known: BTreeSet<Vec<(u32, i32)>>,
    pricing: Pricing<K>,
    tries: u64,
    /// Whether searches become longer where that proves more; a dive needs no proof.
    proves: bool,
    /// What is known of the graphs that are left.
    pub(super) state: State,
}

/// How far a program has come.
#[derive(Clone)]
pub(super) struct State {
    /// The best bound so far, as a fraction, and its prices.
    pub(super) best: f64,
    pub(super) center: Vec<f64>,
    /// No plan has fewer packs.
    pub(super) proven: u64,
    smoothing: f64,
    /// Nothing more can be found.
    pub(super) is_solved: bool,
}

impl<const K: usize> Program<K> {
    /// None if the histogram is empty or too large.
    pub(super) fn new(counts: &Counts<K>, limits: &FixedLimits<K>) -> Option<Self> {
        let sizes = counts.entries();
        if sizes.is_empty() || sizes.len() > MOST_SIZES {
            return None;
        }
        let pricing = Pricing::new(sizes, limits)?;
        let left: Vec<u64> = sizes.iter().map(|(_, count)| *count).collect();
        let single = |&(size, count): &([u32; K], u64)| {
            size.times_in(&limits.size).min(limits.graphs).min(u32::try_from(count).unwrap_or(u32::MAX))
        };
        let singles: Vec<u32> = sizes.iter().map(single).collect();
        let simplex = Simplex::new(&singles, perturbed(&left))?;
        let state = State { best: 0.0, center: by_sums(counts, limits), proven: 0, smoothing: 1.0, is_solved: false };
        let (known, tries) = (BTreeSet::new(), TRIES);
        Some(Self {
            counts: counts.clone(),
            limits: *limits,
            left,
            simplex,
            known,
            pricing,
            tries,
            proves: true,
            state,
        })
    }

    /// Whether packs may hold many graphs of many sets.
    pub(super) fn holds_many(&self) -> bool {
        self.pricing.holds_many()
    }

    /// Adds a pack, with the positions of its sizes, ascending. Says whether it is new.
    pub(super) fn add(&mut self, pack: Vec<(u32, i32)>) -> bool {
        let is_new = !self.known.contains(&pack);
        if is_new {
            self.simplex.add(&pack, 1.0);
            self.known.insert(pack);
        }
        is_new
    }

    /// The number of packs, in fractions, of the linear program.
    pub(super) fn packs(&self) -> f64 {
        self.simplex.prices.iter().zip(&self.left).fold(0.0, |sum, (price, &left)| sum + price * left as f64)
    }

    /// Solves the linear program, and seeks packs at its prices. Says whether the program is solved, or the bound has
    /// reached `enough`. None if the budget is spent.
    pub(super) fn round(&mut self, enough: u64, budget: &mut Budget) -> Option<bool> {
        let before = budget.left();
        let is_exact = self.simplex.primal(budget)?;
        let solving = before - budget.left();
        let packs = self.packs();
        let between = |(&own, &best): (&f64, &f64)| own + self.state.smoothing * (best - own);
        let prices: Vec<f64> = self.simplex.prices.iter().zip(&self.state.center).map(between).collect();
        let found = self.price(&prices, Some(solving), budget)?;
        let entered = found.packs.into_iter().fold(0, |entered, (_, pack)| {
            let worth =
                pack.iter().fold(0.0, |sum, &(at, times)| sum + self.simplex.prices[at as usize] * f64::from(times));
            let enters = worth > 1.0 + 1e-6 && self.add(pack);
            entered + usize::from(enters)
        });
        // Where nothing entered: seeks at the program's own prices, then searches longer; then the program is solved.
        let state = &mut self.state;
        if state.proven as f64 >= packs - 1e-6 || state.best >= packs - 1e-7 {
            state.is_solved = true;
        } else if entered > 0 {
            state.smoothing = SMOOTHING;
        } else if !is_exact {
            state.smoothing = 0.0;
        } else if state.smoothing > 0.0 {
            state.smoothing = f64::max(state.smoothing - SMOOTHING / 2.0, 0.0);
        } else if found.is_cut && self.tries < u64::MAX && self.proves {
            self.tries = self.tries.saturating_mul(8);
        } else {
            state.is_solved = true;
        }
        Some(state.is_solved || state.proven >= enough)
    }

    /// Finds packs at `prices`, and remembers the bound that they prove. `solving` are the steps that the linear
    /// program took; none if there is none yet, so that every bound counts. None if the budget is spent.
    pub(super) fn price(&mut self, prices: &[f64], solving: Option<u64>, budget: &mut Budget) -> Option<Found> {
        let whole: Vec<f64> = prices.iter().map(|price| whole(*price)).collect();
        self.pricing.prepare(&whole, &self.left, budget)?;
        let found = self.pricing.find(self.tries, budget)?;
        let (proven, fraction) = bound(&whole, &self.left, &found.most);
        // Longer searches pay where they would prove more.
        let likely = bound(&whole, &self.left, &found.likely).1;
        let limits = likely > self.state.best + PROMISE * f64::max(self.packs() - self.state.best, 0.0);
        let cheap = CHEAP.max(solving.unwrap_or(0) / CHEAPER);
        let is_cheap = found.tries < cheap && !self.holds_many();
        if self.proves
            && found.is_cut
            && likely > fraction
            && (limits || solving.is_none())
            && is_cheap
            && self.tries < u64::MAX
        {
            self.tries = self.tries.saturating_mul(4);
        }
        let state = &mut self.state;
        state.proven = state.proven.max(proven);
        if fraction > state.best {
            state.best = fraction;
            state.center = whole.iter().map(|price| price / UNIT).collect();
        }
        Some(found)
    }

    /// The packs of the linear program's basis, by position, and how often each is used, in fractions.
    pub(super) fn solution(&self) -> Vec<(usize, f64)> {
        let used = self.simplex.solution(self.left.iter().map(|&left| left as f64).collect());
        // The first columns leave a place empty.
        used.filter(|&(column, _)| column >= self.left.len()).collect()
    }

    /// The contents of a column that is a pack.
    pub(super) fn pack(&self, column: usize) -> &[(u32, i32)] {
        self.simplex.column(column)
    }

    /// A program of the graphs that `left` says, with the packs of this one that are nearly worth using, and for each
    /// of its positions that in this program. None if there are no graphs.
    pub(super) fn rest(&self, left: &[u64], budget: &mut Budget) -> Option<(Self, Vec<u32>)> {
        let kept: Vec<u32> = (0..).zip(left).filter(|(_, left)| **left > 0).map(|(at, _)| at).collect();
        let entries = kept.iter().map(|&at| (self.counts.entries()[at as usize].0, left[at as usize]));
        let mut rest = Self::new(&Counts::of(entries), &self.limits)?;
        budget.use_up(self.known.len() as u64 * 20 + kept.len() as u64 * 2000);
        rest.state.center = kept.iter().map(|&at| self.state.center[at as usize]).collect();
        rest.state.smoothing = SMOOTHING;
        rest.proves = false;
        for column in self.simplex.good(NEARLY_WORTH).filter(|&column| column >= self.left.len()) {
            let there = |&(at, times): &(u32, i32)| {
                let position = kept.binary_search(&at).ok()? as u32;
                Some((position, times.min(i32::try_from(left[at as usize]).unwrap_or(i32::MAX))))
            };
            let pack: Vec<_> = self.simplex.column(column).iter().filter_map(there).collect();
            if !pack.is_empty() {
                rest.add(pack);
            }
        }
        Some((rest, kept))
    }
}

/// Returns the best bound on packs that prices prove, as a whole number and as a fraction.
///
/// Each pack is worth at most what the dearest of its sizes allows (`most`, with the graphs of each size;
/// [`LEAST_WORTH`] for sizes that are not in there). Say that every pack is worth t, and some more: then all graphs are
/// worth at most t for each pack, and for each graph of a size whose packs are worth more than t the difference. That
/// holds for any t from [`LEAST_WORTH`]. With the largest of `most` as t this is Farley's bound; the best t is where
/// the packs above it are worth as much as all graphs are.
fn bound(whole: &[f64], left: &[u64], most: &[(f64, u64)]) -> (u64, f64) {
    let all = whole.iter().zip(left).map(|(&price, &left)| price as u128 * u128::from(left)).sum::<u128>();
    let mut most: Vec<(u128, u64)> = most.iter().map(|&(worth, left)| (worth as u128, left)).collect();
    most.sort_unstable_by(|a, b| b.cmp(a));
    // The packs so far, whose dearest size allows more than t: what they are worth, and their number.
    let (mut above, mut packs) = (0_u128, 0_u128);
    let mut best = (0, 0.0);
    let ends = most.iter().copied().chain([(LEAST_WORTH as u128, 0)]);
    for (t, left) in ends {
        // All graphs but what the packs above hold beyond t each, divided by t.
        let Some(rest) = (all + packs * t).checked_sub(above) else { break };
        let fraction = rest as f64 / t as f64;
        if fraction > best.1 {
            best = (u64::try_from(rest.div_ceil(t)).unwrap_or(u64::MAX), fraction);
        }
        above += t * u128::from(left);
        packs += u128::from(left);
    }
    best
}

/// Returns slightly more graphs of each size, by [`PERTURBATION`].
fn perturbed(left: &[u64]) -> Vec<f64> {
    let more = |at: usize| PERTURBATION * (1.0 + (at * 40_503 % 65_536) as f64 / 65_536.0);
    let graphs = left.iter().enumerate();
    graphs.map(|(at, &left)| left as f64 + more(at)).collect()
}

/// Prices that prove the bound of sums: the share of the scarcest limit that a graph of each size fills.
fn by_sums<const K: usize>(counts: &Counts<K>, limits: &FixedLimits<K>) -> Vec<f64> {
    let share = |k: usize, size: &[u32; K]| match size.get(k) {
        Some(&rows) => f64::from(rows) / f64::from(limits.size[k]),
        None => 1.0 / f64::from(limits.graphs),
    };
    let sum = |k: usize| counts.entries().iter().fold(0.0, |sum, (size, count)| sum + share(k, size) * *count as f64);
    let scarcest = (0..=K).max_by(|&a, &b| sum(a).total_cmp(&sum(b))).unwrap_or(0);
    counts.entries().iter().map(|(size, _)| share(scarcest, size)).collect()
}

/// A price as a whole number; negative ones count as 0.
fn whole(price: f64) -> f64 {
    if price > 0.0 { libm::floor(price.min(2.0) * UNIT) } else { 0.0 }
}

/// The sum of the shares of the limits that a graph fills.
pub(super) fn share<const K: usize>(size: &[u32; K], limits: &FixedLimits<K>) -> f64 {
    (0..K).fold(0.0, |sum, k| sum + f64::from(size[k]) / f64::from(limits.size[k]))
}
