//! [`Links`]: edges of clusters, ordered by the cluster that they come from.

use std::ops::Range;

/// Edges ordered by the cluster of their target, then by the part of their source, then by id, so that the edges
/// between two clusters are one block.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Where the blocks of each cluster start, and the end of the last.
    starts: Vec<usize>,
    blocks: Vec<Block>,
    /// Ends of each edge, numbered within the part that owns the node.
    sources: Vec<u32>,
    targets: Vec<u32>,
}

/// Edges from one part into one cluster.
#[derive(Debug)]
struct Block {
    /// The number of the part; after [`Links::finish`] the position of its cluster.
    from: usize,
    edges: Range<usize>,
}

/// The position of a cluster that does not exist.
const ABSENT: usize = usize::MAX;

impl Links {
    /// Adds a cluster, given the part and local id of each edge's source and the local id of its target. Returns the
    /// order in which the edges are kept.
    pub(super) fn add(&mut self, sources: &[(usize, u32)], targets: &[i64]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..sources.len() as u32).collect();
        order.sort_by_key(|&edge| sources[edge as usize].0);
        self.starts.push(self.blocks.len());
        for &edge in &order {
            let (from, source) = sources[edge as usize];
            let at = self.sources.len();
            let open = self.starts.last().is_some_and(|&start| start < self.blocks.len());
            match self.blocks.last_mut().filter(|block| open && block.from == from) {
                Some(block) => block.edges.end = at + 1,
                None => self.blocks.push(Block { from, edges: at..at + 1 }),
            }
            self.sources.push(source);
            self.targets.push(targets[edge as usize] as u32);
        }
        order
    }

    /// Replaces numbers of parts by positions of clusters.
    pub(super) fn finish(&mut self, position: &[Option<usize>]) {
        self.starts.push(self.blocks.len());
        for block in &mut self.blocks {
            block.from = position.get(block.from).copied().flatten().unwrap_or(ABSENT);
        }
    }

    /// The edges into a cluster, by the cluster that they come from.
    pub(super) fn towards(&self, cluster: usize) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        let blocks = &self.blocks[self.starts[cluster]..self.starts[cluster + 1]];
        blocks.iter().filter(|block| block.from != ABSENT).map(|block| (block.from, block.edges.clone()))
    }

    /// The edges within a cluster.
    pub(super) fn within(&self, cluster: usize) -> Range<usize> {
        self.towards(cluster).find(|(from, _)| *from == cluster).map_or(0..0, |(_, edges)| edges)
    }

    /// Sources and targets of some edges.
    pub(super) fn ends(&self, edges: Range<usize>) -> [&[u32]; 2] {
        [&self.sources[edges.clone()], &self.targets[edges]]
    }

    /// Sources and targets of all edges.
    pub(super) fn all_ends(&self) -> [&[u32]; 2] {
        [&self.sources, &self.targets]
    }
}
