//! [`InEdges`]: the edges that lead to each node.

use graphpack_loader::MappedFile;

/// Edges ordered by target and then by id, for walks against their direction: 8 bytes per node and 8 per edge, in
/// memory or in files.
#[derive(Debug)]
pub(crate) struct InEdges {
    /// First edge to each node, and the end of the last.
    pub(super) starts: Numbers<u64>,
    /// Source and id of each edge.
    pub(super) edges: Numbers<[u32; 2]>,
}

/// A list in memory or in a file without a name.
#[derive(Debug)]
pub(super) enum Numbers<T> {
    Memory(Vec<T>),
    File(MappedFile),
}

impl<T: bytemuck::Pod> Numbers<T> {
    fn all(&self) -> &[T] {
        match self {
            Self::Memory(numbers) => numbers,
            // Written by this process as such; a mapped file starts at a page.
            Self::File(file) => bytemuck::cast_slice(file.bytes()),
        }
    }
}

impl InEdges {
    /// Indexes the edges of a graph with `nodes` nodes. `all` iterates over sources and targets in the order of the
    /// edges' ids.
    pub(crate) fn new<E: Iterator<Item = (u32, u32)>>(nodes: usize, all: impl Fn() -> E) -> Self {
        let (starts, edges) = sorted(nodes, 0, all);
        Self { starts: Numbers::Memory(starts), edges: Numbers::Memory(edges) }
    }

    /// Number of edges.
    pub(crate) fn edges(&self) -> usize {
        self.edges.all().len()
    }

    /// The largest number of edges that lead to one node.
    pub(crate) fn most(&self) -> usize {
        self.starts.all().windows(2).map(|range| range[1] - range[0]).max().unwrap_or(0) as usize
    }

    /// Source and id of each edge to a node.
    pub(crate) fn of(&self, node: u32) -> &[[u32; 2]] {
        let starts = self.starts.all();
        &self.edges.all()[starts[node as usize] as usize..starts[node as usize + 1] as usize]
    }
}

/// Where the edges to each node start, and the end of the last; source and id of each edge. Ids count from `first`.
pub(super) fn sorted<E: Iterator<Item = (u32, u32)>>(
    nodes: usize,
    first: u32,
    all: impl Fn() -> E,
) -> (Vec<u64>, Vec<[u32; 2]>) {
    let mut starts = vec![0; nodes + 1];
    all().for_each(|(_, target)| starts[target as usize + 1] += 1);
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let mut edges = vec![[0; 2]; starts[nodes] as usize];
    let mut next = starts.clone();
    // `for_each` is faster than `for` over nested iterators.
    all().zip(first..).for_each(|((source, target), edge)| {
        let next = &mut next[target as usize];
        edges[*next as usize] = [source, edge];
        *next += 1;
    });
    (starts, edges)
}
