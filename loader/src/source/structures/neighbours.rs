//! [`find`]: finds the neighbours of each atom by distance, in crystals including periodic images.

use super::edges::MOST_IMAGES;
use super::{Edges, EdgesError};

/// An edge and its geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) distance: f64,
    /// The vector from the source to its periodic image that the edge starts at.
    pub(super) shift: [f64; 3],
}

/// Adds the edges of one structure by a rule.
pub(super) fn find(
    rule: Edges,
    pos: &[[f32; 3]],
    cell: Option<&[[f64; 3]; 3]>,
    edges: &mut Vec<Edge>,
) -> Result<(), EdgesError> {
    let Ok(atoms) = u32::try_from(pos.len()) else { return Err(EdgesError::Atoms { atoms: pos.len() }) };
    let pos: Vec<[f64; 3]> = pos.iter().map(|pos| pos.map(f64::from)).collect();
    let cell = cell.filter(|_| rule != Edges::FullyConnected).map(Cell::new).transpose()?;
    for target in 0..atoms {
        let start = edges.len();
        match (rule, &cell) {
            (Edges::Radius(radius), _) if radius.is_nan() || radius <= 0.0 => {
                return Err(EdgesError::Radius { radius });
            }
            (Edges::Radius(radius), Some(cell)) => cell.within(&pos, target, radius, edges)?,
            (Edges::Nearest(k), Some(cell)) => {
                // A sphere that should hold k + 1 atoms at the density of the crystal, enlarged until it does.
                let mut radius = (k.saturating_add(1) as f64 * cell.volume / f64::from(atoms)).cbrt();
                loop {
                    cell.within(&pos, target, radius, edges)?;
                    if edges.len() >= start.saturating_add(k) {
                        break;
                    }
                    edges.truncate(start);
                    radius *= 1.3;
                }
            }
            (_, None) => {
                for source in (0..atoms).filter(|&source| source != target) {
                    let vector = minus(&pos[source as usize], &pos[target as usize]);
                    edges.push(Edge { source, target, distance: length(&vector), shift: [0.0; 3] });
                }
            }
            (Edges::FullyConnected, Some(_)) => {}
        }
        if let Edges::Radius(radius) = rule {
            let far: Vec<Edge> = edges.drain(start..).filter(|edge| edge.distance <= radius).collect();
            edges.extend(far);
        }
        edges[start..].sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.source.cmp(&b.source)));
        if let Edges::Nearest(k) = rule {
            edges.truncate(start.saturating_add(k));
        }
    }
    Ok(())
}

/// The cell of a crystal.
struct Cell<'a> {
    vectors: &'a [[f64; 3]; 3],
    /// For each cell vector, the dual vector: its product with a position is the coordinate along the cell vector.
    inverse: [[f64; 3]; 3],
    /// For each cell vector, the distance between the two faces of the cell that the other vectors span.
    heights: [f64; 3],
    volume: f64,
}

impl<'a> Cell<'a> {
    fn new(vectors: &'a [[f64; 3]; 3]) -> Result<Self, EdgesError> {
        let [a, b, c] = vectors;
        let normals = [cross(b, c), cross(c, a), cross(a, b)];
        let signed = dot(a, &normals[0]);
        let volume = signed.abs();
        if volume.is_nan() || volume <= 1e-9 || volume.is_infinite() {
            return Err(EdgesError::Cell { volume });
        }
        let heights = normals.map(|normal| volume / length(&normal));
        // If lengths differ too much, heights are not finite or vanish, and the search for images would not end.
        if !heights.iter().all(|height| height.is_normal()) {
            return Err(EdgesError::Cell { volume });
        }
        Ok(Self { vectors, inverse: normals.map(|normal| normal.map(|x| x / signed)), heights, volume })
    }

    /// Adds an edge from every image of an atom at most `radius` away from atom `target`, except from `target` itself.
    fn within(&self, pos: &[[f64; 3]], target: u32, radius: f64, edges: &mut Vec<Edge>) -> Result<(), EdgesError> {
        let images = self.heights.iter().map(|height| 2.0 * radius / height + 1.0).product::<f64>() * pos.len() as f64;
        if images > MOST_IMAGES {
            return Err(EdgesError::Images { radius, images });
        }
        for (source, from) in (0_u32..).zip(pos) {
            let apart = minus(from, &pos[target as usize]);
            // Images n along each vector with |share + n| * height <= radius.
            let range = |k: usize| {
                let (share, reach) = (dot(&apart, &self.inverse[k]), radius / self.heights[k]);
                (-share - reach).ceil() as i64..=(reach - share).floor() as i64
            };
            for n0 in range(0) {
                for n1 in range(1) {
                    for n2 in range(2) {
                        let n = [n0, n1, n2].map(|n| n as f64);
                        let shift: [f64; 3] =
                            std::array::from_fn(|axis| (0..3).map(|k| n[k] * self.vectors[k][axis]).sum());
                        let distance = length(&std::array::from_fn(|axis| apart[axis] + shift[axis]));
                        if distance <= radius && (source != target || [n0, n1, n2] != [0; 3]) {
                            edges.push(Edge { source, target, distance, shift });
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

fn minus(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: &[f64; 3]) -> f64 {
    dot(a, a).sqrt()
}
