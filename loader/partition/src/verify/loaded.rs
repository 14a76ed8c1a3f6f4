//! [`Loaded`]: nodes, HALO and edges of a part, compared edge by edge.

use super::columns::{Files, differs, same};
use crate::Part;
use graphpack_loader::Error;
use std::path::PathBuf;

/// A part in memory. That its ids, owners, types and flags agree with the JSON file was checked when it was read.
pub(super) struct Loaded {
    path: PathBuf,
    pub(super) part: Part,
    /// Global id and position of the edges into the HALO, by id.
    halo_edges: Vec<(i64, usize)>,
    /// Global ids of the nodes of the HALO into which the part must have all edges, ascending.
    inside: Vec<i64>,
    /// Number of edges from its own nodes to other parts.
    outward: usize,
    /// Number of these that the graph has and the part lacks.
    pub(super) lacking: usize,
    /// Number of edges into the HALO that were compared.
    compared: usize,
    /// What messages say of the order of what is expected.
    order: &'static str,
}

impl Loaded {
    pub(super) fn read(files: &Files<'_>, number: usize) -> Result<Self, Error> {
        let (part, path) = (files.parts.graph(number)?, files.parts.graph_path(number)?);
        let mut halo_edges: Vec<_> =
            (part.inner_edges..part.edge_ids.len()).map(|at| (part.edge_ids[at], at)).collect();
        halo_edges.sort_unstable();
        let hops = part.hops();
        let is_inside = |node: usize| hops[node] < part.halo_hops;
        let halo = part.inner_nodes..part.node_ids.len();
        let mut inside: Vec<i64> = halo.filter(|&node| is_inside(node)).map(|node| part.node_ids[node]).collect();
        inside.sort_unstable();
        let outward = part.targets[part.inner_edges..].iter().filter(|&&target| !is_inside(target as usize)).count();
        let no_ids = " in the order of the graph: not all parts have original ids of nodes and edges beside them";
        let order = if files.has_ids { "" } else { no_ids };
        Ok(Self { path, part, halo_edges, inside, outward, lacking: 0, compared: 0, order })
    }

    /// Nodes of the HALO into which the part must have all edges, by global id.
    pub(super) fn inside(&self) -> &[i64] {
        &self.inside
    }

    /// Compares an edge from a node of the part to another part's, unless the part has no such edges.
    pub(super) fn outward(&mut self, id: i64, ends: [i64; 2], of: impl FnOnce() -> String) -> Result<(), Error> {
        match self.inside.binary_search(&ends[1]) {
            // Compared as one of those into the HALO.
            Ok(_) => Ok(()),
            Err(_) if self.outward > 0 => self.halo_edge(id, ends, of),
            Err(_) => {
                self.lacking += 1;
                Ok(())
            }
        }
    }

    /// Compares an edge that the part owns with global ids of source and target; `of` says which edge it is.
    pub(super) fn owned(&self, edge: usize, ends: [i64; 2], of: impl FnOnce() -> String) -> Result<(), Error> {
        let found = [self.part.sources[edge], self.part.targets[edge]].map(|node| self.part.node_ids[node as usize]);
        if found == ends {
            return Ok(());
        }
        let local = [self.part.sources[edge], self.part.targets[edge]];
        let what = format!("edge {edge} of the part (arrays \"row\", \"col\" and \"_ID\" of nodes), {}", of());
        let (expected, found) = (format!("{ends:?}{}", self.order), format!("{found:?}, nodes {local:?} of the part"));
        Err(differs(&self.path, &what, &expected, &found))
    }

    /// Compares an edge into the HALO, which another part owns.
    pub(super) fn halo_edge(&mut self, id: i64, ends: [i64; 2], of: impl FnOnce() -> String) -> Result<(), Error> {
        let Ok(at) = self.halo_edges.binary_search_by_key(&id, |&(id, _)| id) else {
            return Err(differs(&self.path, &of(), &format!("an edge into the HALO with global id {id}"), "none"));
        };
        self.compared += 1;
        self.owned(self.halo_edges[at].1, ends, of)
    }

    /// Fails if the part has edges into the HALO that the graph does not have there, or lacks those to other parts
    /// where `other`, a part before, has them, or the other way round.
    pub(super) fn end(&self, other: &mut Option<(usize, bool)>) -> Result<(), Error> {
        if self.outward > 0 || self.lacking > 0 {
            let (other, has) = *other.get_or_insert((self.part.number, self.outward > 0));
            if has != (self.outward > 0) {
                let (number, of_other) = if has { (self.lacking, "has") } else { (0, "lacks") };
                let again = "cut the graph again to have them in every part";
                let expected = format!("{number}: part {other} {of_other} such edges of its own; {again}");
                let what = "the number of edges from its nodes to other parts";
                return Err(differs(&self.path, what, &expected, &self.outward.to_string()));
            }
        }
        same(&self.path, "the number of edges into the HALO", &self.compared, &self.halo_edges.len())
    }
}
