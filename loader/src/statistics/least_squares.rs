//! [`LeastSquares`]: what a node of each element adds to the energy of its graph.

use std::collections::BTreeMap;

/// The most elements that are told apart: all that there are, and some numbers beyond.
const MOST: usize = 256;

/// Eigenvalues of less than this share of what they would be without correlation are those of elements that the data
/// do not tell apart. Rounding makes them 1e-14 or less.
const SINGULAR: f64 = 1e-10;

/// Sums over graphs, from which energies follow: numbers of nodes of two elements multiplied, which are exact below
/// 2^53, and numbers of nodes times energies.
#[derive(Default)]
pub(super) struct LeastSquares {
    products: BTreeMap<(i64, i64), f64>,
    energies: BTreeMap<i64, Sum>,
    has_too_many: bool,
}

/// Energies of elements, and the elements whose energies do not follow from the data alone.
pub(super) type Solution = (BTreeMap<i64, f64>, Vec<i64>);

impl LeastSquares {
    /// Adds a graph with these numbers of nodes of each element.
    pub(super) fn add(&mut self, nodes: &BTreeMap<i64, f64>, energy: f64) {
        self.has_too_many |= nodes.len() > MOST || self.energies.len() > MOST;
        if self.has_too_many {
            return;
        }
        for (&element, number) in nodes {
            self.energies.entry(element).or_default().add_product(*number, energy);
            for (&other, others) in nodes.range(element..) {
                *self.products.entry((element, other)).or_default() += number * others;
            }
        }
    }

