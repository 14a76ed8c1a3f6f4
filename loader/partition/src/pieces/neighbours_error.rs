//! [`NeighboursError`]: why neighbourhoods cannot be drawn.

use super::{ClustersError, FeatureError};
use crate::GraphError;
use std::io;
use std::path::PathBuf;

/// Neighbourhoods that cannot be drawn.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum NeighboursError {
    /// The graph contradicts itself.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The parts contradict each other, or cannot be read.
    #[error(transparent)]
    Parts(#[from] ClustersError),
    /// The index cannot be written.
    #[error("{}: {source}", .path.display())]
    Scratch {
        /// The folder for it.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There are no fan-outs, or one is 0.
    #[error("fan-outs {fan_outs:?}, expected one for each hop, each at least 1")]
    FanOuts {
        /// The fan-outs given.
        fan_outs: Vec<u32>,
    },
    /// Fan-outs are given for a type of edges that does not exist, or not one for each hop.
    #[error("fan-outs {fan_outs:?} of edges {edges}, expected {expected}")]
    FanOutsOf {
        /// The name given.
        edges: String,
        /// The fan-outs given.
        fan_outs: Vec<u32>,
        /// What was expected.
        expected: String,
    },
    /// There is no such type of nodes, or none is named and there are several.
    #[error("roots are nodes of type {found:?}, expected one of {types:?}")]
    RootType {
        /// The type given.
        found: Option<String>,
        /// The types of nodes.
        types: Vec<String>,
    },
    /// A root is no node of the graph.
    #[error("root {place} is node {node} of type {kind}, expected {expected}")]
    Root {
        /// Its position in the list of roots.
        place: usize,
        /// The node.
        node: i64,
        /// The type of the roots.
        kind: String,
        /// Which ids there are, and of how many nodes.
        expected: String,
    },
    /// A node is given as a root twice.
    #[error("node {node} is root {place} and root {other}, expected once")]
    Twice {
        /// The node.
        node: i64,
        /// Its first position in the list.
        place: usize,
        /// Another position.
        other: usize,
    },
    /// There are more nodes of a type than batches can number, or more edges than 32 bits can.
    #[error("{count} {what}, at most {} nodes of a type and {} edges", i32::MAX, u32::MAX)]
    TooLarge {
        /// `nodes` or `edges`.
        what: &'static str,
        /// Their number.
        count: usize,
    },
    /// A feature cannot be a field of a batch.
    #[error(transparent)]
    Feature(#[from] FeatureError),
}

graphpack_core::debug_is_display!(NeighboursError);
