//! [`Simplex`]: the linear program over the columns found so far, by the revised simplex method.
//!
//! It finds how often to use each column, at the least cost, so that all graphs of each size are held. Columns that are
//! found join the pool and stay there. [`primal`](Simplex::primal) goes on from the last basis when columns have
//! joined.

use super::factors::{Entries, Factors};
use crate::packer::Budget;
use alloc::vec::Vec;

/// Gains up to this, in packs, and uses below zero down to minus this, are noise of rounding.
const TINY: f64 = 1e-7;

/// Entries of a direction up to this are noise of rounding, and no pivots.
const FLAT: f64 = 1e-9;

/// Steps of budget after which a run ends, about 0.14 s, so that pricing has its turn.
const SIMPLEX_STEPS: u64 = 3 << 27;

/// Columns, and which of them are the basis: one per row.
pub(super) struct Simplex {
    /// The graphs of each size.
    counts: Vec<f64>,
    pool: Pool,
    basis: Vec<u32>,
    factors: Factors,
    /// How often each column of the basis is used, in the order of `basis`.
    used: Vec<f64>,
    /// What one graph of each size is worth, in packs.
    pub(super) prices: Vec<f64>,
    /// The packs of single sizes, a basis that always has factors.
    safe: Vec<u32>,
}

/// All columns; their entries share one array.
#[derive(Default)]
struct Pool {
    entries: Vec<(u32, i32)>,
    ends: Vec<usize>,
    costs: Vec<f64>,
}

