//! [`StepCost`]: the time of a step as a function of its shape, fitted to measured times.

use crate::layout::{MAX_SETS, Shape};
use std::collections::BTreeMap;
use std::time::Duration;

/// Steps that [`StepCost::measure`] times for each shape after the first.
const TIMED: usize = 3;

/// A step of a training that was timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedStep {
    /// The shape of the batch, padding included.
    pub shape: Shape,
    /// The time of the whole step, until the device is done.
    pub milliseconds: f64,
}

/// Milliseconds of a step: a part for each row of each set, a constant part, and a part for the first step of a shape.
///
/// ```
/// use graphpack_loader::Shape;
/// use graphpack_loader::step_cost::StepCost;
///
/// // 2 ms, 1 microsecond per node, 0.2 per edge.
/// let cost = StepCost::of_rows([1e-3, 2e-4], 2.0);
/// assert!((cost.milliseconds(&Shape::new([1000, 5000], 32)) - 4.0).abs() < 1e-9);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepCost {
    rows: [f64; MAX_SETS],
    step: f64,
    compile: f64,
    /// The median of the steps of each shape that was timed.
    timed: BTreeMap<Shape, f64>,
}

impl StepCost {
    /// A cost of `rows` milliseconds for each row of each set, and `step` for every step.
    pub fn of_rows<const K: usize>(rows: [f64; K], step: f64) -> Self {
        let row = |set: usize| rows.get(set).copied().unwrap_or(0.0);
        Self { rows: std::array::from_fn(row), step, ..Self::default() }
    }

    /// The same cost, with other milliseconds for the first step of each shape, as compilation takes them.
    #[must_use]
    pub fn compile(mut self, milliseconds: f64) -> Self {
        self.compile = milliseconds;
        self
    }

    /// Fits the cost to times of steps: relative to them, the sum of absolute errors is least. No part is negative.
    /// Sets whose rows are in proportion in all shapes cannot be told apart: halve one set of some. A shape that was
    /// timed costs the median of its times, any other what was fitted.
    pub fn fit(steps: &[TimedStep]) -> Self {
        let mut of_shapes = BTreeMap::<Shape, Vec<f64>>::new();
        let mut points: Vec<Point> = Vec::new();
        for step in steps {
            of_shapes.entry(step.shape).or_default().push(step.milliseconds);
            points.push((columns(&step.shape), step.milliseconds));
        }
        let used = 1 + of_shapes.keys().map(|shape| shape.sets().len()).max().unwrap_or(0);
        let timed = of_shapes.into_iter().map(|(shape, mut times)| (shape, median(&mut times))).collect();
        let found = fit(&points, used);
        Self { rows: std::array::from_fn(|set| found[1 + set]), step: found[0], compile: 0.0, timed }
    }

    /// Fits the cost to steps in the order in which a training made them. Of a shape with several steps, the first is
    /// the one that compiles: the median of what it takes longer than the others is the compilation of a shape. One of
    /// which there is a single step costs all that this step took.
    pub fn fit_with_compilation(steps: &[TimedStep]) -> Self {
        let mut of_shapes = BTreeMap::<Shape, Vec<f64>>::new();
        for step in steps {
            of_shapes.entry(step.shape).or_default().push(step.milliseconds);
        }
        let mut compiled = Vec::new();
        let mut later = Vec::new();
        for (shape, mut times) in of_shapes {
            let first = (times.len() > 1).then(|| times.remove(0));
            let milliseconds = median(&mut times);
            compiled.extend(first.map(|first| (first - milliseconds).max(0.0)));
            later.push(TimedStep { shape, milliseconds });
        }
        Self::fit(&later).compile(median(&mut compiled))
    }

