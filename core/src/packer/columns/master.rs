//! [`Master`]: the linear program over the packs found so far, solved by the revised simplex method.

use super::column::Column;
use alloc::vec::Vec;

/// Entries of a direction up to this are noise.
const TINY: f64 = 1e-9;

/// A basis of packs, one per size, and the inverse of its matrix.
pub(super) struct Master {
    columns: Vec<Column>,
    /// Row-major; row i belongs to basis column i.
    inverse: Vec<f64>,
    /// How often each basis column is used.
    used: Vec<f64>,
    prices: Vec<f64>,
    /// Matrix elements changed since `take_steps` was last called, the measure of work.
    steps: u64,
}

impl Master {
    /// Starts with one pack per size s: `times[s]` graphs of that size, of which there are `counts[s]` in all.
    pub(super) fn new(times: Vec<u32>, counts: &[f64]) -> Self {
        let rows = times.len();
        let mut inverse = alloc::vec![0.0; rows * rows];
        for (i, &times) in times.iter().enumerate() {
            inverse[i * rows + i] = 1.0 / f64::from(times);
        }
        let used = times.iter().zip(counts).map(|(&times, count)| count / f64::from(times)).collect();
        let prices = times.iter().map(|&times| 1.0 / f64::from(times)).collect();
        let columns = times.iter().enumerate().map(|(size, &times)| Column::new(alloc::vec![(size, times)])).collect();
        Self { columns, inverse, used, prices, steps: 0 }
    }

    /// What one graph of each size is worth, in packs.
    pub(super) fn prices(&self) -> &[f64] {
        &self.prices
    }

    /// The number of packs, in fractions.
    pub(super) fn packs(&self) -> f64 {
        self.used.iter().sum()
    }

    /// Steps done since the last call.
    pub(super) fn take_steps(&mut self) -> u64 {
        core::mem::take(&mut self.steps)
    }

    /// What a column is worth at the current prices.
    pub(super) fn worth(&self, column: &Column) -> f64 {
        column.worth(&self.prices)
    }

    /// Brings a column that is worth more than 1 into the basis. False, and nothing changes, if rounding leaves no
    /// pivot.
    pub(super) fn enter(&mut self, column: Column) -> bool {
        let rows = self.used.len();
        let gain = self.worth(&column) - 1.0;
        let direction: Vec<f64> = self.inverse.chunks_exact(rows).map(|row| column.worth(row)).collect();
        let mut leaving: Option<(usize, f64)> = None;
        for (i, &slope) in direction.iter().enumerate().filter(|(_, slope)| **slope > TINY) {
            let ratio = self.used[i] / slope;
            // Of equal ratios the steepest slope, because small pivots lose digits.
            if leaving.is_none_or(|(best, least)| ratio < least || (ratio == least && slope > direction[best])) {
                leaving = Some((i, ratio));
            }
        }
        let Some((pivot, ratio)) = leaving else { return false };
        for (used, slope) in self.used.iter_mut().zip(&direction) {
            *used = (*used - ratio * slope).max(0.0);
        }
        self.used[pivot] = ratio;
        let (before, rest) = self.inverse.split_at_mut(pivot * rows);
        let (row, after) = rest.split_at_mut(rows);
        for x in row.iter_mut() {
            *x /= direction[pivot];
        }
        self.steps += direction.iter().filter(|slope| **slope != 0.0).count() as u64 * rows as u64 + rows as u64;
        let others = before.chunks_exact_mut(rows).chain(after.chunks_exact_mut(rows));
        let slopes = direction.iter().enumerate().filter(|(i, _)| *i != pivot).map(|(_, slope)| *slope);
        for (other, slope) in others.zip(slopes).filter(|(_, slope)| *slope != 0.0) {
            for (x, pivot) in other.iter_mut().zip(&*row) {
                *x -= slope * pivot;
            }
        }
        for (price, x) in self.prices.iter_mut().zip(&*row) {
            *price -= gain * x;
        }
        self.columns[pivot] = column;
        true
    }

    /// The basis, and how often each column is used.
    pub(super) fn into_columns(self) -> Vec<(Column, f64)> {
        self.columns.into_iter().zip(self.used).collect()
    }
}
