//! The configuration program of Gilmore and Gomory: the fewest packs, if packs could be used in fractions.
//!
//! It minimises the number of packs, over all packs that keep the limits, such that each size is packed as often as it
//! occurs. There are far too many packs to list, so they are generated: a linear program over few packs ([`Master`])
//! puts a price on each size, [`Pricing`] finds packs that are worth more than one pack at these prices, and as long as
//! there are any they join the linear program.
//!
//! At any prices, (worth of all graphs) / (worth of the dearest pack) is a lower bound on the number of packs. Bounds
//! are computed from whole prices, so that rounding cannot make them wrong. The linear program's own prices jump from
//! round to round; packs are sought at prices between these and those that gave the best bound so far (Wentges
//! smoothing), which takes fewer rounds.

use super::column::Column;
use super::master::Master;
use super::pricing::{EXACT, Pricing, UNIT};
use crate::lanes::Lanes;
use crate::packer::Effort;
use crate::packer::problem::{Counts, Packs};
use crate::{FixedLimits, bound};
use alloc::vec::Vec;

/// Rounds without progress after which the program ends.
const MAX_IDLE: u32 = 200;

/// Share of the best bound's prices in those at which packs are sought, and how much less it is after a round in which
/// nothing was found.
const SMOOTHING: f64 = 0.8;
const LESS: f64 = 0.3;

/// The cost of an exchange, as a share of an average graph's price.
const EXCHANGE: f64 = 0.01;

/// How often columns that are known are tried in a round.
const PASSES: usize = 4;

/// The solution of the program.
pub(super) struct Solution {
    /// A proven bound: no plan has fewer packs.
    pub(super) bound: u64,
    /// Packs, and how often each is used, in fractions.
    pub(super) packs: Vec<(Vec<(u32, u32)>, f64)>,
    /// The numbers of the sizes that were solved, with the prices that prove the bound.
    pub(super) prices: Vec<(u32, f64)>,
}

/// A program that is being solved. It can be interrupted, and goes on as if it had not been.
pub(super) struct Program<const K: usize> {
    histogram: Counts<K>,
    pricing: Pricing<K>,
    master: Master,
    exchanges: Vec<Column>,
    /// The best bound so far, as a fraction, and its prices, at which packs are sought in the first round.
    best: (f64, Vec<f64>),
    proven: u64,
    smoothing: f64,
    /// Rounds without progress.
    idle: u32,
    is_solved: bool,
}

impl<const K: usize> Program<K> {
    /// Begins at `prices`, if given. None if `effort` is too small, or if the histogram is empty or has too many sizes.
    pub(super) fn new(
        histogram: &Counts<K>,
        limits: &FixedLimits<K>,
        prices: &[(u32, f64)],
        effort: &mut Effort,
    ) -> Option<Self> {
        let sizes = histogram.entries();
        let pricing = Pricing::new(histogram, limits, effort)?;
        let single = |&(size, count): &([u32; K], u64)| {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            size.times_in(&limits.size).min(limits.graphs).min(count)
        };
        let singles: Vec<u32> = sizes.iter().map(single).collect();
        let master = Master::new(&singles, sizes.iter().map(|&(_, count)| count as f64).collect())?;
        let graphs = histogram.graphs();
        let price = bound::of_counts(histogram, limits) as f64 / graphs as f64;
        let exchanges = exchanges(sizes, limits, price * EXCHANGE, effort);
        let known = |number: &u32| {
            prices.binary_search_by_key(number, |(number, _)| *number).map_or(0.0, |position| prices[position].1)
        };
        let first = histogram.numbers().iter().map(known).collect();
        let best = (0.0, if prices.is_empty() { by_sums(histogram, limits) } else { first });
        let histogram = histogram.clone();
        let (proven, smoothing, idle, is_solved) = (0, 1.0, 0, false);
        Some(Self { histogram, pricing, master, exchanges, best, proven, smoothing, idle, is_solved })
    }

