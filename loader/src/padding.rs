//! [`Padding`]: what fills the slots that no graph fills. Nothing else knows the rule.

use crate::Shape;
use graphpack_core::Limits;

/// How padding edges lie. All padding nodes and edges belong to the first padding graph, further padding graphs are empty, as in
/// jraph; features of padding are zero, but for positions of [`TwoNodes`](Self::TwoNodes).
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

    /// The shape that holds `packs` packs of `limits` and the least padding: these nodes and one graph.
    /// None if it cannot be addressed.
    pub fn shape(self, limits: &Limits<2>, packs: usize) -> Option<Shape> {
        let times = |limit: u32| (limit as usize).checked_mul(packs);
        let nodes = times(limits.size.0[0])?.checked_add(self.nodes())?;
        Some(Shape { nodes, edges: times(limits.size.0[1])?, graphs: times(limits.graphs)?.checked_add(1)? })
    }

    /// The padding node whose position is not zero, where `first` is the first padding node.
    pub(crate) fn apart(self, first: usize) -> Option<usize> {
        match self {
            Self::SelfLoops => None,
            Self::TwoNodes => Some(first + 1),
        }
    }

    /// Source and target of every padding edge, where `first` is the first padding node.
    pub(crate) fn edge(self, first: usize) -> (usize, usize) {
        match self {
            Self::SelfLoops => (first, first),
            Self::TwoNodes => (first, first + 1),
        }
    }
}