    /// Fits the cost to a few steps of each of `shapes`. `step` makes a step on any batch of a shape and returns its
    /// time until the device is done.
    ///
    /// ```
    /// use graphpack_loader::step_cost::StepCost;
    /// use graphpack_loader::{Capacity, Grouping, Loader, Options, Oversize, Shape, molecules};
    /// use std::time::Instant;
    ///
    /// let data = molecules::generate(7, 1000);
    /// // The second has half the edges of the first.
    /// let shapes = [Shape::new([450, 960], 17), Shape::new([450, 480], 17), Shape::new([1800, 3840], 65)];
    /// let cost = StepCost::measure(&shapes, |shape| {
    ///     // A batch of any shape: dynamic batching fills it with as many graphs as fit.
    ///     let options = Options::default().grouping(Grouping::InOrder).capacity(Capacity::shape(*shape));
    ///     let loader = Loader::new(data.clone(), options.oversize(Oversize::Skip).workers(0))?;
    ///     let batch = loader.epoch(0).next().ok_or("no graph fits")??;
    ///     let begun = Instant::now();
    ///     let sum: i64 = batch.get::<i64>("x")?.iter().sum(); // here the model makes its step
    ///     assert!(sum >= 0);
    ///     Ok::<_, Box<dyn std::error::Error>>(begun.elapsed())
    /// })?;
    /// assert!(cost.step() >= 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn measure<E>(shapes: &[Shape], mut step: impl FnMut(&Shape) -> Result<Duration, E>) -> Result<Self, E> {
        let mut steps = Vec::with_capacity(shapes.len() * (1 + TIMED));
        for shape in shapes {
            for _ in 0..=TIMED {
                steps.push(TimedStep { shape: *shape, milliseconds: step(shape)?.as_secs_f64() * 1e3 });
            }
        }
        Ok(Self::fit_with_compilation(&steps))
    }

    /// Milliseconds of a step of `shape` that is not the first.
    pub fn milliseconds(&self, shape: &Shape) -> f64 {
        self.timed.get(shape).copied().unwrap_or_else(|| self.fitted(shape))
    }

    /// Milliseconds of a step of `shape` by the fit, whether it was timed or not.
    pub fn fitted(&self, shape: &Shape) -> f64 {
        self.step + shape.sets().iter().zip(self.rows).map(|(rows, each)| *rows as f64 * each).sum::<f64>()
    }

    /// Milliseconds for each row of each set.
    pub fn rows(&self) -> &[f64; MAX_SETS] {
        &self.rows
    }

    /// Milliseconds of every step, whatever its shape.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Milliseconds that the first step of a shape takes besides.
    pub fn compilation(&self) -> f64 {
        self.compile
    }
}

/// 1 for the constant, and the rows of each set.
fn columns(shape: &Shape) -> [f64; COLUMNS] {
    let mut columns = [0.0; COLUMNS];
    columns[0] = 1.0;
    for (column, rows) in columns[1..].iter_mut().zip(shape.sets()) {
        *column = *rows as f64;
    }
    columns
}

/// The middle of some numbers, or the mean of the two in the middle; 0 of none.
fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    match (numbers.len(), numbers.len() / 2) {
        (0, _) => 0.0,
        (count, middle) if count % 2 == 1 => numbers[middle],
        (_, middle) => f64::midpoint(numbers[middle - 1], numbers[middle]),
    }
}

/// A constant and a coefficient for each set.
const COLUMNS: usize = MAX_SETS + 1;

/// A row of numbers and the time that their weighted sum should give.
type Point = ([f64; COLUMNS], f64);

/// Rounds of reweighting; the coefficients settle in about ten.
const ROUNDS: usize = 30;
/// Relative errors below this weigh like this one: times are no more exact.
const EXACT: f64 = 0.01;

/// Returns the coefficients, none of them negative, with the least sum of absolute errors relative to the times: a few
/// outliers do not bend them, as they would bend least squares. Only the first `used` columns are fitted. Points whose
/// time is not a positive number are left out.
fn fit(points: &[Point], used: usize) -> [f64; COLUMNS] {
    let used = used.min(COLUMNS);
    let relative: Vec<[f64; COLUMNS]> = points
        .iter()
        .filter(|(row, time)| *time > 0.0 && time.is_finite() && row.iter().all(|number| number.is_finite()))
        .map(|(row, time)| row.map(|number| number / time))
        .collect();
    // Columns of one magnitude, so that none is lost to rounding.
    let scale: [f64; COLUMNS] =
        std::array::from_fn(|column| relative.iter().map(|row| row[column].abs()).fold(0.0, f64::max));
    let scaled: Vec<[f64; COLUMNS]> = relative
        .iter()
        .map(|row| std::array::from_fn(|column| if scale[column] > 0.0 { row[column] / scale[column] } else { 0.0 }))
        .collect();
    let mut weights = vec![1.0; scaled.len()];
    let mut found = [0.0; COLUMNS];
    for _ in 0..ROUNDS {
        found = least_squares(&scaled, &weights, used);
        for (weight, row) in weights.iter_mut().zip(&scaled) {
            *weight = 1.0 / (dot(row, &found) - 1.0).abs().max(EXACT);
        }
    }
    std::array::from_fn(|column| if scale[column] > 0.0 { found[column] / scale[column] } else { 0.0 })
}

