//! Choosing limits (paper, sections 2.5 and 3.2, and its future work): how good packs are under many limits, and which
//! to take.
//!
//! [`around`] proposes limits, and [`Candidate::evaluate`] packs a histogram under one of them. Of many candidates,
//! [`pareto`] keeps those that no other beats, [`smallest`] finds the smallest that is full enough (of those
//! [`nearly_full`], better packing decides), and [`fullest`] the fullest for a number of graphs per step. Most limits
//! need no packing for that: even packs as few as the simple bound would not be chosen. [`Trials`] leave these out.
//! [`cheapest`] finds the limits with the cheapest epoch by a [`Cost`], for example among those [`within`] a budget of
//! memory.

use crate::packer::{Budget, Packer, fitted_or_demanded};
use crate::{Cost, Efficiency, Histogram, Limits, PackError, Plan, Size, bound};
use alloc::vec::{IntoIter, Vec};

/// Limits, and how good packs under them are: what [`search`](self) chooses among.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// The limits.
    pub limits: Limits,
    /// Number of packs for the whole histogram, which is the number of steps per epoch with one pack each.
    pub packs: u64,
    /// How full the packs are.
    pub efficiency: Efficiency,
}

impl Candidate {
    /// Packs a histogram by best-fit and by the demand packer, and takes the better: milliseconds for a thousand sizes.
    pub fn evaluate(histogram: &Histogram, limits: Limits) -> Result<Self, PackError> {
        Ok(Self::of(&fitted_or_demanded(histogram, &limits)?))
    }

    /// Packs a histogram by [`Packer::Auto`], as well as `budget` allows.
    pub fn optimise(histogram: &Histogram, limits: Limits, budget: Budget) -> Result<Self, PackError> {
        Ok(Self::of(&Packer::Auto(budget).pack(histogram, &limits)?))
    }

    fn of(plan: &Plan) -> Self {
        Self { limits: *plan.limits(), packs: plan.packs(), efficiency: plan.efficiency() }
    }

    /// Returns the best that packing a histogram under each of `limits` could give: as few packs as the
    /// [simple bound](bound::simple).
    pub fn at_best(histogram: &Histogram, limits: &[Limits]) -> Vec<Self> {
        let (totals, graphs) = (histogram.totals(), histogram.graphs());
        let at_best = |limits: &Limits| {
            let packs = simple(&totals, graphs, limits);
            Self { limits: *limits, packs, efficiency: Efficiency::of(&totals, graphs, packs, limits) }
        };
        limits.iter().map(at_best).collect()
    }

    /// Returns the [harmonic mean](Efficiency::harmonic_mean) of the efficiencies of the sets, the paper's measure.
    pub fn score(&self) -> f64 {
        self.efficiency.harmonic_mean()
    }

    /// Returns the number of graphs per step, on average, if a step takes one pack.
    pub fn graphs_per_step(&self, histogram: &Histogram) -> f64 {
        histogram.graphs() as f64 / self.packs.max(1) as f64
    }
}

/// Proposes limits for about `graphs` graphs per pack: the mean rows of each set times `graphs`, with one set at a time
/// up to a tenth lower or higher. All limits are multiples of `multiple_of`, and none is below the largest
/// graph. The most graphs per pack are those that fit on average and a quarter more, so that this limit hardly binds.
pub fn around(histogram: &Histogram, graphs: f64, multiple_of: u32) -> Vec<Limits> {
    let (totals, largest, sets) = (histogram.totals(), histogram.largest(), histogram.sets());
    let count = histogram.graphs().max(1) as f64;
    let step = multiple_of.max(1);
    let at = |set: usize, factor: f64| {
        let wanted = totals[set] as f64 / count * graphs * factor;
        // A cast from float to integer saturates.
        (wanted as u32).max(largest[set]).max(1).checked_next_multiple_of(step).unwrap_or(u32::MAX / step * step)
    };
    // By how much one set leaves the proportion: -10 % to +10 %.
    let mut found: Vec<Limits> = Vec::new();
    for leaning in 0..sets {
        for lean in -5..=5 {
            let factor = |set: usize| if set == leaning { 1.0 + f64::from(lean) / 50.0 } else { 1.0 };
            let size = Size::of(sets, |set| at(set, factor(set)));
            let limits = with_graphs(histogram, size);
            if !found.contains(&limits) {
                found.push(limits);
            }
        }
    }
    found
}

