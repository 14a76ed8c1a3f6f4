//! [`Master`]: the linear program over the packs found so far, solved by the revised simplex method.

use super::column::Column;
use super::factors::Factors;
use alloc::vec::Vec;

/// Gains, and entries of a direction, up to this are noise.
const TINY: f64 = 1e-8;

/// Graphs that each size has more, and up to twice that, so that few columns leave the basis at the same time.
const MORE: f64 = 1e-3;

/// A basis of packs and exchanges, one per size.
pub(super) struct Master {
    /// Number of graphs of each size, and the same with a little more of each. The linear program is solved for the
    /// latter: with the former, packs of a plan leave most others unused, and columns enter without effect.
    exact: Vec<f64>,
    counts: Vec<f64>,
    columns: Vec<Column>,
    factors: Factors,
    /// How often each basis column is used.
    used: Vec<f64>,
    prices: Vec<f64>,
    /// Whether the factors of a basis could not be computed, so that no more columns can enter.
    is_stuck: bool,
    /// Matrix entries read since `take_steps` was last called, the measure of work.
    steps: u64,
}

impl Master {
    /// Starts with one pack per size s: `times[s]` graphs of that size, of which there are `exact[s]` in all. None if
    /// there are too many.
    pub(super) fn new(times: &[u32], exact: Vec<f64>) -> Option<Self> {
        let columns: Vec<_> =
            times.iter().enumerate().map(|(size, &times)| Column::pack(core::iter::once((size, times)))).collect();
        let factors = Factors::new(&columns)?;
        let more = |size: usize| MORE * (1.0 + (size * 40_503 % 65_536) as f64 / 65_536.0);
        let counts: Vec<f64> = exact.iter().enumerate().map(|(size, count)| count + more(size)).collect();
        let used = factors.columns(counts.clone());
        let prices = times.iter().map(|&times| 1.0 / f64::from(times)).collect();
        Some(Self { exact, counts, columns, factors, used, prices, is_stuck: false, steps: 0 })
    }

    /// The value of one graph of each size, in packs.
    pub(super) fn prices(&self) -> &[f64] {
        &self.prices
    }

    /// The number of packs, in fractions.
    pub(super) fn packs(&self) -> f64 {
        self.prices.iter().zip(&self.exact).fold(0.0, |sum, (price, count)| sum + price * count)
    }

    /// Steps done since the last call.
    pub(super) fn take_steps(&mut self) -> u64 {
        core::mem::take(&mut self.steps)
    }

    /// Brings a column into the basis. False, and nothing changes, if it gains nothing, or if rounding leaves no pivot.
    pub(super) fn enter(&mut self, column: &Column) -> bool {
        if self.is_stuck || column.gain(&self.prices) <= TINY {
            return false;
        }
        let mut rows = alloc::vec![0.0; self.used.len()];
        for (size, times) in column.iter() {
            rows[size] = times;
        }
        let direction = self.factors.columns(rows);
        let mut leaving: Option<(usize, f64)> = None;
        for (i, &slope) in direction.iter().enumerate().filter(|(_, slope)| **slope > TINY) {
            let ratio = self.used[i] / slope;
            // Of equal ratios the steepest slope, because small pivots lose digits.
            if leaving.is_none_or(|(best, least)| ratio < least || (ratio == least && slope > direction[best])) {
                leaving = Some((i, ratio));
            }
        }
        self.steps += self.factors.entries() as u64 * 2;
        let Some((pivot, ratio)) = leaving else { return false };
        for (used, slope) in self.used.iter_mut().zip(&direction) {
            *used = (*used - ratio * slope).max(0.0);
        }
        self.used[pivot] = ratio;
        self.columns[pivot] = column.clone();
        self.factors.exchange(pivot, &direction);
        if self.factors.are_old() {
            self.refactor();
        }
        self.prices = self.factors.rows(self.columns.iter().map(Column::cost).collect());
        true
    }

    /// Computes factors and usage again, because exchanges add entries and lose digits.
    fn refactor(&mut self) {
        let Some(factors) = Factors::new(&self.columns) else {
            self.is_stuck = true;
            return;
        };
        self.steps += factors.work();
        self.factors = factors;
        self.used = self.factors.columns(self.counts.clone());
        self.used.iter_mut().for_each(|used| *used = used.max(0.0));
    }

    /// The basis, and how often each column is used.
    pub(super) fn columns(&self) -> impl Iterator<Item = (&Column, f64)> {
        let used = self.factors.columns(self.exact.clone());
        self.columns.iter().zip(used).map(|(column, used)| (column, used.max(0.0)))
    }
}