    /// Adds packs, whose sizes need not be in the histogram.
    pub(super) fn add(&mut self, packs: impl Iterator<Item = impl AsRef<[(u32, u32)]>>, effort: &mut Effort) {
        let columns: Vec<_> = packs.map(|contents| Column::of(contents.as_ref(), &self.histogram)).collect();
        enter(&mut self.master, &columns, effort);
    }

    /// Goes on until the program is solved, or until `effort` is spent.
    pub(super) fn run(&mut self, effort: &mut Effort) {
        while !self.is_solved && effort.left() > 0 && self.round(effort).is_some() {}
    }

    /// Seeks packs at one set of prices. None if the effort is too small.
    fn round(&mut self, effort: &mut Effort) -> Option<()> {
        enter(&mut self.master, &self.exchanges, effort);
        let before = (self.best.0, self.master.packs());
        let between = |(&own, &best): (&f64, &f64)| own + self.smoothing * (best - own);
        let prices: Vec<f64> = self.master.prices().iter().zip(&self.best.1).map(between).collect();
        let whole: Vec<f64> = prices.iter().map(|price| whole(*price)).collect();
        let (most, columns) = self.pricing.find(&whole, effort)?;
        let counts = self.histogram.entries().iter().map(|&(_, count)| u128::from(count));
        let all: u128 = whole.iter().zip(counts).map(|(&price, count)| price as u128 * count).sum();
        // Beyond, sums may be rounded and prove nothing.
        if most > 0.0 && most < EXACT {
            self.proven = self.proven.max(u64::try_from(all.div_ceil(most as u128)).unwrap_or(u64::MAX));
            if all as f64 / most > self.best.0 {
                self.best = (all as f64 / most, prices);
            }
        }
        if self.proven as f64 >= self.master.packs() - 1e-6 {
            self.is_solved = true;
        } else if enter(&mut self.master, &columns, effort) {
            self.smoothing = SMOOTHING;
            let improved = self.best.0 > before.0 * (1.0 + 1e-9) || self.master.packs() < before.1 * (1.0 - 1e-9);
            self.idle = if improved { 0 } else { self.idle + 1 };
            self.is_solved = self.idle == MAX_IDLE;
        } else if effort.left() > 0 {
            // Nothing more is found at these prices.
            self.is_solved = self.smoothing == 0.0 && !self.pricing.persist();
            self.smoothing = f64::max(self.smoothing - LESS, 0.0);
        }
        Some(())
    }

    /// Whether nothing more can be found.
    pub(super) fn is_solved(&self) -> bool {
        self.is_solved
    }

    /// Returns the solution so far; `None` before the first round is done.
    pub(super) fn solution(&self) -> Option<Solution> {
        let columns = self.master.columns();
        let packs = columns.filter_map(|(column, used)| Some((column.contents(&self.histogram)?, used))).collect();
        let numbers = self.histogram.numbers().iter().zip(&self.best.1);
        let prices = numbers.map(|(number, price)| (*number, *price)).collect();
        (self.proven > 0).then_some(Solution { bound: self.proven, packs, prices })
    }
}

/// Brings all columns that gain something into the linear program, one after the other. False if there are none, or if
/// the effort is spent.
fn enter(master: &mut Master, columns: &[Column], effort: &mut Effort) -> bool {
    let mut entered = 0;
    // Some gain only after others have entered.
    for _ in 0..PASSES {
        let before = entered;
        for column in columns {
            if master.enter(column) {
                entered += 1;
                if !effort.spend(master.take_steps()) {
                    return false;
                }
            }
        }
        if entered == before {
            break;
        }
    }
    entered > 0
}