/// Proposes limits of the most rows of each set that any graph has, which need not be multiples of anything.
pub fn largest_graph(histogram: &Histogram) -> Limits {
    with_graphs(histogram, histogram.largest().max_each(&Size::of(histogram.sets(), |_| 1)))
}

/// Returns limits with a number of graphs that hardly binds: those that fit on average and a quarter more.
fn with_graphs(histogram: &Histogram, size: Size) -> Limits {
    let (totals, count) = (histogram.totals(), histogram.graphs().max(1) as f64);
    let fitting = (0..histogram.sets()).map(|set| f64::from(size[set]) * count / (totals[set] as f64).max(1.0));
    let most = fitting.fold(f64::MAX, f64::min);
    Limits::new(size).graphs(((most * 1.25) as u32).max(1).saturating_add(1))
}

/// [`bound::simple`] for sums that are known.
fn simple(totals: &[u128], graphs: u64, limits: &Limits) -> u64 {
    bound::of_sums(totals, graphs, limits.size.as_slice(), limits.graphs)
}

/// Number of sizes of packs that [`within`] proposes, each an eighth smaller than the one before.
const SMALLER: usize = 12;

/// Returns the candidate whose epoch costs least, packed by [`Candidate::evaluate`]; None if there are no `limits`.
/// Packs only under limits that would be cheaper if there were as few packs as the [simple bound](bound::simple).
///
/// ```
/// use graphpack_core::{Cost, Histogram, search};
///
/// // 8 bytes for a node and 24 for an edge, in 100 kB. A step takes as long as 5,000 rows.
/// let histogram = Histogram::from_counts([([20, 40], 5000), ([31, 64], 2000)])?;
/// let limits = search::within(&histogram, &Cost::rows([8, 24]), 100_000, u32::MAX, 8);
/// let best = search::cheapest(&histogram, &limits, &Cost::ROWS.step(5000))?.expect("the largest graph fits");
/// assert!(best.limits.size[0] * 8 + best.limits.size[1] * 24 <= 100_000);
/// assert!(best.graphs_per_step(&histogram) > 60.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cheapest(histogram: &Histogram, limits: &[Limits], cost: &Cost) -> Result<Option<Candidate>, PackError> {
    cheaper(histogram, limits.to_vec(), cost, None)
}

/// Returns what [`cheapest`] does; None if no epoch costs less than `best`.
pub(crate) fn cheaper(
    histogram: &Histogram,
    mut limits: Vec<Limits>,
    cost: &Cost,
    mut best: Option<u128>,
) -> Result<Option<Candidate>, PackError> {
    let (totals, graphs) = (histogram.totals(), histogram.graphs());
    let at_least = |limits: &Limits| cost.of_epoch(simple(&totals, graphs, limits), limits);
    limits.sort_by_cached_key(at_least);
    limits.dedup();
    let mut cheapest = None;
    for limits in limits {
        if best.is_some_and(|best| best <= at_least(&limits)) {
            break;
        }
        let found = Candidate::evaluate(histogram, limits)?;
        let cost = cost.of_epoch(found.packs, &limits);
        if best.is_none_or(|best| cost < best) {
            (best, cheapest) = (Some(cost), Some(found));
        }
    }
    Ok(cheapest)
}

/// Proposes limits that need at most `budget` of `memory` and hold at most `most_graphs` graphs: those [`around`]
/// a dozen numbers of graphs, and those of the [largest graph](largest_graph). Returns none if the largest graph needs
/// more than `budget`.
pub fn within(histogram: &Histogram, memory: &Cost, budget: u64, most_graphs: u32, multiple_of: u32) -> Vec<Limits> {
    let (totals, count) = (histogram.totals(), histogram.graphs().max(1) as f64);
    let rows = (0..histogram.sets()).map(|set| totals[set] as f64 / count * memory.rows[set] as f64);
    let graph = rows.fold(memory.graph as f64, |sum, rows| sum + rows);
    // No pack has more graphs than there are, even if they need no memory.
    let most = (budget.saturating_sub(memory.step) as f64 / graph).min(count).min(most_graphs.into());
    let mut found: Vec<Limits> = Vec::new();
    let smaller = (0..SMALLER).scan(most, |graphs, _| Some(core::mem::replace(graphs, *graphs * 0.875)));
    // Limits around 0 graphs are those of the largest graph, rounded up to multiples.
    let itself = largest_graph(histogram);
    for graphs in smaller.chain([0.0]) {
        for limits in around(histogram, graphs, multiple_of).into_iter().chain([itself]) {
            let limits = limits.graphs(limits.graphs.min(most_graphs));
            if memory.of(&limits) <= budget.into() && !found.contains(&limits) {
                found.push(limits);
            }
        }
    }
    found
}

