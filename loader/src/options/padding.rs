//! [`Padding`]: which nodes padding edges connect, and so how many rows a batch keeps free. Core's `LeastPadding` adds
//! and takes away those rows; `collate` writes them.

use crate::layout::{Dtype, Field, Level, Shape};
use graphpack_core::{LeastPadding, Limits, Rounding, Size};

/// Decides which nodes padding edges connect. As in jraph, all padding nodes and edges belong to the first padding
/// graph, and further padding graphs are empty. Fields are zero in padding rows, except the positions of
/// [`TwoNodes`](Self::TwoNodes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Padding {
    /// Padding edges are self-loops on the first padding node, as in jraph. Every batch has at least one padding node.
    #[default]
    SelfLoops,
    /// Padding edges go from the first padding node to the second, for models that divide by the length of an edge or
    /// differentiate it: no edge has length zero. In the second padding node, the first coordinate of a floating point
    /// node field `pos` is 1, so that these edges have length one. Every batch has at least two padding nodes.
    TwoNodes,
}

impl Padding {
    /// What every batch keeps free: the nodes that padding edges connect, and one graph.
    #[inline]
    pub fn least(self) -> LeastPadding<2> {
        let nodes = match self {
            Self::SelfLoops => 1,
            Self::TwoNodes => 2,
        };
        LeastPadding { size: Size([nodes, 0]), graphs: 1 }
    }

    /// Returns the shape that holds `packs` packs of `limits` and the least padding; `None` if its numbers overflow.
    pub fn shape(self, limits: &Limits<2>, packs: usize) -> Option<Shape> {
        let times = |limit: u32| (limit as usize).checked_mul(packs);
        let [nodes, edges] = limits.size.0;
        self.around(&Shape::new([times(nodes)?, times(edges)?], times(limits.graphs)?))
    }

    /// Returns the shape that holds `real` rows and the least padding; `None` if its numbers overflow.
    #[inline]
    fn around(self, real: &Shape) -> Option<Shape> {
        let (rows, graphs) = self.least().add([real.nodes() as u64, real.edges() as u64], real.graphs() as u64)?;
        let [nodes, edges, graphs] = [rows[0], rows[1], graphs].map(|rows| usize::try_from(rows).ok());
        Some(Shape::new([nodes?, edges?], graphs?))
    }

    /// Whether `real` rows and the least padding fit into `shape`.
    #[inline]
    pub(crate) fn fits(self, real: &Shape, shape: &Shape) -> bool {
        self.around(real).is_some_and(|needed| needed.fits(shape))
    }

    /// Returns the shape that `real` rows and the least padding are rounded up to, with room for `graphs` real graphs,
    /// or for those in `real` if that is `None`. Returns `None` if a number exceeds 32 bits.
    pub(crate) fn rounded(self, real: &Shape, rounding: Rounding, graphs: Option<usize>) -> Option<Shape> {
        let graphs = u32::try_from(graphs.unwrap_or(real.graphs())).ok()?;
        let target = rounding.target([real.nodes() as u64, real.edges() as u64], graphs, self.least())?;
        Some(Shape::new(target.size.0.map(|rows| rows as usize), target.graphs as usize))
    }

    /// Returns the source and the target of every padding edge; `first` is the first padding node.
    pub(crate) fn edge(self, first: usize) -> [usize; 2] {
        match self {
            Self::SelfLoops => [first, first],
            Self::TwoNodes => [first, first + 1],
        }
    }

    /// Returns the padding row of `field` whose first element is not zero, and that element; `None` if all padding is
    /// zero. `first` is the first padding node.
    pub(crate) fn apart(self, field: &Field, first: usize) -> Option<(usize, &'static [u8])> {
        if self != Self::TwoNodes || field.name != "pos" || field.level != Level::Node || field.width == 0 {
            return None;
        }
        match field.dtype {
            Dtype::F32 => Some((first + 1, bytemuck::bytes_of(&1_f32))),
            Dtype::F64 => Some((first + 1, bytemuck::bytes_of(&1_f64))),
            _ => None,
        }
    }
}
