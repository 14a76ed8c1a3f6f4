//! [`Simplex`]: the linear program over the columns found so far, by the revised simplex method.
//!
//! It minimises the cost of columns that hold as many graphs of each size as there are. Columns that are found join the
//! pool and stay there. [`primal`](Simplex::primal) goes on from the last basis when columns have joined.

use super::factors::{Entries, Factors};
use crate::packer::Budget;
use alloc::vec::Vec;

/// Gains up to this, and amounts below zero down to this, are noise.
const TINY: f64 = 1e-7;

/// Entries of a direction up to this are noise.
const FLAT: f64 = 1e-9;

/// Steps of budget after which a run ends.
const MOST_STEPS: u64 = 1 << 28;

/// No place in the basis.
const OUTSIDE: u32 = u32::MAX;

/// Columns, and which of them are the basis: one per row.
pub(super) struct Simplex {
    /// The graphs of each size.
    counts: Vec<f64>,
    pool: Pool,
    basis: Vec<u32>,
    factors: Factors,
    /// How often each column of the basis is used.
    used: Vec<f64>,
    prices: Vec<f64>,
    /// What each column costs beyond what its graphs are worth; 0 in the basis.
    excess: Vec<f64>,
    /// Columns that a basis can always be made of.
    safe: Vec<u32>,
}

/// All columns; their entries share one array.
#[derive(Default)]
struct Pool {
    entries: Vec<(u32, i32)>,
    ends: Vec<usize>,
    costs: Vec<f64>,
    /// Where in the basis each is.
    places: Vec<u32>,
}

impl Pool {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, column: usize) -> &Entries {
        let start = if column == 0 { 0 } else { self.ends[column - 1] };
        &self.entries[start..self.ends[column]]
    }

    fn dot(&self, column: usize, dense: &[f64]) -> f64 {
        self.get(column).iter().fold(0.0, |sum, &(row, times)| sum + dense[row as usize] * f64::from(times))
    }

    fn push(&mut self, entries: &Entries, cost: f64) {
        self.entries.extend_from_slice(entries);
        self.ends.push(self.entries.len());
        self.costs.push(cost);
        self.places.push(OUTSIDE);
    }

    fn is_free(&self, column: usize) -> bool {
        self.places[column] == OUTSIDE
    }
}

impl Simplex {
    /// Begins with one pack per size that holds `times` graphs of it, and with columns that leave a place empty at no
    /// cost: first the empty places, then the packs. None if there are too many.
    pub(super) fn new(times: &[u32], counts: Vec<f64>) -> Option<Self> {
        let rows = u32::try_from(times.len()).ok()?;
        let mut pool = Pool::default();
        (0..rows).for_each(|row| pool.push(&[(row, -1)], 0.0));
        for (row, &times) in (0..rows).zip(times) {
            pool.push(&[(row, i32::try_from(times).unwrap_or(i32::MAX))], 1.0);
        }
        let safe: Vec<u32> = (rows..2 * rows).collect();
        let factors = Factors::new(&safe.iter().map(|&column| pool.get(column as usize)).collect::<Vec<_>>())?;
        let (used, prices) = (alloc::vec![0.0; times.len()], alloc::vec![0.0; times.len()]);
        let mut this = Self { counts, pool, basis: safe.clone(), factors, used, prices, excess: Vec::new(), safe };
        this.restart();
        Some(this)
    }

    /// Adds a column to the pool and returns its number.
    pub(super) fn add(&mut self, entries: &Entries, cost: f64) -> usize {
        self.pool.push(entries, cost);
        self.pool.len() - 1
    }

    /// What one graph of each size is worth, in packs.
    pub(super) fn prices(&self) -> &[f64] {
        &self.prices
    }

    /// The numbers of the columns of the basis, and how often each is used where these are the graphs.
    pub(super) fn solution(&self, counts: Vec<f64>) -> impl Iterator<Item = (usize, f64)> {
        self.basis.iter().map(|&column| column as usize).zip(self.factors.columns(counts))
    }

    pub(super) fn column(&self, column: usize) -> &Entries {
        self.pool.get(column)
    }

    /// The numbers of the columns that cost at most `excess` more than their graphs are worth.
    pub(super) fn good(&self, excess: f64) -> impl Iterator<Item = usize> {
        (0..self.pool.len())
            .filter(move |&column| self.pool.costs[column] - self.pool.dot(column, &self.prices) <= excess)
    }

    /// Computes the prices again.
    fn refresh(&mut self) {
        self.prices = self.factors.rows(self.basis.iter().map(|&column| self.pool.costs[column as usize]).collect());
    }

    /// Goes back to the basis of the packs of single sizes.
    fn restart(&mut self) {
        for &column in &self.basis {
            self.pool.places[column as usize] = OUTSIDE;
        }
        self.basis.clone_from(&self.safe);
        for (place, &column) in (0..).zip(&self.basis) {
            self.pool.places[column as usize] = place;
        }
        self.refactor();
    }

    /// Computes factors, usage and prices again, because exchanges add entries and lose digits. False if rounding
    /// leaves no pivot; then the factors stay as they are.
    fn refactor(&mut self) -> bool {
        let columns: Vec<_> = self.basis.iter().map(|&column| self.pool.get(column as usize)).collect();
        let Some(factors) = Factors::new(&columns) else { return false };
        self.factors = factors;
        self.used = self.factors.columns(self.counts.clone());
        self.refresh();
        true
    }

