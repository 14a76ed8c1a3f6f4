//! [`Shape`] and [`Padding`]: the fixed sizes of a batch, and what fills the slots that no graph fills.

use graphpack_core::Limits;
use std::fmt;

/// The fixed sizes of a batch's arrays, padding included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows of node-level arrays.
    pub nodes: usize,
    /// Rows of edge-level arrays.
    pub edges: usize,
    /// Rows of graph-level arrays.
    pub graphs: usize,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes, {} edges, {} graphs", self.nodes, self.edges, self.graphs)
    }
}

/// How padding edges lie. All padding nodes and edges belong to the first padding graph, further padding graphs are empty, as in
/// jraph; features of padding are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Padding {
    /// Self-loops on the first padding node, as in jraph. Every batch has at least one padding node.
    #[default]
    SelfLoops,
    /// From the first padding node to the second: no edge of length zero for models that divide by it, once their padding
    /// positions differ. Every batch has at least two padding nodes.
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
    pub fn shape(self, limits: &Limits<2>, packs: usize) -> Shape {
        let [nodes, edges] = limits.size.0.map(|limit| limit as usize * packs);
        Shape { nodes: nodes + self.nodes(), edges, graphs: limits.graphs as usize * packs + 1 }
    }

    /// Source and target of every padding edge, where `first` is the first padding node.
    pub(crate) fn edge(self, first: usize) -> (usize, usize) {
        match self {
            Self::SelfLoops => (first, first),
            Self::TwoNodes => (first, first + 1),
        }
    }
}