/// What is known of all columns while they enter.
struct Priced {
    /// What each costs beyond what its graphs are worth; 0 in the basis.
    excess: Vec<f64>,
    /// Devex weights.
    weights: Vec<f64>,
    is_basic: Vec<bool>,
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
        let mut this = Self { counts, pool, basis: safe.clone(), factors, used, prices, safe };
        this.restart();
        Some(this)
    }

    /// Adds a column to the pool and returns its number.
    pub(super) fn add(&mut self, entries: &Entries, cost: f64) -> usize {
        self.pool.push(entries, cost);
        self.pool.len() - 1
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
        self.basis.clone_from(&self.safe);
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

    /// Prices all columns.
    fn priced(&self, budget: &mut Budget) -> Priced {
        budget.use_up(3 * (self.pool.entries.len() + self.pool.len()) as u64);
        let mut is_basic = alloc::vec![false; self.pool.len()];
        self.basis.iter().for_each(|&column| is_basic[column as usize] = true);
        let excess = |(column, &is_basic): (usize, &bool)| {
            if is_basic { 0.0 } else { self.pool.costs[column] - self.pool.dot(column, &self.prices) }
        };
        let excess = is_basic.iter().enumerate().map(excess).collect();
        Priced { excess, weights: alloc::vec![1.0; self.pool.len()], is_basic }
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
        self.basis[place] = column as u32;
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
        let (rows, columns) = (self.basis.len(), self.pool.len());
        (3 * (self.pool.entries.len() + columns) + 10 * (rows + self.factors.entries())) as u64
    }

    /// Lets columns enter the basis (Devex pricing). Says whether no column is left that gains; some may be after many
    /// pivots, and that is enough, because prices before the last ones also find packs. None if the budget is spent.
    pub(super) fn primal(&mut self, budget: &mut Budget) -> Option<bool> {
        let mut priced = self.priced(budget);
        let mut is_fresh = true;
        let given = budget.left();
        // About one pivot for each row.
        for _ in 0..self.basis.len() + 100 {
            if given - budget.left() > SIMPLEX_STEPS {
                return Some(false);
            }
            let mut entering = None;
            let mut most = 0.0;
            for (at, (&excess, &weight)) in priced.excess.iter().zip(&priced.weights).enumerate() {
                if excess < -TINY && excess * excess > most * weight {
                    most = excess * excess / weight;
                    entering = Some(at);
                }
            }
            let Some(column) = entering else {
                if is_fresh {
                    return Some(true);
                }
                self.refresh();
                priced = self.priced(budget);
                is_fresh = true;
                continue;
            };
            budget.take(self.pivot_steps())?;
            let direction = self.direction(column);
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
            let gain = self.pool.costs[column] - self.pool.dot(column, &self.prices);
            let Some((place, _)) = leaving.filter(|&(place, _)| direction[place] > TINY && gain < -TINY / 2.0) else {
                // Noise: the next time that all are priced it is seen again.
                priced.excess[column] = 0.0;
                continue;
            };
            let (pivot, row) = (direction[place], self.row(place));
            let (step, weight) = (gain / pivot, priced.weights[column] / (pivot * pivot));
            for (price, at) in self.prices.iter_mut().zip(&row) {
                *price += step * at;
            }
            // Prices have moved, and with them the excess of all columns and their Devex weights. Written out, because
            // that is half of the time of all where columns are short.
            let mut start = 0;
            let columns = self.pool.ends.iter().zip(&priced.is_basic);
            for ((&end, &is_basic), (excess, most)) in columns.zip(priced.excess.iter_mut().zip(&mut priced.weights)) {
                let entries = &self.pool.entries[start..end];
                start = end;
                if !is_basic {
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
            let is_kept = self.exchange(place, column, &direction);
            (priced.excess[column], priced.is_basic[column]) = (0.0, true);
            (priced.excess[leaving], priced.is_basic[leaving]) = (-step, false);
            priced.weights[leaving] = f64::max(weight, 1.0);
            is_fresh = false;
            if !is_kept {
                priced = self.priced(budget);
            }
        }
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::{Simplex, Vec};
    use crate::packer::Budget;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;

    const TEST_ROWS: usize = 520;

    /// A program whose packs hold two to four graphs of other sizes, and the packs' numbers.
    fn program() -> (Simplex, Vec<usize>) {
        let mut random = Pcg32::seed_from_u64(1);
        let mut below = |end: usize| random.next_u32() as usize % end;
        let counts = (0..TEST_ROWS).map(|row| 1.0 + (row % 7) as f64 + 1e-4 * row as f64 / TEST_ROWS as f64).collect();
        let mut program = Simplex::new(&alloc::vec![1; TEST_ROWS], counts).unwrap();
        let pack = |_| {
            let mut entries: Vec<_> = (0..2 + below(3)).map(|_| (below(TEST_ROWS) as u32, 1)).collect();
            crate::histogram::add_up(&mut entries);
            program.add(&entries, 1.0)
        };
        let packs = (0..2 * TEST_ROWS).map(pack).collect();
        (program, packs)
    }

    /// The program's packs in fractions, after a check that they are as few as its columns allow.
    fn solved(program: &mut Simplex) -> f64 {
        let mut budget = Budget::seconds(1e3);
        while !program.primal(&mut budget).unwrap() {}
        let excess = |column: usize| program.pool.costs[column] - program.pool.dot(column, &program.prices);
        assert!((0..program.pool.len()).all(|column| excess(column) > -1e-6));
        assert_feasible(program);
        program.prices.iter().zip(&program.counts).map(|(price, count)| price * count).sum()
    }

    /// The columns of the basis hold as many graphs of each size as there are.
    fn assert_feasible(program: &Simplex) {
        let mut held = alloc::vec![0.0; TEST_ROWS];
        for (column, used) in program.solution(program.counts.clone()) {
            assert!(used > -1e-6, "{column} is used {used} times");
            for &(row, times) in program.column(column) {
                held[row as usize] += used * f64::from(times);
            }
        }
        let is_count = |(held, count): (&f64, &f64)| (held - count).abs() < 1e-6;
        assert!(held.iter().zip(&program.counts).all(is_count));
    }

    #[test]
    fn a_solved_program_is_feasible_and_no_column_gains() {
        let (mut program, packs) = program();
        assert!(solved(&mut program) < packs.len() as f64);
    }
}
