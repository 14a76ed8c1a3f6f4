//! [`Shape`]: how many node, edge and graph rows a batch has.

use super::Level;
use graphpack_core::Size;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How many rows the arrays of a batch have for nodes, edges and graphs: all rows, padding included, or only the real
/// ones ([`Batch::real`](crate::Batch::real)).
///
/// Shapes are ordered by nodes, then edges, then graphs.
///
/// ```
/// use graphpack_loader::{Level, Shape};
///
/// let shape = Shape::new([6, 5], 4);
/// assert_eq!((shape.nodes(), shape.rows(Level::Edge), shape.graphs()), (6, 5, 4));
/// assert_eq!(shape.to_string(), "6 nodes, 5 edges, 4 graphs");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "[usize; 3]", into = "[usize; 3]")]
pub struct Shape {
    /// Rows of the sets nodes and edges.
    sets: [usize; 2],
    graphs: usize,
}

impl Shape {
    /// Returns the shape with `sets` = `[nodes, edges]` rows and `graphs` graphs.
    #[inline]
    pub const fn new(sets: [usize; 2], graphs: usize) -> Self {
        Self { sets, graphs }
    }

    /// Rows of node-level arrays.
    #[inline]
    pub const fn nodes(&self) -> usize {
        self.sets[0]
    }

    /// Rows of edge-level arrays.
    #[inline]
    pub const fn edges(&self) -> usize {
        self.sets[1]
    }

    /// Rows of graph-level arrays.
    #[inline]
    pub const fn graphs(&self) -> usize {
        self.graphs
    }

    /// Rows of the arrays of `level`.
    #[inline]
    pub const fn rows(&self, level: Level) -> usize {
        match level {
            Level::Node => self.sets[0],
            Level::Edge => self.sets[1],
            Level::Graph => self.graphs,
        }
    }

    /// Returns the rows after adding a graph of `size`.
    #[must_use]
    #[inline]
    pub(crate) fn with_graph(&self, size: Size<2>) -> Self {
        self.plus(&Self { sets: size.0.map(|rows| rows as usize), graphs: 1 })
    }

    /// Returns the sum of both shapes, level by level.
    #[must_use]
    #[inline]
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let sets = std::array::from_fn(|set| self.sets[set].saturating_add(other.sets[set]));
        Self { sets, graphs: self.graphs.saturating_add(other.graphs) }
    }

    /// Whether every level has at most as many rows as in `room`.
    #[inline]
    pub(crate) fn fits(&self, room: &Self) -> bool {
        self.graphs <= room.graphs && self.sets.iter().zip(&room.sets).all(|(rows, room)| rows <= room)
    }
}

impl From<[usize; 3]> for Shape {
    fn from([nodes, edges, graphs]: [usize; 3]) -> Self {
        Self::new([nodes, edges], graphs)
    }
}

impl From<Shape> for [usize; 3] {
    fn from(Shape { sets: [nodes, edges], graphs }: Shape) -> Self {
        [nodes, edges, graphs]
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [nodes, edges] = self.sets;
        write!(f, "{nodes} nodes, {edges} edges, {} graphs", self.graphs)
    }
}
