//! [`Padding`]: how many padding rows a batch has and what they contain. Only this file knows the rule.

use crate::layout::{Dtype, Field, Level, Shape};
use graphpack_core::{Limits, Rounding, Target};

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
    /// The least number of padding nodes of a batch.
    pub fn nodes(self) -> usize {
        match self {
            Self::SelfLoops => 1,
            Self::TwoNodes => 2,
        }
    }

    /// The least padding of a batch: [`nodes`](Self::nodes) nodes and one graph.
    fn least(self) -> Shape {
        Shape::new([self.nodes(), 0], 1)
    }

    /// Returns the shape that holds `packs` packs of `limits` and the least padding; `None` if its numbers overflow.
    pub fn shape(self, limits: &Limits<2>, packs: usize) -> Option<Shape> {
        let least = self.least();
        let times = |limit: u32, least: usize| (limit as usize).checked_mul(packs)?.checked_add(least);
        let [nodes, edges] = limits.size.0;
        let sets = [times(nodes, least.nodes())?, times(edges, least.edges())?];
        Some(Shape::new(sets, times(limits.graphs, least.graphs())?))
    }

    /// Whether `real` rows and the least padding fit into `shape`.
    pub(crate) fn fits(self, real: &Shape, shape: &Shape) -> bool {
        real.plus(&self.least()).fits(shape)
    }

    /// Returns the limits of real graphs in a batch of the shape `target`.
    pub(crate) fn usable(self, target: &Target<2>) -> Limits<2> {
        // `Target::usable` keeps one node free; `TwoNodes` needs another.
        let mut limits = target.usable();
        limits.size.0[0] = limits.size.0[0].saturating_sub(self.nodes() as u32 - 1);
        limits
    }

    /// Returns the shape that `real` rows and the least padding are rounded up to, with room for `graphs` real graphs,
    /// or for those in `real` if that is `None`. Returns `None` if nodes or edges exceed 32 bits.
    pub(crate) fn rounded(self, real: &Shape, rounding: Rounding, graphs: Option<usize>) -> Option<Shape> {
        // `Rounding::target` adds one padding node; `TwoNodes` needs another.
        let nodes = real.nodes().checked_add(self.nodes() - 1)? as u64;
        let target = rounding.target([nodes, real.edges() as u64], 0)?;
        let graphs = graphs.unwrap_or(real.graphs()).checked_add(self.least().graphs())?;
        Some(Shape::new(target.size.0.map(|rows| rows as usize), graphs))
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
