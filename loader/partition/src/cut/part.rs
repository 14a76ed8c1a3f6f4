//! [`Part`]: the nodes and edges of one part, and the HALO around them.

use crate::Array;

/// One part of a partitioned graph. The nodes that it owns come first, by ascending global id, then its HALO: the nodes
/// of other parts from which its own are reached in a number of hops, and those that its own nodes' edges lead to. An
/// edge is owned by the part that owns its target.
///
/// Its edges are those that it owns, those into nodes of the HALO that are less than [`halo_hops`](Self::halo_hops)
/// away, and those from its own nodes to others, which parts of DGL's dispatch lack.
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
    /// The most edges on the way from a node of the HALO to a node that the part owns, but for nodes of the HALO that are
    /// there only because edges of its own nodes lead to them.
    pub halo_hops: usize,
    /// Features of nodes, named `type/feature`, with a row per node of that type that it owns.
    pub node_features: Vec<(String, Array)>,
    /// Features of edges, named `source:relation:target/feature`, with a row per edge of that type that it owns.
    pub edge_features: Vec<(String, Array)>,
}

impl Part {
    /// Number of edges on the way from each node to one that the part owns, at most one more than
    /// [`halo_hops`](Self::halo_hops). All ends of edges must be nodes of the part.
    pub(crate) fn hops(&self) -> Vec<usize> {
        let mut hops = vec![self.halo_hops.saturating_add(1); self.node_ids.len()];
        hops[..self.inner_nodes].fill(0);
        // A way has at most as many edges as there are nodes.
        for hop in 1..=self.halo_hops.min(self.node_ids.len()) {
            let mut changed = false;
            for (&source, &target) in self.sources.iter().zip(&self.targets) {
                if hops[target as usize] == hop - 1 && hops[source as usize] > hop {
                    hops[source as usize] = hop;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        hops
    }
}
