//! [`Loaded`]: nodes, HALO and edges of a part, compared edge by edge.

use super::VerifyError;
use super::columns::{Files, same};
use crate::Part;
use crate::dgl::load_partition_graph;
use std::path::PathBuf;

/// A part in memory. That its ids, owners, types and flags agree with the JSON file was checked when it was read.
pub(super) struct Loaded {
    path: PathBuf,
    pub(super) part: Part,
    /// Global id and position of the edges into the HALO, by id.
    halo_edges: Vec<(i64, usize)>,
    /// Number of hops from the part to each of its nodes.
    hops: Vec<usize>,
    /// Number of edges into the HALO that were compared.
    compared: usize,
}

impl Loaded {
    pub(super) fn read(files: &Files<'_>, number: usize) -> Result<Self, VerifyError> {
        let part = load_partition_graph(files.path, number)?.part;
        let path = files.file(&files.config.parts[number].part_graph);
        let mut halo_edges: Vec<_> =
            (part.inner_edges..part.edge_ids.len()).map(|at| (part.edge_ids[at], at)).collect();
        halo_edges.sort_unstable();
        if let Some(pair) = halo_edges.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let what = format!("array \"_ID\" of edges, edge {} of the part", pair[1].1);
            let (expected, found) = ("another id".into(), format!("{}, which edge {} has, too", pair[1].0, pair[0].1));
            return Err(VerifyError::Differs { path, what, expected, found });
        }
        let hops = hops(&part, files.config.halo_hops);
        if let Some(node) = hops.iter().position(|&hops| hops > files.config.halo_hops) {
            let what = format!("the HALO, node {node} of the part");
            let expected = format!("a node from which the part is reached in {} hops", files.config.halo_hops);
            let found = format!("global id {}, from which it is not", part.node_ids[node]);
            return Err(VerifyError::Differs { path, what, expected, found });
        }
        Ok(Self { path, part, halo_edges, hops, compared: 0 })
    }

    /// Nodes of the HALO into which the part must have all edges, by global id.
    pub(super) fn inside(&self, halo_hops: usize) -> impl Iterator<Item = i64> {
        let halo = self.part.inner_nodes..self.part.node_ids.len();
        halo.filter(move |&node| self.hops[node] < halo_hops).map(|node| self.part.node_ids[node])
    }

    /// Compares an edge that the part owns with global ids of source and target; `of` says which edge it is.
    pub(super) fn owned(&self, edge: usize, ends: [i64; 2], of: impl FnOnce() -> String) -> Result<(), VerifyError> {
        let found = [self.part.sources[edge], self.part.targets[edge]].map(|node| self.part.node_ids[node as usize]);
        if found == ends {
            return Ok(());
        }
        let local = [self.part.sources[edge], self.part.targets[edge]];
        let what = format!("edge {edge} of the part (arrays \"row\", \"col\" and \"_ID\" of nodes), {}", of());
        let (expected, found) = (format!("{ends:?}"), format!("{found:?}, nodes {local:?} of the part"));
        Err(VerifyError::Differs { path: self.path.clone(), what, expected, found })
    }

    /// Compares an edge into the HALO, which another part owns.
    pub(super) fn halo_edge(
        &mut self,
        id: i64,
        ends: [i64; 2],
        of: impl FnOnce() -> String,
    ) -> Result<(), VerifyError> {
        let Ok(at) = self.halo_edges.binary_search_by_key(&id, |&(id, _)| id) else {
            let (what, expected) = (of(), format!("an edge into the HALO with global id {id}"));
            return Err(VerifyError::Differs { path: self.path.clone(), what, expected, found: "none".into() });
        };
        self.compared += 1;
        self.owned(self.halo_edges[at].1, ends, of)
    }

    /// Fails if the part has edges into the HALO that the graph does not have there.
    pub(super) fn end(&self) -> Result<(), VerifyError> {
        same(&self.path, "the number of edges into the HALO", &self.compared, &self.halo_edges.len())
    }
}

/// Number of hops from the part to each of its nodes, at most one more than `most`.
fn hops(part: &Part, most: usize) -> Vec<usize> {
    let mut hops = vec![most.saturating_add(1); part.node_ids.len()];
    hops[..part.inner_nodes].fill(0);
    let nodes = part.node_ids.len();
    // A path has at most as many hops as there are nodes.
    for hop in 1..=most.min(nodes) {
        let mut changed = false;
        for (&source, &target) in part.sources.iter().zip(&part.targets) {
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
