//! [`Lattice`]: the directions in which a structure repeats.

use super::connect::EdgesError;
use crate::error::Error;

/// The vectors by which a structure repeats, of any length and direction.
#[derive(Clone, Debug)]
pub(super) struct Lattice {
    /// The vectors of the cell, 0 where it does not repeat.
    vectors: [[f64; 3]; 3],
    /// Whether it repeats by each vector.
    pub(super) periodic: [bool; 3],
    /// For each vector that repeats, the dual vector: its product with a position is the coordinate along the vector.
    dual: [[f64; 3]; 3],
    /// For each vector that repeats, the distance of two neighbouring layers of cells.
    pub(super) heights: [f64; 3],
    /// Volume of the cell, or the area or length of what repeats.
    pub(super) volume: f64,
}

impl Lattice {
    /// Returns the lattice of a cell whose rows are vectors; `None` if no direction is periodic. Errors if these
    /// vectors are not independent.
    pub(super) fn new(cell: &[[f64; 3]; 3], periodic: [bool; 3]) -> Result<Option<Self>, Error> {
        let mut vectors = *cell;
        (0..3).filter(|&k| !periodic[k]).for_each(|k| vectors[k] = [0.0; 3]);
        // Vectors of length one, perpendicular to the others, stand for directions that do not repeat.
        let mut full = vectors;
        match periodic.iter().filter(|&&periodic| periodic).count() {
            0 => return Ok(None),
            1 => {
                let along = (0..3).find(|&k| periodic[k]).unwrap_or_default();
                let a = full[along];
                let least = (0..3).min_by(|&i, &j| a[i].abs().total_cmp(&a[j].abs())).unwrap_or_default();
                let mut axis = [0.0; 3];
                axis[least] = 1.0;
                full[(along + 1) % 3] = unit(&cross(&a, &axis));
                full[(along + 2) % 3] = unit(&cross(&a, &full[(along + 1) % 3]));
            }
            2 => {
                let across = (0..3).find(|&k| !periodic[k]).unwrap_or_default();
                full[across] = unit(&cross(&full[(across + 1) % 3], &full[(across + 2) % 3]));
            }
            _ => {}
        }
        let [a, b, c] = &full;
        let normals = [cross(b, c), cross(c, a), cross(a, b)];
        let signed = dot(a, &normals[0]);
        let volume = signed.abs();
        let heights = normals.map(|normal| volume / dot(&normal, &normal).sqrt());
        // If lengths differ too much, heights are not finite or vanish, and the search for images would not end. What
        // is not a number fails these tests.
        if !(volume > 1e-9 && volume.is_finite() && heights.iter().all(|height| height.is_normal())) {
            return Err(EdgesError::Cell { volume: if volume.is_nan() { 0.0 } else { volume } }.into());
        }
        let dual = normals.map(|normal| normal.map(|x| x / signed));
        Ok(Some(Self { vectors, periodic, dual, heights, volume }))
    }

    /// Returns the coordinates of a position along the vectors, 0 where the structure does not repeat.
    pub(super) fn fractions(&self, pos: &[f64; 3]) -> [f64; 3] {
        std::array::from_fn(|k| if self.periodic[k] { dot(pos, &self.dual[k]) } else { 0.0 })
    }

    /// Returns vectors of length one along which the structure does not repeat, perpendicular to each other.
    pub(super) fn across(&self) -> impl Iterator<Item = [f64; 3]> {
        (0..3).filter(|&k| !self.periodic[k]).map(|k| self.dual[k])
    }

    /// The largest coordinate of a vector.
    pub(super) fn longest(&self, k: usize) -> f64 {
        self.vectors[k].iter().fold(0.0, |longest, x| longest.max(x.abs()))
    }

    /// Returns the vector to the cell that is `n` cells away. It is the negative of that to `-n`, bit by bit.
    #[inline]
    pub(super) fn shift(&self, n: [i32; 3]) -> [f64; 3] {
        let [a, b, c] = &self.vectors;
        let [i, j, k] = n.map(f64::from);
        // Adding 0 makes 0 of -0.
        std::array::from_fn(|axis| i * a[axis] + j * b[axis] + k * c[axis] + 0.0)
    }
}

fn unit(a: &[f64; 3]) -> [f64; 3] {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
