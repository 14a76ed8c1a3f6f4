//! [`Cut`]: a graph, cut into the parts of an assignment.

use super::PartitionBook;
use crate::assign::Assignment;
use crate::graph::InEdges;
use crate::problem::problem;
use crate::{Array, LargeGraph};
use graphpack_loader::{Error, ErrorKind};
use std::ops::Range;

/// A graph, cut into the parts of an [`Assignment`].
///
/// Global ids of nodes count part by part, within a part type by type, within a type in the original order. Global ids
/// of edges count in the same way; an edge belongs to the part that owns its target. Types keep the order of the graph.
///
/// With H hops, the HALO of a part has the nodes of other parts from which a path of at most H edges leads to a node
/// that the part owns, and those that edges of its own nodes lead to. The part has all edges into its own nodes, all
/// edges out of them, and all edges into nodes of its HALO that are at most H - 1 hops away: what DGL's
/// `partition_graph` writes.
///
/// Besides the graph it keeps only ids: 8 bytes per node, 4 bytes per edge, 4 more per edge between parts, and 8 more
/// per edge if H is more than 1.
///
/// ```
/// use graphpack_partition::{Assignment, Cut, EdgeType, LargeGraph, NodeType};
///
/// let node = NodeType { name: "_N".into(), nodes: 4, ..NodeType::default() };
/// let name = ["_N".into(), "_E".into(), "_N".into()];
/// let edge = EdgeType { name, sources: vec![0, 1, 2], targets: vec![1, 2, 3], features: Vec::new() };
/// let graph = LargeGraph { name: "path".into(), node_types: vec![node], edge_types: vec![edge] };
///
/// let assignment = Assignment::new(2, vec![vec![1, 0, 1, 0]])?;
/// let cut = Cut::new(&graph, &assignment, 1)?;
/// assert_eq!(cut.node_map(0), [1, 3, 0, 2]); // nodes 1 and 3 are in part 0
/// let part = cut.part(0).ok_or("there is one")?;
/// assert_eq!((part.node_ids, part.inner_nodes), (vec![0, 1, 2, 3], 2));
/// // Edges 0 -> 1 and 2 -> 3 into the part, and 1 -> 2 out of it.
/// assert_eq!((part.sources, part.targets), (vec![2, 3, 0], vec![0, 1, 3]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Cut<'a> {
    graph: &'a LargeGraph,
    book: PartitionBook,
    /// Types of sources and targets of each type of edges.
    ends: Vec<[usize; 2]>,
    /// The first node of each type if all are numbered type by type, as the old ids are.
    offsets: Vec<usize>,
    /// The global id of each node, by its old id.
    new_node: Vec<u32>,
    /// The old id of each node, by its global id.
    old_node: Vec<u32>,
    /// The position of each edge in its type, by its global id.
    old_edge: Vec<u32>,
    /// Global ids of the edges whose source is in another part, by the part of the source, ascending.
    outward: Vec<u32>,
    /// Where those of each part start, and the end of the last.
    outward_starts: Vec<usize>,
    hops: usize,
    /// If there is more than one hop.
    in_edges: Option<InEdges>,
}

