//! [`EdgeIds`]: the global id of each edge, from the numbers of edges of each chunk.

use crate::{ChunkedEdges, ChunkedGraph, PartitionBook};

/// The global id of each edge. Ids of a part and type keep the original order, so that those of a chunk are a range.
pub(super) struct EdgeIds {
    book: PartitionBook,
    /// Number of edges that lead out of each part.
    outward: Vec<u64>,
    /// For each type, the original position of the first edge of each chunk.
    chunks: Vec<Vec<u64>>,
    /// For each type, the global id of the first edge of each chunk and part, `[chunk * parts + part]`.
    firsts: Vec<Vec<i64>>,
}

impl EdgeIds {
    /// `nodes` is the book of nodes. For each type, `counts` is the number of edges of each chunk that each part owns,
    /// `[chunk * parts + part]`.
    pub(super) fn new(graph: &ChunkedGraph, nodes: &PartitionBook, counts: Vec<Vec<u64>>, outward: Vec<u64>) -> Self {
        let (types, parts) = (nodes.node_types(), nodes.parts());
        let node_counts: Vec<Vec<usize>> = (0..types.len())
            .map(|kind| (0..parts).map(|part| nodes.node_range(kind, part).count()).collect())
            .collect();
        let sum = |counts: &[u64], part: usize| counts.iter().skip(part).step_by(parts).sum::<u64>() as usize;
        let edge_counts: Vec<Vec<usize>> =
            counts.iter().map(|counts| (0..parts).map(|part| sum(counts, part)).collect()).collect();
        let edges = graph.edge_types();
        let names = edges.iter().map(|edges| edges.name().clone()).collect();
        let book = PartitionBook::new(types.to_vec(), &node_counts, names, &edge_counts);
        let firsts = counts.into_iter().enumerate().map(|(kind, counts)| {
            let mut next: Vec<i64> = (0..parts).map(|part| book.edge_range(kind, part).start).collect();
            let first = |(at, count): (usize, u64)| {
                let next = &mut next[at % parts];
                *next += count as i64;
                *next - count as i64
            };
            counts.into_iter().enumerate().map(first).collect()
        });
        let firsts = firsts.collect();
        let chunks = edges.iter().map(starts).collect();
        Self { book, outward, chunks, firsts }
    }

    pub(super) fn book(&self) -> &PartitionBook {
        &self.book
    }

    /// Number of edges from the nodes of a part to others.
    pub(super) fn outward(&self, part: usize) -> usize {
        self.outward[part] as usize
    }

    /// Number of all edges between parts.
    pub(super) fn edge_cut(&self) -> u64 {
        self.outward.iter().sum()
    }

    /// The global id of an edge: `position` is an original one in its chunk, and `number` counts the edges of the chunk
    /// that its part owns.
    pub(super) fn id(&self, kind: usize, position: u64, part: usize, number: u64) -> i64 {
        // The last chunk that starts there is not empty.
        let chunk = self.chunks[kind].partition_point(|&start| start <= position) - 1;
        self.firsts[kind][chunk * self.book.parts() + part] + number as i64
    }
}

fn starts(edges: &ChunkedEdges) -> Vec<u64> {
    let next = |sum: &mut u64, edges: usize| {
        *sum += edges as u64;
        Some(*sum - edges as u64)
    };
    edges.chunks().scan(0, next).collect()
}