/// Returns the candidates that no other beats in both the cost of a step and the score, in ascending order of cost.
pub fn pareto(candidates: &[Candidate], cost: &Cost) -> Vec<Candidate> {
    let mut sorted = candidates.to_vec();
    let of = |candidate: &Candidate| cost.of(&candidate.limits);
    sorted.sort_by(|a, b| of(a).cmp(&of(b)).then(b.score().total_cmp(&a.score())));
    let mut front: Vec<Candidate> = Vec::new();
    for candidate in sorted {
        if front.last().is_none_or(|last| candidate.score() > last.score()) {
            front.push(candidate);
        }
    }
    front
}

/// Returns the candidate whose step costs least among those that fill each set to at least `efficiency`, a share from 0
/// to 1. Sets of which no graph has rows do not count.
pub fn smallest(candidates: &[Candidate], efficiency: f64, cost: &Cost) -> Option<Candidate> {
    let full = candidates.iter().filter(|candidate| is_full(candidate, efficiency));
    full.min_by_key(|candidate| cost.of(&candidate.limits)).cloned()
}

/// Returns limits that may be [`smallest`] if graphs are packed better, the cheapest first: they are cheaper than the
/// smallest found, fill each set to at least 0.95 of `efficiency`, and would reach it
/// [at best](Candidate::at_best).
pub fn nearly_full(histogram: &Histogram, candidates: &[Candidate], efficiency: f64, cost: &Cost) -> Vec<Limits> {
    let smallest = smallest(candidates, efficiency, cost).map_or(u128::MAX, |found| cost.of(&found.limits));
    let near = candidates.iter().filter(|found| is_full(found, 0.95 * efficiency) && cost.of(&found.limits) < smallest);
    let near: Vec<Limits> = near.map(|found| found.limits).collect();
    let can_be = Candidate::at_best(histogram, &near).into_iter().filter(|best| is_full(best, efficiency));
    let mut limits: Vec<Limits> = can_be.map(|best| best.limits).collect();
    limits.sort_by_key(|limits| cost.of(limits));
    limits
}

fn is_full(candidate: &Candidate, efficiency: f64) -> bool {
    candidate.efficiency.sets.iter().all(|&share| share >= efficiency || share == 0.0)
}

/// Returns the candidate with the highest score among those with `graphs` graphs per step on average, a tenth more or
/// less.
pub fn fullest(candidates: &[Candidate], histogram: &Histogram, graphs: f64) -> Option<Candidate> {
    let near = candidates.iter().filter(|candidate| is_near(candidate, histogram, graphs));
    near.max_by(|a, b| a.score().total_cmp(&b.score())).cloned()
}

fn is_near(candidate: &Candidate, histogram: &Histogram, graphs: f64) -> bool {
    (0.9..=1.1).contains(&(candidate.graphs_per_step(histogram) / graphs))
}

/// Limits to pack, a round at a time, without those that cannot be chosen even [at best](Candidate::at_best).
///
/// What is found in one round decides which limits the next has. A caller may pack the limits of a round in parallel,
/// and show how many it is [done](Self::done) with.
///
/// ```
/// use graphpack_core::search::{self, Candidate, Trials};
/// use graphpack_core::Histogram;
///
/// let histogram = Histogram::from_counts([([20, 40], 5000), ([31, 64], 2000)])?;
/// let limits = search::around(&histogram, 16.0, 8);
/// let mut trials = Trials::for_fullest(&histogram, &limits, 16.0);
/// while let Some(round) = trials.next_round() {
///     let found = round.iter().map(|&limits| Candidate::evaluate(&histogram, limits));
///     trials.add(found.collect::<Result<_, _>>()?);
///     println!("{} of {} limits", trials.done(), limits.len());
/// }
/// let best = search::fullest(&trials.finish(), &histogram, 16.0);
/// # assert!(best.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Trials<'a> {
    histogram: &'a Histogram,
    goal: Goal,
    /// Positions of limits with the best that they could give, those that matter most first.
    waiting: IntoIter<(usize, Candidate)>,
    all: usize,
    /// Positions of the limits of the round that is being packed.
    round: Vec<usize>,
    found: Vec<(usize, Candidate)>,
    /// The highest score of the candidates found that may be chosen.
    highest: f64,
}

