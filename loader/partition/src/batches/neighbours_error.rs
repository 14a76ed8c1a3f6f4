//! [`NeighboursError`]: neighbourhoods that cannot be drawn.

use super::FeatureError;
use crate::GraphError;

/// Neighbourhoods that cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NeighboursError {
    /// The graph has several types.
    #[error(
        "the graph has {nodes} types of nodes and {edges} of edges, neighbourhoods are drawn where there is one of each: make it homogeneous (LargeGraph::to_homogeneous), with the type as a feature"
    )]
    Types {
        /// Types of nodes.
        nodes: usize,
        /// Types of edges.
        edges: usize,
    },
    /// The graph contradicts itself.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// There are no fan-outs, or one of them is 0.
    #[error("fan-outs {fan_outs:?}, expected one for each hop, each at least 1")]
    FanOuts {
        /// As given.
        fan_outs: Vec<u32>,
    },
    /// A seed node that there is not.
    #[error("seed {place} is node {node}, but the graph has {nodes} nodes")]
    Seed {
        /// Its position in the list.
        place: usize,
        /// The node.
        node: i64,
        /// Nodes of the graph.
        nodes: usize,
    },
    /// Each node is a seed once.
    #[error("node {node} is seed {place} and seed {other}, expected once")]
    Twice {
        /// The node.
        node: i64,
        /// Its first position in the list.
        place: usize,
        /// Another one.
        other: usize,
    },
    /// More than batches can number.
    #[error("{count} {what}, at most {}", i32::MAX)]
    TooLarge {
        /// `nodes`.
        what: &'static str,
        /// How many there are.
        count: usize,
    },
    /// Features that cannot be fields.
    #[error(transparent)]
    Feature(#[from] FeatureError),
}