    /// Computes the excess of every column.
    fn price_all(&mut self, budget: &mut Budget) {
        budget.use_up(3 * (self.pool.entries.len() + self.pool.len()) as u64);
        let excess = |column: usize| {
            if self.pool.is_free(column) { self.pool.costs[column] - self.pool.dot(column, &self.prices) } else { 0.0 }
        };
        let excess: Vec<f64> = (0..self.pool.len()).map(excess).collect();
        self.excess = excess;
    }

    /// How a column is made of the basis.
    fn direction(&self, column: usize) -> Vec<f64> {
        let mut dense = alloc::vec![0.0; self.basis.len()];
        for &(row, times) in self.pool.get(column) {
            dense[row as usize] = f64::from(times);
        }
        self.factors.columns(dense)
    }

    /// A row of the inverse of the basis.
    fn row(&self, place: usize) -> Vec<f64> {
        let mut unit = alloc::vec![0.0; self.basis.len()];
        unit[place] = 1.0;
        self.factors.rows(unit)
    }

    /// Puts a column into the basis. False if the new basis has no factors, after which the run starts again.
    fn exchange(&mut self, place: usize, column: usize, direction: &[f64]) -> bool {
        self.pool.places[self.basis[place] as usize] = OUTSIDE;
        self.basis[place] = column as u32;
        self.pool.places[column] = place as u32;
        self.factors.exchange(place, direction);
        if !self.factors.are_old() {
            return true;
        }
        let done = self.refactor();
        if !done {
            self.restart();
        }
        done
    }

    /// Steps that a pivot takes.
    fn pivot_steps(&self) -> u64 {
        (3 * self.pool.entries.len() + 3 * self.pool.len() + 10 * self.basis.len() + 10 * self.factors.entries()) as u64
    }

    /// Lets columns enter (Devex pricing). Says whether there are none left that gain; there may be after many pivots,
    /// because prices that are not the last ones also find packs. None if the budget is spent.
    pub(super) fn primal(&mut self, budget: &mut Budget) -> Option<bool> {
        self.price_all(budget);
        let mut weights = alloc::vec![1.0; self.pool.len()];
        let mut is_fresh = true;
        let given = budget.left();
        // One pivot for each row, about.
        for _ in 0..self.basis.len() + 100 {
            if given - budget.left() > MOST_STEPS {
                return Some(false);
            }
            let mut entering = None;
            let mut most = 0.0;
            for (column, (&excess, &weight)) in self.excess.iter().zip(&weights).enumerate() {
                if excess < -TINY && excess * excess > most * weight {
                    most = excess * excess / weight;
                    entering = Some(column);
                }
            }
            let Some(entering) = entering else {
                if is_fresh {
                    return Some(true);
                }
                self.refresh();
                self.price_all(budget);
                is_fresh = true;
                continue;
            };
            budget.take(self.pivot_steps())?;
            let direction = self.direction(entering);
            let mut leaving: Option<(usize, f64)> = None;
            for (place, &slope) in direction.iter().enumerate() {
                if slope > FLAT {
                    let ratio = self.used[place].max(0.0) / slope;
                    // Of equal ratios the steepest slope, because small pivots lose digits.
                    let better = leaving.is_none_or(|(best, least)| {
                        ratio < least - 1e-12 || (ratio < least + 1e-12 && slope > direction[best])
                    });
                    if better {
                        leaving = Some((place, leaving.map_or(ratio, |(_, least)| ratio.min(least))));
                    }
                }
            }
            let gain = self.pool.costs[entering] - self.pool.dot(entering, &self.prices);
            let Some((place, _)) = leaving.filter(|&(place, _)| direction[place] > TINY && gain < -TINY / 2.0) else {
                // Noise: the next time that all are priced it is seen again.
                self.excess[entering] = 0.0;
                continue;
            };
            let (pivot, row) = (direction[place], self.row(place));
            let (step, weight) = (gain / pivot, weights[entering] / (pivot * pivot));
            for (price, at) in self.prices.iter_mut().zip(&row) {
                *price += step * at;
            }
            // Written out, because that is a quarter of the time of all where columns are short.
            let mut start = 0;
            let columns = self.pool.ends.iter().zip(&self.pool.places);
            for ((&end, &place), (excess, most)) in columns.zip(self.excess.iter_mut().zip(&mut weights)) {
                let entries = &self.pool.entries[start..end];
                start = end;
                if place == OUTSIDE {
                    let at = entries.iter().fold(0.0, |sum, &(at, times)| sum + row[at as usize] * f64::from(times));
                    *excess -= step * at;
                    let wanted = at * at * weight;
                    *most = if wanted > *most { wanted } else { *most };
                }
            }
            let ratio = self.used[place].max(0.0) / pivot;
            for (used, slope) in self.used.iter_mut().zip(&direction) {
                *used -= ratio * slope;
            }
            self.used[place] = ratio;
            let leaving = self.basis[place] as usize;
            let is_kept = self.exchange(place, entering, &direction);
            self.excess[entering] = 0.0;
            self.excess[leaving] = -step;
            weights[leaving] = f64::max(weight, 1.0);
            is_fresh = false;
            if !is_kept {
                self.price_all(budget);
            }
        }
        Some(false)
    }
}
