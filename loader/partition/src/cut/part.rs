//! [`Part`]: the nodes and edges of one part, and the HALO around them.

use crate::Array;

/// One part of a partitioned graph. The nodes that it owns come first, by ascending global id, then its HALO: nodes of
/// other parts within a number of hops. An edge is owned by the part that owns its target.
///
/// Edge `e` goes from node `sources[e]` to node `targets[e]` of this part, and is edge `edge_ids[e]` of the whole
/// graph. Types of nodes and edges follow from their ids ([`PartitionBook`](crate::PartitionBook)).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Number of the part, from 0.
    pub number: usize,
    /// Global ids of its nodes, `[nodes]`.
    pub node_ids: Vec<i64>,
    /// Number of nodes that it owns, which come first.
    pub inner_nodes: usize,
    /// Local ids of the edges' sources, `[edges]`.
    pub sources: Vec<i64>,
    /// Local ids of the edges' targets, `[edges]`.
    pub targets: Vec<i64>,
    /// Global ids of its edges, `[edges]`.
    pub edge_ids: Vec<i64>,
    /// Number of edges that it owns, which come first.
    pub inner_edges: usize,
    /// Features of nodes, named `type/feature`, with a row per node of that type that it owns.
    pub node_features: Vec<(String, Array)>,
    /// Features of edges, named `source:relation:target/feature`, with a row per edge of that type that it owns.
    pub edge_features: Vec<(String, Array)>,
}
