//! [`Halo`]: the HALO of a cluster, and its edges.

/// The edges of a part, and where the features of its HALO are.
#[derive(Debug)]
pub(super) struct Halo {
    /// Rows of the HALO's nodes among those of all clusters.
    nodes: Vec<u32>,
    /// Ends of all edges, as nodes of the part.
    ends: [Vec<u32>; 2],
    /// Rows of all edges, where edges have features.
    edges: Vec<u32>,
}

impl Halo {
    /// `sources` and `targets` are those of the part; rows follow once all parts are there.
    pub(super) fn new(sources: &[i64], targets: &[i64]) -> Self {
        let ends = [sources, targets].map(|ids| ids.iter().map(|&id| id as u32).collect());
        Self { nodes: Vec::new(), ends, edges: Vec::new() }
    }

    /// Says where the features of the HALO's nodes and of all edges are.
    pub(super) fn set_rows(&mut self, nodes: Vec<u32>, edges: Vec<u32>) {
        (self.nodes, self.edges) = (nodes, edges);
    }

    /// Number of nodes of the HALO.
    pub(super) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Number of edges of the part.
    pub(super) fn edges(&self) -> usize {
        self.ends[0].len()
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        4 * (self.nodes.len() + self.ends[0].len() + self.ends[1].len() + self.edges.len())
    }

    /// Rows of the HALO's nodes.
    pub(super) fn node_rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.nodes.iter().map(|&row| row as usize)
    }

    /// Rows of all edges.
    pub(super) fn edge_rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.edges.iter().map(|&row| row as usize)
    }

    /// Sources and targets.
    pub(super) fn ends(&self) -> [&[u32]; 2] {
        self.ends.each_ref().map(Vec::as_slice)
    }

    /// All that tells it from others.
    pub(super) fn lists(&self) -> [&[u32]; 3] {
        [&self.nodes, &self.ends[0], &self.ends[1]]
    }
}
