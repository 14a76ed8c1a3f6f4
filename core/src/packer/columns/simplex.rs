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

/// Columns that cost more than this beyond what their graphs are worth hardly ever enter; to tell them apart pays with
/// more than this many rows.
const NEAR: f64 = 0.1;
const FEW_ROWS: usize = 1 << 9;

/// Steps of budget after which a run ends.
const MOST_STEPS: u64 = 3 << 27;

/// The place of a column that is not in the basis.
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
    /// What one graph of each size is worth, in packs.
    pub(super) prices: Vec<f64>,
    /// Columns that a basis can always be made of.
    safe: Vec<u32>,
}

/// All columns; their entries share one array.
#[derive(Default)]
struct Pool {
    entries: Vec<(u32, i32)>,
    ends: Vec<usize>,
    costs: Vec<f64>,
}

/// Columns that may enter soon, side by side.
#[derive(Default)]
struct Active {
    columns: Vec<u32>,
    /// What each costs beyond what its graphs are worth; 0 in the basis.
    excess: Vec<f64>,
    /// Devex weights.
    weights: Vec<f64>,
    is_basic: Vec<bool>,
    entries: Vec<(u32, i32)>,
    ends: Vec<usize>,
    /// Where each column of the basis is among these.
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
        self.restart_with(self.safe.clone());
    }

    /// Goes on from another basis. False if it has no factors.
    fn restart_with(&mut self, basis: Vec<u32>) -> bool {
        self.basis = basis;
        self.refactor()
    }

    /// Begins with `columns`, one after the other, each used as often as the graphs that are left by then allow, and
    /// with packs of single sizes for the rest.
    ///
    /// A column that holds a size which is used up is passed over, so that the basis is triangular.
    pub(super) fn begin_with(&mut self, columns: impl Iterator<Item = usize>) {
        let mut left = self.counts.clone();
        let mut basis = self.safe.clone();
        for column in columns {
            let mut scarcest: Option<(usize, f64)> = None;
            for &(row, times) in self.pool.get(column) {
                let row = row as usize;
                let suffices = if basis[row] == self.safe[row] { left[row] / f64::from(times) } else { 0.0 };
                if scarcest.is_none_or(|(_, least)| suffices < least) {
                    scarcest = Some((row, suffices));
                }
            }
            if let Some((place, used)) = scarcest.filter(|&(_, used)| used > TINY) {
                for &(row, times) in self.pool.get(column) {
                    left[row as usize] -= used * f64::from(times);
                }
                basis[place] = column as u32;
            }
        }
        if !self.restart_with(basis) {
            self.restart();
        }
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

    /// The columns of the basis, and those that cost little beyond what their graphs are worth.
    fn active(&self, budget: &mut Budget) -> Active {
        budget.use_up(3 * (self.pool.entries.len() + self.pool.len()) as u64);
        let most = if self.basis.len() > FEW_ROWS { NEAR } else { f64::INFINITY };
        let mut places = alloc::vec![OUTSIDE; self.pool.len()];
        for (place, &column) in (0..).zip(&self.basis) {
            places[column as usize] = place;
        }
        let mut active = Active { places: alloc::vec![0; self.basis.len()], ..Active::default() };
        for (column, place) in places.into_iter().enumerate() {
            let is_basic = place != OUTSIDE;
            let excess = if is_basic { 0.0 } else { self.pool.costs[column] - self.pool.dot(column, &self.prices) };
            if is_basic {
                active.places[place as usize] = active.columns.len() as u32;
            }
            if excess < most {
                active.columns.push(column as u32);
                active.excess.push(excess);
                active.weights.push(1.0);
                active.is_basic.push(is_basic);
                active.entries.extend_from_slice(self.pool.get(column));
                active.ends.push(active.entries.len());
            }
        }
        active
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
    fn pivot_steps(&self, active: &Active) -> u64 {
        let (rows, columns) = (self.basis.len(), active.ends.len());
        (3 * (active.entries.len() + columns) + 10 * (rows + self.factors.entries())) as u64
    }

    /// Lets columns enter (Devex pricing). Says whether there are none left that gain; there may be after many pivots,
    /// because prices that are not the last ones also find packs. None if the budget is spent.
    pub(super) fn primal(&mut self, budget: &mut Budget) -> Option<bool> {
        let mut active = self.active(budget);
        let mut is_fresh = true;
        let given = budget.left();
        // One pivot for each row, about.
        for _ in 0..self.basis.len() + 100 {
            if given - budget.left() > MOST_STEPS {
                return Some(false);
            }
            let mut entering = None;
            let mut most = 0.0;
            for (at, (&excess, &weight)) in active.excess.iter().zip(&active.weights).enumerate() {
                if excess < -TINY && excess * excess > most * weight {
                    most = excess * excess / weight;
                    entering = Some(at);
                }
            }
            let Some(entering) = entering else {
                if is_fresh {
                    return Some(true);
                }
                self.refresh();
                active = self.active(budget);
                is_fresh = true;
                continue;
            };
            let column = active.columns[entering] as usize;
            budget.take_among(self.basis.len(), self.pivot_steps(&active))?;
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
                active.excess[entering] = 0.0;
                continue;
            };
            let (pivot, row) = (direction[place], self.row(place));
            let (step, weight) = (gain / pivot, active.weights[entering] / (pivot * pivot));
            for (price, at) in self.prices.iter_mut().zip(&row) {
                *price += step * at;
            }
            // Written out, because that is half of the time of all where columns are short.
            let mut start = 0;
            let columns = active.ends.iter().zip(&active.is_basic);
            for ((&end, &is_basic), (excess, most)) in columns.zip(active.excess.iter_mut().zip(&mut active.weights)) {
                let entries = &active.entries[start..end];
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
            let leaving = core::mem::replace(&mut active.places[place], entering as u32) as usize;
            let is_kept = self.exchange(place, column, &direction);
            (active.excess[entering], active.is_basic[entering]) = (0.0, true);
            (active.excess[leaving], active.is_basic[leaving]) = (-step, false);
            active.weights[leaving] = f64::max(weight, 1.0);
            is_fresh = false;
            if !is_kept {
                active = self.active(budget);
            }
        }
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW_ROWS, Simplex, Vec};
    use crate::packer::Budget;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;

    const ROWS: usize = FEW_ROWS + 8;

    /// A program whose packs hold two to four graphs of other sizes, and the packs' numbers.
    fn program() -> (Simplex, Vec<usize>) {
        let mut random = Pcg32::seed_from_u64(1);
        let mut below = |end: usize| random.next_u32() as usize % end;
        let counts = (0..ROWS).map(|row| 1.0 + (row % 7) as f64 + 1e-4 * row as f64 / ROWS as f64).collect();
        let mut program = Simplex::new(&alloc::vec![1; ROWS], counts).unwrap();
        let pack = |_| {
            let mut entries: Vec<_> = (0..2 + below(3)).map(|_| (below(ROWS) as u32, 1)).collect();
            crate::histogram::add_up(&mut entries);
            program.add(&entries, 1.0)
        };
        let packs = (0..2 * ROWS).map(pack).collect();
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
        let mut held = alloc::vec![0.0; ROWS];
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
    fn a_program_that_begins_with_packs_ends_with_as_few() {
        let (mut alone, _) = program();
        let packs = solved(&mut alone);
        let (mut begun, columns) = program();
        begun.begin_with(columns.iter().copied());
        assert_feasible(&begun);
        let used = begun.basis.iter().filter(|&&column| columns.contains(&(column as usize))).count();
        assert!(used > ROWS / 4, "{used} of {ROWS}");
        assert!((solved(&mut begun) - packs).abs() < 1e-6);
    }
}