    /// The energies whose sums are nearest to those of the graphs, of which the smallest in the sum of squares, where
    /// several are. `None` without a graph, or with more than 256 elements.
    pub(super) fn solve(&self) -> Option<Solution> {
        if self.energies.is_empty() || self.has_too_many || self.energies.len() > MOST {
            return None;
        }
        let elements: Vec<i64> = self.energies.keys().copied().collect();
        let product = |a: i64, b: i64| self.products.get(&(a.min(b), a.max(b))).copied().unwrap_or_default();
        let matrix: Vec<Vec<f64>> =
            elements.iter().map(|&row| elements.iter().map(|&column| product(row, column)).collect()).collect();
        let (values, vectors) = eigen(matrix.clone());
        // What an eigenvalue would be if no two elements were ever in one graph.
        let alone = |vector: &[f64]| vector.iter().enumerate().map(|(at, x)| x * x * matrix[at][at]).sum::<f64>();
        let (told, untold): (Vec<_>, Vec<_>) =
            values.iter().zip(&vectors).partition(|(value, vector)| **value > SINGULAR * alone(vector));
        let mut energies = vec![0.0; elements.len()];
        // What is left is computed with twice the digits, so that each time adds digits.
        for _ in 0..3 {
            let rest = self.energies.values().zip(&matrix).map(|(sum, row)| {
                let mut rest = *sum;
                row.iter().zip(&energies).for_each(|(number, energy)| rest.add_product(-number, *energy));
                rest.total()
            });
            let rest: Vec<f64> = rest.collect();
            for (value, vector) in &told {
                let along = dot(vector, &rest) / *value;
                energies.iter_mut().zip(vector.iter()).for_each(|(energy, x)| *energy += along * x);
            }
        }
        let is_untold =
            |at: usize| untold.iter().any(|(_, vector)| vector[at].powi(2) * matrix[at][at] > SINGULAR * alone(vector));
        let untold = (0..elements.len()).filter(|&at| is_untold(at)).map(|at| elements[at]).collect();
        Some((elements.iter().copied().zip(energies).collect(), untold))
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// Eigenvalues and eigenvectors of a symmetric matrix without negative eigenvalues, by rotations (Jacobi), which are
/// exact for small eigenvalues beside large ones, too (Demmel and Veselic 1992): a rare element beside hydrogen.
fn eigen(mut matrix: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let size = matrix.len();
    let mut vectors: Vec<Vec<f64>> =
        (0..size).map(|row| (0..size).map(|column| f64::from(u8::from(row == column))).collect()).collect();
    // Ten are enough; more would turn the rounding of zeros.
    for _ in 0..30 {
        let mut is_diagonal = true;
        for (p, q) in (0..size).flat_map(|p| (p + 1..size).map(move |q| (p, q))) {
            let off = matrix[p][q];
            if off.abs() <= f64::EPSILON * (matrix[p][p] * matrix[q][q]).abs().sqrt() {
                continue;
            }
            is_diagonal = false;
            let turn = (matrix[q][q] - matrix[p][p]) / (2.0 * off);
            let tangent = turn.signum() / (turn.abs() + turn.hypot(1.0));
            let cosine = 1.0 / tangent.hypot(1.0);
            let rotate = |a: f64, b: f64| (cosine * (a - tangent * b), cosine * (tangent * a + b));
            for row in &mut matrix {
                (row[p], row[q]) = rotate(row[p], row[q]);
            }
            for column in 0..size {
                (matrix[p][column], matrix[q][column]) = rotate(matrix[p][column], matrix[q][column]);
                (vectors[p][column], vectors[q][column]) = rotate(vectors[p][column], vectors[q][column]);
            }
            (matrix[p][q], matrix[q][p]) = (0.0, 0.0);
        }
        if is_diagonal {
            break;
        }
    }
    ((0..size).map(|at| matrix[at][at]).collect(), vectors)
}

/// A sum with what was rounded off it (Neumaier 1974).
#[derive(Clone, Copy, Default)]
struct Sum {
    sum: f64,
    rest: f64,
}

impl Sum {
    fn add_product(&mut self, one: f64, other: f64) {
        let product = one * other;
        self.add(product);
        self.rest += one.mul_add(other, -product);
    }

    fn add(&mut self, number: f64) {
        let sum = self.sum + number;
        let (large, small) = if self.sum.abs() >= number.abs() { (self.sum, number) } else { (number, self.sum) };
        self.rest += (large - sum) + small;
        self.sum = sum;
    }

    fn total(&self) -> f64 {
        self.sum + self.rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energies_of_rare_elements_follow_and_those_that_come_together_are_named() {
        let solve = |graphs: &[(&[(i64, f64)], f64)]| {
            let mut sums = LeastSquares::default();
            graphs.iter().for_each(|(nodes, energy)| sums.add(&nodes.iter().copied().collect(), *energy));
            sums.solve().expect("energies")
        };
        let water: (&[(i64, f64)], f64) = (&[(1, 2.0), (8, 1.0)], -2079.4);
        // The smallest of those with 2 H + O = -2079.4.
        let (energies, untold) = solve(&[water; 50]);
        assert!((energies[&1] + 2.0 * 415.88).abs() < 1e-9 && (energies[&8] + 415.88).abs() < 1e-9, "{energies:?}");
        assert_eq!(untold, [1, 8]);
        // One atom of gold among a million of hydrogen and carbon, and water of which hydrogen is known.
        let hydrocarbon: (&[(i64, f64)], f64) = (&[(1, 100.0), (6, 50.0)], -51_361.0 - 13.6);
        let mut graphs = vec![hydrocarbon; 10_000];
        graphs.extend([(&[(1, 1.0)][..], -13.6), (&[(6, 1.0), (79, 1.0)], -1_028.0 - 518_000.25), water]);
        let (energies, untold) = solve(&graphs);
        let carbon = (-51_361.0 - 13.6 + 1_360.0) / 50.0;
        for (element, expected) in [(1, -13.6), (6, carbon), (8, -2_079.4 + 27.2), (79, -1_028.0 - 518_000.25 - carbon)]
        {
            assert!(
                (energies[&element] / expected - 1.0).abs() < 1e-11,
                "{element}: {} not {expected}",
                energies[&element]
            );
        }
        assert!(untold.is_empty(), "{untold:?}");
        assert!(LeastSquares::default().solve().is_none());
        let mut many = LeastSquares::default();
        many.add(&(0..300).map(|element| (element, 1.0)).collect(), 1.0);
        assert!(many.solve().is_none());
    }
}
