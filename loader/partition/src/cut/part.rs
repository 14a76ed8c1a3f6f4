//! [`Part`]: the nodes and edges of one part, and the HALO around them.

use crate::Array;

/// One part of a partitioned graph. Nodes that it owns come first, by ascending global id; then its HALO, nodes of other parts within a number of
/// hops. An edge is owned by the part that owns its target.
///
/// Edge `e` goes from node `sources[e]` to node `targets[e]` of this part, and is edge `edge_ids[e]` of the whole graph. Types of nodes and
/// edges follow from their ids ([`PartitionBook`](crate::PartitionBook)).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Its number, from 0.
    pub number: usize,
    /// Global ids of its nodes, `[nodes]`.
    pub node_ids: Vec<i64>,
    /// How many of the nodes it owns: the first ones.
    pub inner_nodes: usize,
    /// Local ids, `[edges]`.
    pub sources: Vec<i64>,
    /// Local ids, `[edges]`.
    pub targets: Vec<i64>,
    /// Global ids of its edges, `[edges]`.
    pub edge_ids: Vec<i64>,
    /// How many of the edges it owns: the first ones.
    pub inner_edges: usize,
    /// `type/feature`, a row per node of that type that it owns.
    pub node_features: Vec<(String, Array)>,
    /// `source:relation:target/feature`, a row per edge of that type that it owns.
    pub edge_features: Vec<(String, Array)>,
}