/// Weighted least squares of 1 in `rows`: the best among the solutions of all subsets of columns that are not negative.
fn least_squares(rows: &[[f64; COLUMNS]], weights: &[f64], used: usize) -> [f64; COLUMNS] {
    let mut products = [[0.0; COLUMNS]; COLUMNS];
    let mut sums = [0.0; COLUMNS];
    for (row, weight) in rows.iter().zip(weights) {
        for i in 0..used {
            sums[i] += weight * row[i];
            for j in 0..used {
                products[i][j] += weight * row[i] * row[j];
            }
        }
    }
    // The squared error, less the part that all solutions share.
    let error = |found: &[f64; COLUMNS]| -> f64 {
        (0..used).map(|i| found[i] * (dot(&products[i], found) - 2.0 * sums[i])).sum()
    };
    let mut best = ([0.0; COLUMNS], 0.0);
    for subset in 1..1_usize << used {
        let columns: Vec<usize> = (0..used).filter(|column| subset >> column & 1 == 1).collect();
        let Some(found) = solve(&products, &sums, &columns) else { continue };
        let error = error(&found);
        if found.iter().all(|coefficient| *coefficient >= 0.0) && error < best.1 {
            best = (found, error);
        }
    }
    best.0
}

/// Solves the normal equations of some columns by elimination; `None` if they are dependent.
fn solve(products: &[[f64; COLUMNS]; COLUMNS], sums: &[f64; COLUMNS], columns: &[usize]) -> Option<[f64; COLUMNS]> {
    let count = columns.len();
    let mut matrix: Vec<Vec<f64>> =
        columns.iter().map(|&i| columns.iter().map(|&j| products[i][j]).chain([sums[i]]).collect()).collect();
    for pivot in 0..count {
        // Positive on the diagonal of a positive definite matrix, whatever the order.
        let diagonal = matrix[pivot][pivot];
        if diagonal <= 1e-12 * products[columns[pivot]][columns[pivot]].max(f64::MIN_POSITIVE) {
            return None;
        }
        let upper = matrix[pivot].clone();
        for row in matrix.iter_mut().skip(pivot + 1) {
            let factor = row[pivot] / diagonal;
            for (number, above) in row.iter_mut().zip(&upper) {
                *number -= factor * above;
            }
        }
    }
    let mut found = [0.0; COLUMNS];
    for i in (0..count).rev() {
        let known: f64 = (i + 1..count).map(|j| matrix[i][j] * found[columns[j]]).sum();
        found[columns[i]] = (matrix[i][count] - known) / matrix[i][i];
    }
    Some(found)
}

fn dot(row: &[f64; COLUMNS], coefficients: &[f64; COLUMNS]) -> f64 {
    row.iter().zip(coefficients).map(|(number, coefficient)| number * coefficient).sum()
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, Point, fit};

    fn point(nodes: f64, edges: f64, time: f64) -> Point {
        let mut row = [0.0; COLUMNS];
        row[..3].copy_from_slice(&[1.0, nodes, edges]);
        (row, time)
    }

    #[test]
    fn a_plane_is_found_and_one_wrong_time_in_nine_does_not_move_it() {
        let plane = |nodes: f64, edges: f64| 2.0 + 0.003 * nodes + 0.0005 * edges;
        let sizes = [100.0, 1000.0, 4000.0];
        let mut points: Vec<Point> = sizes
            .iter()
            .flat_map(|&nodes| sizes.map(|ratio| (nodes, 3.0 * ratio)))
            .map(|(nodes, edges)| point(nodes, edges, plane(nodes, edges)))
            .collect();
        points[4].1 *= 3.0;
        let found = fit(&points, 3);
        for (found, expected) in found.iter().zip([2.0, 0.003, 0.0005]) {
            assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
        }
    }

    #[test]
    fn no_coefficient_is_negative_and_times_that_are_none_are_left_out() {
        // Falls with edges.
        let mut points: Vec<Point> = (1..9).map(|i| point(100.0, f64::from(i) * 100.0, 10.0 - f64::from(i))).collect();
        points.extend([point(1.0, 1.0, f64::NAN), point(1.0, f64::INFINITY, 1.0), point(1.0, 1.0, 0.0)]);
        let found = fit(&points, 3);
        assert!(found.iter().all(|coefficient| *coefficient >= 0.0 && coefficient.is_finite()), "{found:?}");
        assert_eq!(fit(&[], 3), [0.0; COLUMNS]);
    }
}
