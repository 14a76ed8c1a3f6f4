//! [`Factors`]: a basis of packs as a product of triangular matrices, which solves its equations fast.

use alloc::vec::Vec;

/// The graphs of each size that a column holds: rows, ascending, with numbers other than zero.
pub(super) type Entries = [(u32, i32)];

/// Most entries of all matrices: 2^20 take 16 MB, and twice that while they are computed again.
const MOST_ENTRIES: usize = 1 << 20;

/// Share of a column's largest entry that a pivot must have, since small pivots lose digits.
const STEEP: f64 = 0.1;

/// Exchanges of columns after which the factors are computed again: each makes solutions slower and less exact.
const MOST_UPDATES: usize = 64;

/// No row, or no column.
const NONE: usize = usize::MAX;

/// The matrix has one row per size and one column per pack of the basis; a column holds the graphs of each size.
///
/// Most packs hold few sizes, so that most entries are zero, and stay zero in the factors if columns are eliminated in
/// a good order: first those that have one row of their own, and rows that have one column of their own.
#[derive(Default)]
pub(super) struct Factors {
    /// Row, column and pivot of each step of the elimination.
    steps: Vec<(usize, usize, f64)>,
    /// For each step the entries below the pivot, by row, as multiples of it.
    lower: Vectors,
    /// For each step the entries above the pivot, by row.
    upper: Vectors,
    /// Columns exchanged since then, and the direction of each without its own entry, which is the last number.
    updates: Vec<(usize, f64)>,
    directions: Vectors,
}

/// Sparse vectors.
#[derive(Default)]
struct Vectors {
    entries: Vec<(u32, f64)>,
    ends: Vec<usize>,
}

impl Vectors {
    fn push(&mut self, entries: impl Iterator<Item = (usize, f64)>) {
        self.entries.extend(entries.map(|(at, value)| (at as u32, value)));
        self.ends.push(self.entries.len());
    }

    fn iter(&self, vector: usize) -> impl Iterator<Item = (usize, f64)> {
        self.entries[self.ends[vector] - self.len(vector)..self.ends[vector]]
            .iter()
            .map(|&(at, value)| (at as usize, value))
    }

    fn len(&self, vector: usize) -> usize {
        self.ends[vector] - if vector == 0 { 0 } else { self.ends[vector - 1] }
    }

    /// The sum of products with a dense vector.
    fn dot(&self, vector: usize, dense: &[f64]) -> f64 {
        self.iter(vector).fold(0.0, |sum, (at, value)| sum + value * dense[at])
    }

    /// Subtracts a multiple of a vector from a dense one.
    fn subtract(&self, vector: usize, times: f64, dense: &mut [f64]) {
        if times != 0.0 {
            for (at, value) in self.iter(vector) {
                dense[at] -= times * value;
            }
        }
    }
}

impl Factors {
    /// None if there are too many entries, or if rounding leaves no pivot.
    pub(super) fn new(columns: &[&Entries]) -> Option<Self> {
        let rows = columns.len();
        let Order { steps: mut order, rest, in_row } = Order::new(columns);
        let mut this = Self { steps: Vec::with_capacity(rows), ..Self::default() };
        let mut is_done = alloc::vec![false; rows];
        let mut dense = alloc::vec![0.0; rows];
        // Entries stay where they are as long as columns and rows have one of their own.
        let first = order.len();
        order.extend(rest.into_iter().map(|column| (NONE, column)));
        for (step, (row, column)) in order.into_iter().enumerate() {
            let mut found: Vec<usize> = Vec::new();
            for &(at, times) in columns[column] {
                dense[at as usize] = f64::from(times);
                found.push(at as usize);
            }
            for before in first..step {
                let times = dense[this.steps[before].0];
                if times != 0.0 {
                    for (at, value) in this.lower.iter(before) {
                        if dense[at] == 0.0 {
                            found.push(at);
                        }
                        dense[at] -= times * value;
                    }
                }
            }
            // An entry that became zero and then another number is listed twice.
            found.sort_unstable();
            found.dedup();
            let below = || found.iter().copied().filter(|&at| !is_done[at]);
            let row = if row == NONE {
                let steepest =
                    below().fold(0.0, |most, at| if dense[at].abs() > most { dense[at].abs() } else { most });
                let steep = below().filter(|&at| dense[at].abs() >= steepest * STEEP && steepest > 1e-9);
                steep.min_by_key(|&at| in_row[at])?
            } else {
                row
            };
            let pivot = dense[row];
            this.lower.push(below().filter(|&at| at != row && dense[at] != 0.0).map(|at| (at, dense[at] / pivot)));
            this.upper.push(found.iter().filter(|&&at| is_done[at] && dense[at] != 0.0).map(|&at| (at, dense[at])));
            this.steps.push((row, column, pivot));
            is_done[row] = true;
            for at in found {
                dense[at] = 0.0;
            }
            if this.entries() > MOST_ENTRIES {
                return None;
            }
        }
        Some(this)
    }

