//! [`fit`]: coefficients that explain times, none of them negative.

use crate::layout::MAX_SETS;

/// A constant and a coefficient for each set.
pub(super) const COLUMNS: usize = MAX_SETS + 1;

/// A row of numbers and the time that their weighted sum should give.
pub(super) type Point = ([f64; COLUMNS], f64);

/// Rounds of reweighting; the coefficients settle in about ten.
const ROUNDS: usize = 30;
/// Relative errors below this weigh like this one: times are no more exact.
const EXACT: f64 = 0.01;

/// Returns the coefficients, none of them negative, with the least sum of absolute errors relative to the times: a few
/// outliers do not bend them, as they would bend least squares. Only the first `used` columns are fitted. Points whose
/// time is not a positive number are left out.
pub(super) fn fit(points: &[Point], used: usize) -> [f64; COLUMNS] {
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
