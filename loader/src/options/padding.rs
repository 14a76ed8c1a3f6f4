//! [`Padding`]: what fills the rows that no graph fills. Nothing else knows the rule.

use crate::layout::{Dtype, Field, Level, Shape};
use graphpack_core::{Limits, Rounding, Target};

/// How padding edges lie. All padding nodes and edges belong to the first padding graph, further padding graphs are empty, as in
/// jraph; features of padding are zero, except the positions of [`TwoNodes`](Self::TwoNodes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Padding {
    /// Self-loops on the first padding node, as in jraph. Every batch has at least one padding node.
    #[default]
    SelfLoops,
    /// From the first padding node to the second: no edge of length zero for models that divide by it or differentiate it. A floating point
    /// node field `pos` is 1 in the first coordinate of the second padding node, so that these edges have length one. Every batch has at
    /// least two padding nodes.
    TwoNodes,
}

impl Padding {
    /// Padding nodes that every batch has room for.
    pub fn nodes(self) -> usize {
        match self {
            Self::SelfLoops => 1,
            Self::TwoNodes => 2,
        }
    }

    /// The rows that every batch keeps free: these nodes and one graph.
    fn least(self) -> Shape {
        Shape::new([self.nodes(), 0], 1)
    }

    /// The shape that holds `packs` packs of `limits` and the least padding. None if it cannot be addressed.
    pub fn shape(self, limits: &Limits<2>, packs: usize) -> Option<Shape> {
        let least = self.least();
        let times = |limit: u32, least: usize| (limit as usize).checked_mul(packs)?.checked_add(least);
        let [nodes, edges] = limits.size.0;
        let sets = [times(nodes, least.nodes())?, times(edges, least.edges())?];
        Some(Shape::new(sets, times(limits.graphs, least.graphs())?))
    }

    /// Whether `real` rows and the least padding fit a shape.
    pub(crate) fn fits(self, real: &Shape, shape: &Shape) -> bool {
        real.plus(&self.least()).fits(shape)
    }

    /// What real graphs can fill of a target.
    pub(crate) fn usable(self, target: &Target<2>) -> Limits<2> {
        // The target has room for one padding node; some paddings want more.
        let mut limits = target.usable();
        limits.size.0[0] = limits.size.0[0].saturating_sub(self.nodes() as u32 - 1);
        limits
    }

    /// The shape that `real` rows and the least padding are rounded up to, with `graphs` rows for graphs or only those needed. None if it
    /// exceeds 32 bits.
    pub(crate) fn rounded(self, real: &Shape, rounding: Rounding, graphs: Option<usize>) -> Option<Shape> {
        // Rounding leaves room for one padding node; some paddings want more.
        let nodes = real.nodes().checked_add(self.nodes() - 1)? as u64;
        let target = rounding.target([nodes, real.edges() as u64], 0)?;
        let graphs = graphs.unwrap_or(real.graphs()).checked_add(self.least().graphs())?;
        Some(Shape::new(target.size.0.map(|rows| rows as usize), graphs))
    }

    /// Source and target of every padding edge, where `first` is the first padding node.
    pub(crate) fn edge(self, first: usize) -> [usize; 2] {
        match self {
            Self::SelfLoops => [first, first],
            Self::TwoNodes => [first, first + 1],
        }
    }

    /// The padding row of a field that does not begin with zero, and the element that it begins with; `first` is the first padding node.
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