impl<'a> Cut<'a> {
    /// Checks the graph and cuts it, with a HALO of `hops` hops; DGL's default is 1.
    pub fn new(graph: &'a LargeGraph, assignment: &Assignment, hops: usize) -> Result<Self, Error> {
        if hops == 0 {
            return Err(problem(ErrorKind::Options, format!("a HALO of {hops} hops, expected at least 1")));
        }
        let ends = graph.ends()?;
        assignment.check(graph)?;
        let parts = assignment.parts();
        let owner = |kind: usize| &assignment.owners()[kind];
        let node_counts: Vec<_> = (0..graph.node_types.len()).map(|kind| assignment.counts(kind)).collect();
        let edge_counts = graph.edge_types.iter().zip(&ends).map(|(edges, &[_, to])| {
            let mut counts = vec![0; parts];
            edges.targets.iter().for_each(|&target| counts[usize::from(owner(to)[target as usize])] += 1);
            counts
        });
        let edge_counts: Vec<_> = edge_counts.collect();
        let names = graph.node_types.iter().map(|kind| kind.name.clone()).collect();
        let edge_names = graph.edge_types.iter().map(|kind| kind.name.clone()).collect();
        let book = PartitionBook::new(names, &node_counts, edge_names, &edge_counts);

        // A counting sort by part for each type, into the book's ranges of ids: in one pass, and nodes of a part keep
        // their order.
        let (mut new_node, mut old_node) = (Vec::with_capacity(graph.nodes()), vec![0; graph.nodes()]);
        for kind in 0..graph.node_types.len() {
            let mut next: Vec<_> = (0..parts).map(|part| book.node_range(kind, part).start as u32).collect();
            for &part in owner(kind) {
                let next = &mut next[usize::from(part)];
                old_node[*next as usize] = new_node.len() as u32;
                new_node.push(*next);
                *next += 1;
            }
        }
        let mut old_edge = vec![0; graph.edges()];
        for (kind, (edges, &[_, to])) in graph.edge_types.iter().zip(&ends).enumerate() {
            let mut next: Vec<_> = (0..parts).map(|part| book.edge_range(kind, part).start as usize).collect();
            for (edge, &target) in edges.targets.iter().enumerate() {
                let next = &mut next[usize::from(owner(to)[target as usize])];
                old_edge[*next] = edge as u32;
                *next += 1;
            }
        }
        let offsets = graph.offsets();
        let (outward, outward_starts, in_edges) = (Vec::new(), vec![0; parts + 1], None);
        let mut cut =
            Self { graph, book, ends, offsets, new_node, old_node, old_edge, outward, outward_starts, hops, in_edges };
        cut.find_outward(assignment);
        // One hop needs no walk: its edges are those that the part owns.
        if hops > 1 {
            let all = || (0..parts).flat_map(|part| cut.inner_edges(part));
            cut.in_edges = Some(InEdges::new(cut.new_node.len(), all));
        }
        Ok(cut)
    }

    /// Sorts the edges between parts by the part of their source.
    fn find_outward(&mut self, assignment: &Assignment) {
        let crossing = |each: &mut dyn FnMut(usize, u32)| {
            for part in 0..self.book.parts() {
                for (kind, (edges, &[from, _])) in self.graph.edge_types.iter().zip(&self.ends).enumerate() {
                    let owners = &assignment.owners()[from];
                    for (id, &edge) in self.book.edge_range(kind, part).zip(self.old_edges(kind, part)) {
                        let owner = usize::from(owners[edges.sources[edge as usize] as usize]);
                        if owner != part {
                            each(owner, id as u32);
                        }
                    }
                }
            }
        };
        // Counts first and places then: a list per part would take twice the memory while it grows.
        let mut starts = vec![0; self.book.parts() + 1];
        crossing(&mut |owner, _| starts[owner + 1] += 1);
        for part in 0..self.book.parts() {
            starts[part + 1] += starts[part];
        }
        let (mut next, mut outward) = (starts.clone(), vec![0; starts[self.book.parts()]]);
        crossing(&mut |owner, id| {
            outward[next[owner]] = id;
            next[owner] += 1;
        });
        (self.outward, self.outward_starts) = (outward, starts);
    }

    /// Which part has which global ids.
    pub fn book(&self) -> &PartitionBook {
        &self.book
    }

    /// Hops of the HALO.
    pub fn hops(&self) -> usize {
        self.hops
    }

    /// The original id of each node of a type, by its new id within the type, as DGL's `return_mapping` returns it.
    /// Empty if there is no such type.
    pub fn node_map(&self, kind: usize) -> Vec<i64> {
        (0..self.book.parts()).flat_map(|part| self.original_nodes(kind, part)).collect()
    }