    /// Number of entries of all matrices, the measure of work of one solution.
    pub(super) fn entries(&self) -> usize {
        self.steps.len() + self.lower.entries.len() + self.upper.entries.len() + self.directions.entries.len()
    }

    /// Whether it is time to compute the factors again.
    pub(super) fn are_old(&self) -> bool {
        let dense = 20_000 + 40 * self.steps.len();
        self.updates.len() >= MOST_UPDATES || self.directions.entries.len() > dense || self.entries() > MOST_ENTRIES
    }

    /// Returns how often each column is used so that the sum of all columns is `rows`, which is overwritten.
    pub(super) fn columns(&self, mut rows: Vec<f64>) -> Vec<f64> {
        for (step, &(row, ..)) in self.steps.iter().enumerate() {
            let times = rows[row];
            self.lower.subtract(step, times, &mut rows);
        }
        let mut columns = alloc::vec![0.0; rows.len()];
        for (step, &(row, column, pivot)) in self.steps.iter().enumerate().rev() {
            let times = rows[row] / pivot;
            self.upper.subtract(step, times, &mut rows);
            columns[column] = times;
        }
        for (update, &(column, pivot)) in self.updates.iter().enumerate() {
            let times = columns[column] / pivot;
            self.directions.subtract(update, times, &mut columns);
            columns[column] = times;
        }
        columns
    }

    /// Returns the price of a graph of each row with which each column costs what `columns` says.
    pub(super) fn rows(&self, mut columns: Vec<f64>) -> Vec<f64> {
        for (update, &(column, pivot)) in self.updates.iter().enumerate().rev() {
            columns[column] = (columns[column] - self.directions.dot(update, &columns)) / pivot;
        }
        let mut rows = alloc::vec![0.0; columns.len()];
        for (step, &(row, column, pivot)) in self.steps.iter().enumerate() {
            rows[row] = (columns[column] - self.upper.dot(step, &rows)) / pivot;
        }
        for (step, &(row, ..)) in self.steps.iter().enumerate().rev() {
            rows[row] -= self.lower.dot(step, &rows);
        }
        rows
    }

    /// Exchanges a column for one whose [`columns`](Self::columns) are `direction`.
    pub(super) fn exchange(&mut self, column: usize, direction: &[f64]) {
        let others = direction.iter().copied().enumerate().filter(|&(at, value)| at != column && value != 0.0);
        self.directions.push(others);
        self.updates.push((column, direction[column]));
    }
}

/// The order in which columns are eliminated.
struct Order {
    /// Rows and columns whose entries no other step changes.
    steps: Vec<(usize, usize)>,
    /// The other columns, those with the fewest entries first.
    rest: Vec<usize>,
    /// Number of these that have an entry in each row.
    in_row: Vec<usize>,
}

