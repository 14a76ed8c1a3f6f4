//! [`InEdges`]: the edges that lead to each node.

/// Edges ordered by target and then by id, for walks against their direction.
#[derive(Debug)]
pub(crate) struct InEdges {
    /// First edge to each node, and the end of the last.
    starts: Vec<usize>,
    /// Source and id of each edge.
    edges: Vec<(u32, u32)>,
}

impl InEdges {
    /// Indexes the edges of a graph with `nodes` nodes. `all` iterates over sources and targets in the order of the
    /// edges' ids.
    pub(crate) fn new<E: Iterator<Item = (u32, u32)>>(nodes: usize, all: impl Fn() -> E) -> Self {
        let mut starts = vec![0; nodes + 1];
        all().for_each(|(_, target)| starts[target as usize + 1] += 1);
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut edges = vec![(0, 0); starts[nodes]];
        let mut next = starts.clone();
        // `for_each` is faster than `for` over nested iterators.
        all().enumerate().for_each(|(edge, (source, target))| {
            let next = &mut next[target as usize];
            edges[*next] = (source, edge as u32);
            *next += 1;
        });
        Self { starts, edges }
    }

    /// Number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of edges.
    pub(crate) fn edges(&self) -> usize {
        self.edges.len()
    }

    /// The largest number of edges that lead to one node.
    pub(crate) fn most(&self) -> usize {
        self.starts.windows(2).map(|range| range[1] - range[0]).max().unwrap_or(0)
    }

    /// Source and id of each edge to a node.
    pub(crate) fn of(&self, node: u32) -> &[(u32, u32)] {
        &self.edges[self.starts[node as usize]..self.starts[node as usize + 1]]
    }
}
