//! The configuration program of Gilmore and Gomory: the fewest packs, if packs could be used in fractions.
//!
//! It minimises the number of packs, over all packs that keep the limits, such that each size is packed as often as it
//! occurs. There are far too many packs to list, so they are generated: a linear program over few packs ([`Master`])
//! puts a price on each size, a knapsack over the limits ([`Knapsack`]) finds the pack that is worth most at these
//! prices, and as long as that is worth more than one pack it joins the linear program.
//!
//! At any prices, (worth of all graphs) / (worth of the dearest pack) is a lower bound on the number of packs. The
//! bound is computed from integer prices, so that rounding cannot make it wrong.

use super::column::Column;
use super::knapsack::Knapsack;
use super::master::Master;
use crate::{Effort, Histogram, Limits, Plan, Size};
use alloc::vec::Vec;

/// What a price of 1 is as an integer.
const UNIT: f64 = (1_u64 << 40) as f64;

/// Most sizes: the inverse of the basis has the square of this number of entries, 128 MB.
const MAX_SIZES: usize = 4096;

/// Rounds without progress after which the program ends.
const MAX_IDLE: u32 = 50;

/// What the program found.
pub(super) struct Solution {
    bound: u64,
    /// Packs, and how often each is used, in fractions; one per size.
    columns: Vec<(Column, f64)>,
}

impl Solution {
    /// No plan has fewer packs.
    pub(super) fn bound(&self) -> u64 {
        self.bound
    }

    /// Packs and how often each is used, rounded down; no size of `histogram`, which was solved, is used more often
    /// than it occurs.
    pub(super) fn whole<const K: usize>(&self, histogram: &Histogram<K>) -> Vec<(&Column, u64)> {
        let mut left: Vec<u64> = histogram.entries().iter().map(|&(_, count)| count).collect();
        let mut packs = Vec::new();
        for (column, used) in &self.columns {
            let fitting = column.iter().map(|(position, times)| left[position] / u64::from(times)).min().unwrap_or(0);
            // A cast from float to integer saturates. Fractions that are whole up to rounding are whole.
            let repeat = fitting.min((used + 1e-7) as u64);
            if repeat > 0 {
                for (position, times) in column.iter() {
                    left[position] -= repeat * u64::from(times);
                }
                packs.push((column, repeat));
            }
        }
        packs
    }
}

/// Solves the program as far as `effort` goes, beginning with the packs of `start`, whose sizes are all in the
/// histogram. None if `effort` is too small to begin, or if the histogram is empty or has too many sizes.
pub(super) fn solve<const K: usize>(
    histogram: &Histogram<K>,
    limits: &Limits<K>,
    start: &Plan<K>,
    effort: &mut Effort,
) -> Option<Solution> {
    let sizes = histogram.entries();
    if sizes.is_empty() || sizes.len() > MAX_SIZES {
        return None;
    }
    let round = Knapsack::cells(sizes, limits)?.saturating_mul(sizes.len() as u64);
    // A program takes 40 rounds or more; one that ends earlier proves little.
    if effort.left() / 40 < round || !effort.spend(round) {
        return None;
    }
    let mut knapsack = Knapsack::new(sizes, limits)?;
    let counts: Vec<f64> = sizes.iter().map(|&(_, count)| count as f64).collect();
    let singles = sizes.iter().map(|(size, _)| size.times_in(&limits.size).min(limits.graphs)).collect();
    let mut master = Master::new(singles, &counts);
    for pack in start.iter() {
        let position = |size: &Size<K>| sizes.binary_search_by_key(size, |(size, _)| *size).ok();
        let entries: Option<Vec<_>> =
            pack.contents.iter().map(|(size, times)| Some((position(size)?, *times))).collect();
        let column = entries.map(Column::new);
        if let Some(column) = column.filter(|column| master.worth(column) > 1.0 + 1e-9) {
            master.enter(column);
            if !effort.spend(master.take_steps()) {
                break;
            }
        }
    }
    let mut best = (0.0, master.prices().to_vec());
    // Prices drift and pivots can be degenerate, so the program also ends when nothing has improved for many rounds.
    let mut idle = 0;
    while idle < MAX_IDLE && effort.spend(round) {
        let before = (best.0, master.packs());
        let worth = knapsack.fill(master.prices());
        let bound = worth_of_all(master.prices(), &counts) / if worth > 1.0 { worth } else { 1.0 };
        if bound > best.0 {
            best = (bound, master.prices().to_vec());
        }
        if worth <= 1.0 + 1e-9 || libm::ceil(best.0 - 1e-6) >= master.packs() - 1e-6 {
            break;
        }
        let mut entered = false;
        for column in knapsack.best_with_each(master.prices()) {
            if master.worth(&column) > 1.0 + 1e-9 {
                entered |= master.enter(column);
                if !effort.spend(master.take_steps()) {
                    break;
                }
            }
        }
        if !entered {
            break;
        }
        let improved = best.0 > before.0 * (1.0 + 1e-9) || master.packs() < before.1 * (1.0 - 1e-9);
        idle = if improved { 0 } else { idle + 1 };
    }
    Some(Solution { bound: proven(&best.1, sizes, &mut knapsack), columns: master.into_columns() })
}

/// What all graphs are worth; negative prices count as 0.
fn worth_of_all(prices: &[f64], counts: &[f64]) -> f64 {
    prices.iter().zip(counts).fold(0.0, |sum, (&price, count)| if price > 0.0 { sum + price * count } else { sum })
}

/// The bound that prices prove, computed in integers.
fn proven<const K: usize>(prices: &[f64], sizes: &[(Size<K>, u64)], knapsack: &mut Knapsack) -> u64 {
    // Casts saturate; negative prices count as 0.
    let prices: Vec<u64> = prices.iter().map(|price| (price * UNIT) as u64).collect();
    let dearest = u128::from(knapsack.worth_of_dearest(&prices));
    let all: u128 = prices.iter().zip(sizes).map(|(&price, &(_, count))| u128::from(price) * u128::from(count)).sum();
    // A sum that saturated proves nothing.
    if dearest == 0 || dearest == u128::from(u64::MAX) {
        0
    } else {
        u64::try_from(all.div_ceil(dearest)).unwrap_or(u64::MAX)
    }
}