impl Order {
    fn new(columns: &[&Entries]) -> Self {
        let rows = columns.len();
        let mut of_row: Vec<Vec<usize>> = alloc::vec![Vec::new(); rows];
        for (column, pack) in columns.iter().enumerate() {
            pack.iter().for_each(|&(row, _)| of_row[row as usize].push(column));
        }
        let mut in_column: Vec<usize> = columns.iter().map(|column| column.len()).collect();
        let (mut row_is_done, mut column_is_done) = (alloc::vec![false; rows], alloc::vec![false; rows]);
        let mut steps = Vec::with_capacity(rows);
        // Columns with one row left.
        let mut waiting: Vec<usize> = (0..rows).rev().filter(|&column| in_column[column] == 1).collect();
        while let Some(column) = waiting.pop() {
            let left = columns[column].iter().map(|&(row, _)| row as usize).find(|&row| !row_is_done[row]);
            let Some(row) = left else { continue };
            row_is_done[row] = true;
            column_is_done[column] = true;
            steps.push((row, column));
            for &other in &of_row[row] {
                in_column[other] -= 1;
                if in_column[other] == 1 && !column_is_done[other] {
                    waiting.push(other);
                }
            }
        }
        // Rows with one column left.
        let left = |row: usize, done: &[bool]| of_row[row].iter().filter(|&&column| !done[column]).count();
        let mut in_row: Vec<usize> = (0..rows).map(|row| left(row, &column_is_done)).collect();
        let mut waiting: Vec<usize> = (0..rows).rev().filter(|&row| in_row[row] == 1 && !row_is_done[row]).collect();
        while let Some(row) = waiting.pop() {
            let Some(&column) = of_row[row].iter().find(|&&column| !column_is_done[column]) else { continue };
            row_is_done[row] = true;
            column_is_done[column] = true;
            steps.push((row, column));
            for &(other, _) in columns[column] {
                let other = other as usize;
                in_row[other] -= 1;
                if in_row[other] == 1 && !row_is_done[other] {
                    waiting.push(other);
                }
            }
        }
        let mut rest: Vec<usize> = (0..rows).filter(|&column| !column_is_done[column]).collect();
        rest.sort_by_key(|&column| in_column[column]);
        Self { steps, rest, in_row }
    }
}

#[cfg(test)]
mod tests {
    use super::{Factors, Vec};
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;

    /// A pack that holds graphs of `size` and of a few others.
    fn pack(random: &mut Pcg32, rows: u32, size: u32) -> Vec<(u32, i32)> {
        let mut below = |end: u32| random.next_u32() % end;
        let mut entries: Vec<_> = (0..below(4)).map(|_| (below(rows), 1 + below(3) as i32)).collect();
        entries.push((size, 4));
        crate::histogram::add_up(&mut entries);
        entries
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}, expected {expected:?}");
    }

    /// Both solutions solve the equations of the columns.
    fn check(factors: &Factors, columns: &[Vec<(u32, i32)>]) {
        let wanted: Vec<f64> = (1..=columns.len()).map(|row| row as f64).collect();
        let mut sums = alloc::vec![0.0; columns.len()];
        for (column, used) in columns.iter().zip(factors.columns(wanted.clone())) {
            column.iter().for_each(|&(row, times)| sums[row as usize] += f64::from(times) * used);
        }
        assert_close(&sums, &wanted);
        let prices = factors.rows(wanted.clone());
        let cost = |column: &Vec<(u32, i32)>| {
            column.iter().map(|&(row, times)| prices[row as usize] * f64::from(times)).sum::<f64>()
        };
        assert_close(&columns.iter().map(cost).collect::<Vec<_>>(), &wanted);
    }

    fn factors(columns: &[Vec<(u32, i32)>]) -> Option<Factors> {
        Factors::new(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    #[test]
    fn solutions_solve_the_equations_also_after_exchanges() {
        let mut random = Pcg32::seed_from_u64(1);
        let mut checked = 0;
        for rows in 1..40_u32 {
            let mut columns: Vec<_> = (0..rows).map(|size| pack(&mut random, rows, size)).collect();
            // Columns may depend on each other; then there is no pivot.
            let Some(mut factors) = factors(&columns) else { continue };
            check(&factors, &columns);
            for at in 0..rows as usize {
                let entering = pack(&mut random, rows, at as u32);
                let mut dense = alloc::vec![0.0; rows as usize];
                entering.iter().for_each(|&(row, times)| dense[row as usize] = f64::from(times));
                let direction = factors.columns(dense);
                if direction[at].abs() > 0.1 {
                    factors.exchange(at, &direction);
                    columns[at] = entering;
                    check(&factors, &columns);
                    checked += 1;
                }
            }
        }
        assert!(checked > 300, "{checked}");
    }

    #[test]
    fn columns_without_a_pivot_are_refused() {
        let same = || alloc::vec![(0, 1), (1, 2)];
        assert!(factors(&[same(), same()]).is_none());
    }
}
