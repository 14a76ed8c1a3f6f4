//! [`Undirected`]: the graph that METIS sees.

use crate::LargeGraph;

/// All types as one undirected graph without loops and parallel edges, as DGL gives it to METIS.
pub(super) struct Undirected {
    /// First neighbour of each node, and the end of the last.
    starts: Vec<i32>,
    /// Neighbours, ascending for each node.
    neighbours: Vec<i32>,
}

impl Undirected {
    /// `ends` are the types of sources and targets of each type of edges. Fails with the number of ends of edges if
    /// that exceeds `most`.
    pub(super) fn new(graph: &LargeGraph, ends: &[[usize; 2]], most: usize) -> Result<Self, usize> {
        let offsets = graph.offsets();
        let edges = || {
            graph.edge_types.iter().zip(ends).flat_map(|(edges, &[from, to])| {
                let (from, to) = (offsets[from], offsets[to]);
                let ends = edges.sources.iter().zip(&edges.targets);
                ends.map(move |(&source, &target)| (from + source as usize, to + target as usize))
            })
        };
        let mut next = vec![0_usize; graph.nodes() + 1];
        for (source, target) in edges().filter(|(source, target)| source != target) {
            next[source + 1] += 1;
            next[target + 1] += 1;
        }
        for node in 0..graph.nodes() {
            next[node + 1] += next[node];
        }
        let mut neighbours = vec![0; next[graph.nodes()]];
        for (source, target) in edges().filter(|(source, target)| source != target) {
            neighbours[next[source]] = target as i32;
            neighbours[next[target]] = source as i32;
            next[source] += 1;
            next[target] += 1;
        }
        // `next` now has the end of each node's neighbours, which is the start of the next node's.
        let (mut starts, mut start, mut kept) = (vec![0], 0, 0);
        for &end in &next[..graph.nodes()] {
            neighbours[start..end].sort_unstable();
            let first = kept;
            for at in start..end {
                let neighbour = neighbours[at];
                if kept == first || neighbours[kept - 1] != neighbour {
                    neighbours[kept] = neighbour;
                    kept += 1;
                }
            }
            starts.push(kept as i32);
            start = end;
        }
        if kept > most {
            return Err(kept);
        }
        neighbours.truncate(kept);
        Ok(Self { starts, neighbours })
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where the neighbours of each node start among [`Undirected::neighbours`], and the end of the last.
    pub(super) fn starts(&self) -> &[i32] {
        &self.starts
    }

    /// The neighbours of all nodes, ascending for each.
    pub(super) fn neighbours(&self) -> &[i32] {
        &self.neighbours
    }

    /// The neighbours of a node, ascending.
    pub(super) fn of(&self, node: usize) -> &[i32] {
        &self.neighbours[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
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
        let neighbours: Vec<&[i32]> = (0..5).map(|node| undirected.of(node)).collect();
        assert_eq!(neighbours, [&[1, 4][..], &[0], &[4], &[], &[0, 2]]);
        assert_eq!(Undirected::new(&graph, &ends, 5).err(), Some(6), "too many ends");
    }
}