    /// The original id of each edge of a type, by its new id within the type.
    pub fn edge_map(&self, kind: usize) -> Vec<i64> {
        (0..self.book.parts()).flat_map(|part| self.original_edges(kind, part)).collect()
    }

    /// Original ids of the nodes of a type that a part owns, ascending.
    pub fn original_nodes(&self, kind: usize, part: usize) -> Vec<i64> {
        let Some(offset) = self.offsets[..self.graph.node_types.len()].get(kind) else { return Vec::new() };
        self.old_nodes(kind, part).iter().map(|&old| (old as usize - offset) as i64).collect()
    }

    /// Original ids of the edges of a type that a part owns, ascending.
    pub fn original_edges(&self, kind: usize, part: usize) -> Vec<i64> {
        self.old_edges(kind, part).iter().map(|&old| old.into()).collect()
    }

    fn old_nodes(&self, kind: usize, part: usize) -> &[u32] {
        if kind >= self.graph.node_types.len() || part >= self.book.parts() {
            return &[];
        }
        &self.old_node[positions(self.book.node_range(kind, part))]
    }

    fn old_edges(&self, kind: usize, part: usize) -> &[u32] {
        if kind >= self.graph.edge_types.len() || part >= self.book.parts() {
            return &[];
        }
        &self.old_edge[positions(self.book.edge_range(kind, part))]
    }

    /// The edges that lead to each node, where the HALO has more than one hop.
    pub(super) fn in_edges(&self) -> Option<&InEdges> {
        self.in_edges.as_ref()
    }

    /// Global ids of source and target of the edges that a part owns, in the order of their ids.
    pub(super) fn inner_edges(&self, part: usize) -> impl Iterator<Item = (u32, u32)> {
        self.graph.edge_types.iter().zip(&self.ends).enumerate().flat_map(move |(kind, (edges, &[from, to]))| {
            let (from, to) = (&self.new_node[self.offsets[from]..], &self.new_node[self.offsets[to]..]);
            self.old_edges(kind, part).iter().map(move |&edge| {
                (from[edges.sources[edge as usize] as usize], to[edges.targets[edge as usize] as usize])
            })
        })
    }

    /// The edges from nodes that a part owns to others, by ascending global id: id, source and target.
    pub(super) fn outward(&self, part: usize) -> impl Iterator<Item = (u32, u32, u32)> {
        self.outward[self.outward_starts[part]..self.outward_starts[part + 1]].iter().map(|&id| {
            let kind = self.book.edge(id.into()).map_or(0, |edge| edge.kind);
            let (edges, [from, to]) = (&self.graph.edge_types[kind], self.ends[kind].map(|end| self.offsets[end]));
            let edge = self.old_edge[id as usize] as usize;
            let new = |offset: usize, node: i64| self.new_node[offset + node as usize];
            (id, new(from, edges.sources[edge]), new(to, edges.targets[edge]))
        })
    }

    pub(super) fn features(&self, part: usize) -> [Vec<(String, Array)>; 2] {
        let mut all = [Vec::new(), Vec::new()];
        let mut add = |level: usize, kind: &str, features: &[(String, Array)], rows: &[u32], offset: usize| {
            for (name, array) in features {
                // The rows exist, or the graph would have been refused.
                let rows = rows.iter().map(|&old| old as usize - offset);
                all[level].extend(array.select(rows).map(|array| (format!("{kind}/{name}"), array)));
            }
        };
        for (number, kind) in self.graph.node_types.iter().enumerate() {
            add(0, &kind.name, &kind.features, self.old_nodes(number, part), self.offsets[number]);
        }
        for (number, kind) in self.graph.edge_types.iter().enumerate() {
            add(1, &kind.file_name(), &kind.features, self.old_edges(number, part), 0);
        }
        all
    }
}

fn positions(ids: Range<i64>) -> Range<usize> {
    ids.start as usize..ids.end as usize
}
