//! [`Part`]: the nodes and edges of one part, and the HALO around them; [`Parts`]: those of a cut, one after the other.

use super::Cut;
use crate::Array;
use std::ops::Range;

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
    /// The most edges on the way from a node of the HALO to a node that the part owns, but for nodes of the HALO that
    /// are there only because edges of its own nodes lead to them.
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

/// Iterates over the parts of a [`Cut`].
#[derive(Debug)]
pub struct Parts<'a> {
    cut: &'a Cut<'a>,
    next: usize,
    /// Local ids of nodes by global ids; [`OUTSIDE`] for all but the HALO of the part that is being made.
    local: Vec<u32>,
}

const OUTSIDE: u32 = u32::MAX;

impl Cut<'_> {
    /// Iterates over the parts by number. Only one is in memory at a time, unless the caller keeps it.
    pub fn parts(&self) -> Parts<'_> {
        Parts::new(self)
    }

    /// Makes one part, if it exists. For all parts, [`Cut::parts`] is faster.
    pub fn part(&self, number: usize) -> Option<Part> {
        (number < self.book().parts()).then(|| self.parts().make(number))
    }
}

impl<'a> Parts<'a> {
    fn new(cut: &'a Cut<'a>) -> Self {
        Self { cut, next: 0, local: vec![OUTSIDE; cut.book().nodes()] }
    }

    /// Makes a part, which must exist.
    fn make(&mut self, number: usize) -> Part {
        let cut = self.cut;
        // Both have at most 2^32 - 1: larger graphs are refused.
        let narrow = |ids: Range<i64>| ids.start as u32..ids.end as u32;
        let (own, own_edges) = (narrow(cut.book().part_nodes(number)), narrow(cut.book().part_edges(number)));
        let inner_edges = own_edges.len();
        let (mut sources, mut targets) = (Vec::with_capacity(inner_edges), Vec::with_capacity(inner_edges));
        let mut halo = Vec::new();
        cut.inner_edges(number).for_each(|(source, target)| {
            if !own.contains(&source) && self.local[source as usize] == OUTSIDE {
                // Any number but `OUTSIDE`: places follow when the HALO is sorted.
                self.local[source as usize] = 0;
                halo.push(source);
            }
            // Sources keep their global ids until the HALO is complete.
            sources.push(i64::from(source));
            targets.push(i64::from(target - own.start));
        });
        let mut edge_ids: Vec<i64> = own_edges.map(i64::from).collect();
        let mut edges = Vec::new();
        if let Some(in_edges) = cut.in_edges() {
            let mut level = 0;
            for _ in 1..cut.hops() {
                let end = halo.len();
                for at in level..end {
                    for &[source, edge] in in_edges.of(halo[at]) {
                        if !own.contains(&source) && self.local[source as usize] == OUTSIDE {
                            self.local[source as usize] = 0;
                            halo.push(source);
                        }
                        edges.push((edge, source, halo[at]));
                    }
                }
                level = end;
                if level == halo.len() {
                    break;
                }
            }
        }
        // Only after the hops: the HALO does not go on from the nodes that these lead to.
        for (edge, source, target) in cut.outward(number) {
            if self.local[target as usize] == OUTSIDE {
                self.local[target as usize] = 0;
                halo.push(target);
            }
            edges.push((edge, source, target));
        }
        edges.sort_unstable();
        // Those into nodes less than all hops away are there twice.
        edges.dedup();
        edge_ids.extend(edges.iter().map(|&(edge, _, _)| i64::from(edge)));
        sources.extend(edges.iter().map(|&(_, source, _)| i64::from(source)));
        targets.extend(edges.iter().map(|&(_, _, target)| i64::from(target)));
        drop(edges);
        halo.sort_unstable();
        for (position, &node) in halo.iter().enumerate() {
            self.local[node as usize] = (own.len() + position) as u32;
        }
        // Targets of edges that the part does not own are in the HALO.
        for id in sources.iter_mut().chain(&mut targets[inner_edges..]) {
            let node = *id as u32;
            *id = if own.contains(&node) { node - own.start } else { self.local[node as usize] }.into();
        }
        // Only what was set: clearing all nodes for each part would take parts times nodes.
        halo.iter().for_each(|&node| self.local[node as usize] = OUTSIDE);
        let [node_features, edge_features] = cut.features(number);
        let inner_nodes = own.len();
        let node_ids = own.chain(halo).map(i64::from).collect();
        let halo_hops = cut.hops();
        Part {
            number,
            node_ids,
            inner_nodes,
            sources,
            targets,
            edge_ids,
            inner_edges,
            halo_hops,
            node_features,
            edge_features,
        }
    }
}

impl Iterator for Parts<'_> {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        if self.next == self.cut.book().parts() {
            return None;
        }
        self.next += 1;
        Some(self.make(self.next - 1))
    }
}
