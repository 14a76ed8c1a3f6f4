//! [`Sums`]: how far batches are from the data set, in a target and in rows per graph.

use super::Targets;
use crate::plan::Sizes;

/// Adds up, batch by batch in a fixed order, so that figures are the same everywhere.
#[derive(Clone)]
pub(super) struct Sums {
    pub(super) batches: u64,
    columns: Vec<Column>,
    rows: Vec<Moments>,
}

#[derive(Clone, Default)]
struct Column {
    /// Batches with a value.
    batches: u64,
    variance: f64,
    worst: f64,
}

/// Mean and sum of squared deviations of the numbers so far (Welford 1962).
#[derive(Clone, Default)]
struct Moments {
    mean: f64,
    squares: f64,
}

impl Sums {
    /// Returns sums over no batch yet, for a field of `columns` columns and graphs of `sets` sets.
    pub(super) fn new(columns: usize, sets: usize) -> Self {
        Self { batches: 0, columns: vec![Column::default(); columns], rows: vec![Moments::default(); sets] }
    }

    /// Adds a batch of these graphs, unless it is empty.
    pub(super) fn add(&mut self, graphs: &[u32], targets: &Targets, sizes: &Sizes) {
        if graphs.is_empty() {
            return;
        }
        self.batches += 1;
        for (column, sums) in self.columns.iter_mut().enumerate() {
            let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
            for value in graphs.iter().filter_map(|&graph| targets.of(graph).get(column)) {
                if !value.is_nan() {
                    (count, sum, squares) = (count + 1.0, sum + value, squares + value * value);
                }
            }
            if count > 0.0 {
                sums.batches += 1;
                sums.variance += sum * sum / count;
                sums.worst = sums.worst.max(squares / count);
            }
        }
        let rows = sizes.rows(graphs);
        for (&rows, moments) in rows.sets().iter().zip(&mut self.rows) {
            let per_graph = rows as f64 / graphs.len() as f64;
            let off = per_graph - moments.mean;
            moments.mean += off / self.batches as f64;
            moments.squares += off * (per_graph - moments.mean);
        }
    }

    /// The mean over batches of n times the squared mean of their n values of a column.
    pub(super) fn variance(&self, column: usize) -> f64 {
        let Column { batches, variance, .. } = self.columns[column];
        variance / batches.max(1) as f64
    }

    /// The largest mean square of a batch's values of a column.
    pub(super) fn worst(&self, column: usize) -> f64 {
        self.columns[column].worst
    }

    /// The standard deviation over batches of the rows of a set per graph.
    pub(super) fn spread(&self, set: usize) -> f64 {
        (self.rows[set].squares / self.batches.max(1) as f64).sqrt()
    }
}