/// What limits are tried for.
#[derive(Clone, Copy, Debug)]
enum Goal {
    /// The efficiency that [`smallest`] needs, and whether a candidate has reached it.
    Pareto { efficiency: f64, is_reached: bool },
    /// The number of graphs per step that [`fullest`] needs.
    Fullest { graphs: f64 },
}

/// Limits of a round. Which limits are left out must not depend on the machine, so this is not the number of its cores.
const ROUND: usize = 8;

impl<'a> Trials<'a> {
    /// Tries those of `limits` among which [`pareto`] and [`smallest`] choose what they would choose of all.
    pub fn for_pareto(histogram: &'a Histogram, limits: &[Limits], efficiency: f64, cost: &Cost) -> Self {
        let mut ascending: Vec<_> = Candidate::at_best(histogram, limits).into_iter().enumerate().collect();
        // Stable: where candidates are equal, both choose the first.
        ascending.sort_by_key(|(_, best)| cost.of(&best.limits));
        Self::new(histogram, Goal::Pareto { efficiency, is_reached: false }, ascending)
    }

    /// Tries those of `limits` among which [`fullest`] chooses what it would choose of all.
    pub fn for_fullest(histogram: &'a Histogram, limits: &[Limits], graphs: f64) -> Self {
        let mut descending: Vec<_> = Candidate::at_best(histogram, limits).into_iter().enumerate().collect();
        descending.sort_by(|(_, a), (_, b)| b.score().total_cmp(&a.score()));
        Self::new(histogram, Goal::Fullest { graphs }, descending)
    }

    fn new(histogram: &'a Histogram, goal: Goal, waiting: Vec<(usize, Candidate)>) -> Self {
        let (all, waiting) = (waiting.len(), waiting.into_iter());
        Self { histogram, goal, waiting, all, round: Vec::new(), found: Vec::new(), highest: f64::NEG_INFINITY }
    }

    /// Returns the limits to pack next, at most eight; None if no others can be chosen.
    pub fn next_round(&mut self) -> Option<Vec<Limits>> {
        let (goal, histogram, highest) = (self.goal, self.histogram, self.highest);
        let matters = |best: &Candidate| match goal {
            Goal::Pareto { efficiency, is_reached } => {
                best.score() > highest || (!is_reached && is_full(best, efficiency))
            }
            // With more packs than at best there are fewer graphs per step.
            Goal::Fullest { graphs } => best.score() >= highest && best.graphs_per_step(histogram) / graphs >= 0.9,
        };
        let next = self.waiting.by_ref().filter(|(_, best)| matters(best)).take(ROUND);
        let (numbers, limits): (Vec<_>, Vec<_>) = next.map(|(number, best)| (number, best.limits)).unzip();
        self.round = numbers;
        (!limits.is_empty()).then_some(limits)
    }

    /// Takes the candidates of the limits of the last round, in their order.
    pub fn add(&mut self, found: Vec<Candidate>) {
        for found in &found {
            let counts = match &mut self.goal {
                Goal::Pareto { efficiency, is_reached } => {
                    *is_reached |= is_full(found, *efficiency);
                    true
                }
                Goal::Fullest { graphs } => is_near(found, self.histogram, *graphs),
            };
            if counts {
                self.highest = self.highest.max(found.score());
            }
        }
        self.found.extend(self.round.drain(..).zip(found));
    }

    /// Number of limits that were packed or left out so far.
    pub fn done(&self) -> usize {
        self.all - self.waiting.len() - self.round.len()
    }

    /// Returns the candidates found, in the order of their limits.
    pub fn finish(mut self) -> Vec<Candidate> {
        self.found.sort_by_key(|(number, _)| *number);
        self.found.into_iter().map(|(_, candidate)| candidate).collect()
    }

    /// Packs all rounds by [`Candidate::evaluate`], and returns the candidates as [`finish`](Self::finish) does.
    pub fn run(mut self) -> Result<Vec<Candidate>, PackError> {
        while let Some(round) = self.next_round() {
            let found: Result<_, _> =
                round.into_iter().map(|limits| Candidate::evaluate(self.histogram, limits)).collect();
            self.add(found?);
        }
        Ok(self.finish())
    }
}
