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
use crate::{Effort, Histogram, Limits, Size};
use alloc::vec::Vec;

/// Most sizes.
const MAX_SIZES: usize = 1 << 14;

/// Rounds without progress after which the program ends.
const MAX_IDLE: u32 = 50;

/// Share of the best bound's prices in those at which packs are sought.
const SMOOTHING: f64 = 0.5;

/// The worth from which a pack improves the linear program.
const WORTH: f64 = 1.0 + 1e-9;

/// What the program found.
pub(super) struct Solution<const K: usize> {
    /// No plan has fewer packs.
    pub(super) bound: u64,
    /// Packs, and how often each is used, in fractions; one per size.
    pub(super) packs: Vec<(Vec<(Size<K>, u32)>, f64)>,
}

/// Solves the program as far as `effort` goes, beginning with the packs of `start`, whose sizes need not be in the
/// histogram. None if `effort` is too small to
/// begin, or if the histogram is empty or has too many sizes.
pub(super) fn solve<const K: usize>(
    histogram: &Histogram<K>,
    limits: &Limits<K>,
    start: impl Iterator<Item = impl AsRef<[(Size<K>, u32)]>>,
    effort: &mut Effort,
) -> Option<Solution<K>> {
    let sizes = histogram.entries();
    let mut pricing = Pricing::new(sizes, limits, effort).filter(|_| sizes.len() <= MAX_SIZES)?;
    let counts: Vec<f64> = sizes.iter().map(|&(_, count)| count as f64).collect();
    let singles: Vec<u32> = sizes
        .iter()
        .map(|&(size, count)| {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            size.times_in(&limits.size).min(limits.graphs).min(count)
        })
        .collect();
    let mut master = Master::new(&singles, counts)?;
    let start: Vec<_> = start.map(|contents| Column::of(contents.as_ref(), histogram)).collect();
    while enter(&mut master, &start, effort) {}
    // The best bound so far, as a fraction, and its prices.
    let mut best = (0.0, master.prices().to_vec());
    let (mut bound, mut idle, mut smoothing) = (0, 0, SMOOTHING);
    while idle < MAX_IDLE {
        let before = (best.0, master.packs());
        let between = |(&own, &best): (&f64, &f64)| own + smoothing * (best - own);
        let prices: Vec<f64> = master.prices().iter().zip(&best.1).map(between).collect();
        let whole: Vec<f64> = prices.iter().map(|price| whole(*price)).collect();
        let Some((most, columns)) = pricing.find(&whole, effort) else {
            if bound == 0 {
                return None;
            }
            break;
        };
        let all: u128 = whole.iter().zip(sizes).map(|(&price, &(_, count))| price as u128 * u128::from(count)).sum();
        // Beyond, sums may be rounded and prove nothing.
        if most > 0.0 && most < EXACT {
            bound = bound.max(u64::try_from(all.div_ceil(most as u128)).unwrap_or(u64::MAX));
            if all as f64 / most > best.0 {
                best = (all as f64 / most, prices);
            }
        }
        if bound as f64 >= master.packs() - 1e-6 {
            break;
        }
        if !enter(&mut master, &columns, effort) {
            // Nothing more is found at these prices.
            if smoothing > 0.0 {
                smoothing = 0.0;
            } else if !pricing.persist() {
                break;
            }
            continue;
        }
        smoothing = SMOOTHING;
        let improved = best.0 > before.0 * (1.0 + 1e-9) || master.packs() < before.1 * (1.0 - 1e-9);
        idle = if improved { 0 } else { idle + 1 };
    }
    let packs = master.into_columns().into_iter().map(|(column, used)| (column.contents(histogram), used)).collect();
    Some(Solution { bound, packs })
}

/// Brings all columns that improve it into the linear program. False if there are none, or if the effort is spent.
fn enter(master: &mut Master, columns: &[Column], effort: &mut Effort) -> bool {
    let mut entered = false;
    for column in columns {
        if master.worth(column) > WORTH && master.enter(column.clone()) {
            entered = true;
            if !effort.spend(master.take_steps()) {
                return false;
            }
        }
    }
    entered
}

/// A price as a whole number; negative ones count as 0.
fn whole(price: f64) -> f64 {
    if price > 0.0 { libm::floor(price.min(2.0) * UNIT) } else { 0.0 }
}
