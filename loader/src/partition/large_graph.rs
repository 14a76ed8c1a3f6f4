//! [`LargeGraph`]: one graph in memory, before it is cut.

use super::Array;

/// A directed graph with one or several types of nodes and edges. Ids count from 0 within each type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LargeGraph {
    /// Its name, which DGL's files carry.
    pub name: String,
    /// Types of nodes. DGL numbers them in this order.
    pub node_types: Vec<NodeType>,
    /// Types of edges, likewise.
    pub edge_types: Vec<EdgeType>,
}

/// All nodes of one type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeType {
    /// Its name; `_N` where there is only one and DGL was not told otherwise.
    pub name: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Features by name, each with a row per node.
    pub features: Vec<(String, Array)>,
}

/// All edges of one type. Ids are positions in the lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeType {
    /// Type of sources, relation, type of targets; `_N`, `_E`, `_N` where there is only one.
    pub name: [String; 3],
    /// Source of each edge.
    pub sources: Vec<i64>,
    /// Target of each edge.
    pub targets: Vec<i64>,
    /// Features by name, each with a row per edge.
    pub features: Vec<(String, Array)>,
}

impl EdgeType {
    /// The name in files: `source:relation:target`.
    pub fn file_name(&self) -> String {
        self.name.join(":")
    }
}
