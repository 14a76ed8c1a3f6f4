//! [`Undirected`]: the graph that METIS and other partitioners see.

use crate::LargeGraph;
use std::ops::Range;

/// All types as one undirected graph without loops and parallel edges, as DGL gives it to METIS.
pub(super) struct Undirected {
    /// First neighbour of each node, and the end of the last.
    pub(super) starts: Vec<usize>,
    /// Neighbours, ascending for each node.
    pub(super) neighbours: Vec<u32>,
}

/// Ends of edges that are sorted at a time.
const SLICE: usize = 1 << 28;

/// The edges of all types, between nodes that are numbered type by type.
struct Ends<'a> {
    graph: &'a LargeGraph,
    types: &'a [[usize; 2]],
    offsets: Vec<usize>,
}

impl Ends<'_> {
    /// Both ends of each edge that is no loop.
    fn all(&self) -> impl Iterator<Item = [usize; 2]> {
        let pairs = self.graph.edge_types.iter().zip(self.types).flat_map(|(edges, &[from, to])| {
            let (from, to) = (self.offsets[from], self.offsets[to]);
            let ends = edges.sources.iter().zip(&edges.targets);
            ends.map(move |(&source, &target)| [from + source as usize, to + target as usize])
        });
        pairs.filter(|[source, target]| source != target)
    }

    /// Calls `each` with the neighbours of each node of a range, ascending and without repeats; `starts` has where they
    /// would start with repeats.
    fn slice(&self, nodes: Range<usize>, starts: &[usize], mut each: impl FnMut(&[u32])) {
        let first = starts[nodes.start];
        let mut next: Vec<usize> = starts[nodes.clone()].iter().map(|start| start - first).collect();
        let mut neighbours = vec![0_u32; starts[nodes.end] - first];
        for [source, target] in self.all() {
            for (node, neighbour) in [(source, target), (target, source)] {
                if nodes.contains(&node) {
                    let next = &mut next[node - nodes.start];
                    neighbours[*next] = neighbour as u32;
                    *next += 1;
                }
            }
        }
        for node in nodes {
            let of = &mut neighbours[starts[node] - first..starts[node + 1] - first];
            of.sort_unstable();
            let mut kept = 0;
            for at in 0..of.len() {
                if kept == 0 || of[kept - 1] != of[at] {
                    of[kept] = of[at];
                    kept += 1;
                }
            }
            each(&of[..kept]);
        }
    }
}

impl Undirected {
    /// `types` are the types of sources and targets of each type of edges. If there are more than `most` ends of edges,
    /// fails with their number, before any memory but 8 bytes per node and that of a slice is taken.
    pub(super) fn new(graph: &LargeGraph, types: &[[usize; 2]], most: usize) -> Result<Self, usize> {
        let ends = Ends { graph, types, offsets: graph.offsets() };
        let mut starts = vec![0_usize; graph.nodes() + 1];
        for node in ends.all().flatten() {
            starts[node + 1] += 1;
        }
        for node in 0..graph.nodes() {
            starts[node + 1] += starts[node];
        }
        let all = starts[graph.nodes()];
        if all > most {
            // They may fit nevertheless: edges of both directions are there twice.
            let mut distinct = 0;
            slices(&starts, SLICE).for_each(|nodes| ends.slice(nodes, &starts, |of| distinct += of.len()));
            if distinct > most {
                return Err(distinct);
            }
        }
        let mut undirected = Self { starts: vec![0], neighbours: Vec::new() };
        for nodes in slices(&starts, SLICE) {
            ends.slice(nodes, &starts, |of| {
                undirected.neighbours.extend_from_slice(of);
                undirected.starts.push(undirected.neighbours.len());
            });
        }
        Ok(undirected)
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The neighbours of a node, ascending.
    pub(super) fn of(&self, node: usize) -> &[u32] {
        &self.neighbours[self.starts[node]..self.starts[node + 1]]
    }
}

/// Ranges of nodes with at most `most` ends each, or of a single node.
fn slices(starts: &[usize], most: usize) -> impl Iterator<Item = Range<usize>> {
    let nodes = starts.len() - 1;
    let mut start = 0;
    std::iter::from_fn(move || {
        let end = starts.partition_point(|&end| end <= starts[start].saturating_add(most)) - 1;
        let range = start..end.max(start + 1).min(nodes);
        start = range.end;
        (!range.is_empty()).then_some(range)
    })
}

#[cfg(test)]
mod tests {
    use super::Undirected;
    use crate::{EdgeType, LargeGraph, NodeType};

    #[test]
    fn edges_lead_both_ways_once_and_loops_nowhere() {
        let node = |name: &str, nodes| NodeType { name: name.into(), nodes, ..NodeType::default() };
        let edge = |name: [&str; 3], sources: &[i64], targets: &[i64]| EdgeType {
            name: name.map(str::to_owned),
            sources: sources.to_vec(),
            targets: targets.to_vec(),
            features: Vec::new(),
        };
        let graph = LargeGraph {
            name: "g".into(),
            node_types: vec![node("a", 3), node("b", 2)],
            edge_types: vec![
                edge(["a", "r", "a"], &[0, 1, 0, 2], &[1, 0, 1, 2]),
                edge(["b", "s", "a"], &[1, 1], &[2, 0]),
            ],
        };
        let ends = graph.ends().unwrap();
        let undirected = Undirected::new(&graph, &ends, 6).unwrap_or_else(|count| panic!("{count} ends"));
        let neighbours: Vec<&[u32]> = (0..5).map(|node| undirected.of(node)).collect();
        assert_eq!(neighbours, [&[1, 4][..], &[0], &[4], &[], &[0, 2]]);
        assert_eq!(Undirected::new(&graph, &ends, 5).err(), Some(6), "too many ends");
    }
}