/// Prices that prove the bound of sums: the share of the scarcest limit that a graph of each size fills.
fn by_sums<const K: usize>(histogram: &Counts<K>, limits: &FixedLimits<K>) -> Vec<f64> {
    let share = |k: usize, size: &[u32; K]| match size.get(k) {
        Some(&component) => f64::from(component) / f64::from(limits.size[k]),
        None => 1.0 / f64::from(limits.graphs),
    };
    let sum =
        |k: usize| histogram.entries().iter().fold(0.0, |sum, (size, count)| sum + share(k, size) * *count as f64);
    let scarcest = (0..=K).max_by(|&a, &b| sum(a).total_cmp(&sum(b))).unwrap_or(0);
    histogram.entries().iter().map(|(size, _)| share(scarcest, size)).collect()
}

/// A price as a whole number; negative ones count as 0.
fn whole(price: f64) -> f64 {
    if price > 0.0 { libm::floor(price.min(2.0) * UNIT) } else { 0.0 }
}

/// Most smaller sizes for a place.
const MOST: usize = 3;

/// How many of the next smaller sizes are looked at.
const NEXT: usize = 256;

/// Columns that let each place stay empty, or be taken by the largest sizes that are smaller in no component larger.
///
/// They make the prices of the linear program rise with the sizes, nearly as they do in the end. Without them, prices of
/// a plan of whole packs are arbitrary, and most packs that are found at such prices improve nothing. They cost a little,
/// so that in the end few are used.
pub(super) fn exchanges<const K: usize>(
    sizes: &[([u32; K], u64)],
    limits: &FixedLimits<K>,
    cost: f64,
    effort: &mut Effort,
) -> Vec<Column> {
    let fill = |size: &[u32; K]| (0..K).fold(0.0, |sum, k| sum + f64::from(size[k]) / f64::from(limits.size[k]));
    let mut ascending: Vec<(f64, usize)> = sizes.iter().enumerate().map(|(at, (size, _))| (fill(size), at)).collect();
    ascending.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    effort.use_up((sizes.len() * NEXT.min(sizes.len())) as u64);
    let size = |at: usize| sizes[at].0;
    let mut columns = Vec::new();
    for (rank, &(_, place)) in ascending.iter().enumerate() {
        columns.push(Column::exchange(place, None, cost));
        let mut taking: Vec<usize> = Vec::new();
        for &(_, at) in ascending[..rank].iter().rev().take(NEXT) {
            // What is smaller than one that was found follows from that one's own exchanges.
            let follows = taking.iter().any(|&larger| size(at).fits(&size(larger)));
            if size(at).fits(&size(place)) && !follows {
                taking.push(at);
                if taking.len() == MOST {
                    break;
                }
            }
        }
        columns.extend(taking.into_iter().map(|at| Column::exchange(place, Some(at), cost)));
    }
    columns
}

/// What earlier attempts on the same histogram have found, so that the next one continues there.
#[derive(Default)]
pub(crate) struct Progress<const K: usize> {
    /// The program of each component, while that is not solved to its end.
    pub(super) projected: Vec<Projected>,
    /// The program of all components.
    pub(super) whole: Option<Program<K>>,
    /// Whether its fractions were rounded in all ways.
    pub(super) is_rounded: bool,
}

/// Packs and prices of a program that began earlier, and whether it is solved.
#[derive(Default)]
pub(super) struct Projected {
    pub(super) packs: Vec<Vec<(u32, u32)>>,
    pub(super) prices: Vec<(u32, f64)>,
    pub(super) is_solved: bool,
}

impl<const K: usize> Progress<K> {
    /// Whether all is done, so that another attempt finds nothing more.
    pub(crate) fn is_solved(&self) -> bool {
        self.is_rounded && self.whole.as_ref().is_some_and(Program::is_solved)
    }

    /// Goes on with the program, also from the packs of `start`. None if the effort is too small to begin.
    pub(super) fn solve(
        &mut self,
        histogram: &Counts<K>,
        limits: &FixedLimits<K>,
        start: &Packs,
        effort: &mut Effort,
    ) -> Option<Solution> {
        if self.whole.is_none() {
            self.whole = Program::new(histogram, limits, &[], effort);
        }
        let program = self.whole.as_mut()?;
        program.add(start.iter().map(|(contents, _)| contents), effort);
        program.run(effort);
        program.solution()
    }
}
