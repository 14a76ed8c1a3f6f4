//! [`Streaming`]: assignments of graphs that no memory holds, made while their edges are read.

use super::assignment::check_parts;
use super::{Assignment, AssignmentError, Quality};
use crate::{ChunkedError, ChunkedGraph};
use std::thread;

/// Assigns nodes to parts while edges are read, in 8 bytes of memory per node and a block of edges.
///
/// A block of edges is read, and each node in it goes where most of its neighbours are, less what it would add to the
/// fullest of nodes and edges there: Fennel (Tsourakakis et al., WSDM 2014) with the balance of both, restreamed
/// (Nishimura and Ugander, KDD 2013). A block that has all edges of a node at once decides best, so edges should be
/// sorted by source or target, or fit into the block. The same graph gives the same parts, whatever the number of
/// threads.
#[derive(Clone, Debug)]
pub struct Streaming {
    parts: usize,
    passes: usize,
    tolerance: f64,
    memory: usize,
    threads: usize,
}

/// A graph that cannot be assigned while it is read.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum StreamingError {
    /// Nodes are numbered with 32 bits.
    #[error("{nodes} nodes, at most {} are assigned while edges are read", u32::MAX)]
    Nodes {
        /// Number of nodes of all types.
        nodes: usize,
    },
    /// The number of parts is out of range.
    #[error("{parts} parts, at most {} are assigned while edges are read", UNASSIGNED)]
    Parts {
        /// The number.
        parts: usize,
    },
    /// The graph cannot be read.
    #[error(transparent)]
    Chunked(#[from] ChunkedError),
    /// The number of parts is out of range.
    #[error(transparent)]
    Assignment(#[from] AssignmentError),
}

graphpack_core::debug_is_display!(StreamingError);

const UNASSIGNED: u16 = u16::MAX;
/// What a neighbour is worth against a part that is as full as the mean, per neighbour of the node.
const FULLNESS: f64 = 0.5;
/// The same for what exceeds the tolerance.
const EXCESS: f64 = 50.0;
/// The most nodes that are placed without seeing each other's new places.
const MOST_ROUND: usize = 8192;
/// Below this many nodes in a round, starting threads takes longer than they save.
const LEAST_SHARED: usize = 512;

impl Streaming {
    /// Assigns to `parts` parts with the default options.
    pub fn new(parts: usize) -> Self {
        Self { parts, passes: 3, tolerance: 1.04, memory: 1 << 30, threads: 1 }
    }

    /// How often edges are read to place nodes (default: 3), besides once to count them and once to measure the cut.
    #[must_use]
    pub fn passes(mut self, passes: usize) -> Self {
        self.passes = passes.max(1);
        self
    }

    /// The amount of nodes or edges of a part, divided by the mean, from which on it is avoided (default: 1.04). Parts
    /// may exceed it.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Bytes of a block of edges in memory, 16 per edge (default: 1 GiB).
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Number of threads that place nodes (default: 1).
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Computes the part of each node, and measures the assignment. `progress` is called with a number of edges that
    /// were read.
    pub fn assign(
        &self,
        graph: &ChunkedGraph,
        progress: &dyn Fn(usize),
    ) -> Result<(Assignment, Quality), StreamingError> {
        check_parts(self.parts)?;
        if self.parts > usize::from(UNASSIGNED) {
            return Err(StreamingError::Parts { parts: self.parts });
        }
        let stream = Stream::new(graph, progress)?;
        let most = (self.memory / 16).min(stream.edges).max(1024);
        graph.expect_memory(stream.nodes().saturating_mul(8).saturating_add(most.saturating_mul(16)))?;
        let mut places = Places::new(stream.nodes(), self.parts, self.tolerance);
        stream.each(|_, target| places.in_edges[target] = places.in_edges[target].saturating_add(1))?;
        places.mean_edges = places.in_edges.iter().map(|&edges| f64::from(edges)).sum::<f64>() / self.parts as f64;
        for _ in 0..self.passes {
            places.near.fill(0);
            let mut pairs: Vec<u64> = Vec::with_capacity(2 * most);
            stream.each(|source, target| {
                if source != target {
                    pairs.push((source as u64) << 32 | target as u64);
                    pairs.push((target as u64) << 32 | source as u64);
                }
                if pairs.len() >= 2 * most {
                    places.block(&mut pairs, self.threads);
                    pairs.clear();
                }
            })?;
            places.block(&mut pairs, self.threads);
        }
        places.rest();
        let mut edge_cut = 0;
        stream.each(|source, target| edge_cut += usize::from(places.owners[source] != places.owners[target]))?;
        let ratio = |most: u64, mean: f64| if mean > 0.0 { most as f64 / mean } else { 1.0 };
        let [nodes, edges] = [&places.nodes, &places.edges].map(|counts| counts.iter().copied().max().unwrap_or(0));
        let imbalance = vec![
            ("nodes".into(), ratio(nodes, places.mean_nodes)),
            ("in-edges".into(), ratio(edges, places.mean_edges)),
        ];
        let quality = Quality { edge_cut, edges: stream.edges, imbalance };
        let owners = stream.offsets.windows(2).map(|range| places.owners[range[0]..range[1]].to_vec()).collect();
        Ok((Assignment::new(self.parts, owners)?, quality))
    }
}

/// The edges of all types, between nodes that are numbered type by type.
struct Stream<'a> {
    graph: &'a ChunkedGraph,
    progress: &'a dyn Fn(usize),
    offsets: Vec<usize>,
    /// Types of sources and targets of each type of edges.
    ends: Vec<[usize; 2]>,
    edges: usize,
}

impl<'a> Stream<'a> {
    fn new(graph: &'a ChunkedGraph, progress: &'a dyn Fn(usize)) -> Result<Self, StreamingError> {
        let mut offsets = vec![0_usize];
        for kind in graph.node_types() {
            offsets.push(offsets[offsets.len() - 1].saturating_add(kind.nodes()));
        }
        let nodes = offsets[offsets.len() - 1];
        if nodes > u32::MAX as usize {
            return Err(StreamingError::Nodes { nodes });
        }
        let kind_of =
            |name: &String| graph.node_types().iter().position(|kind| kind.name() == name).unwrap_or_default();
        let ends = graph.edge_types().iter().map(|edges| [kind_of(&edges.name()[0]), kind_of(&edges.name()[2])]);
        let edges = graph.edge_types().iter().fold(0, |edges: usize, kind| edges.saturating_add(kind.edges()));
        Ok(Self { graph, progress, offsets, ends: ends.collect(), edges })
    }

    fn nodes(&self) -> usize {
        self.offsets[self.offsets.len() - 1]
    }

    /// Calls `edge` with source and target of every edge.
    fn each(&self, mut edge: impl FnMut(usize, usize)) -> Result<(), ChunkedError> {
        for (edges, &[from, to]) in self.graph.edge_types().iter().zip(&self.ends) {
            let (from, to) = (self.offsets[from], self.offsets[to]);
            for range in (0..edges.chunks().len()).flat_map(|chunk| edges.ranges(chunk, 1 << 16)) {
                let range = range?;
                for (&source, &target) in range.sources.iter().zip(&range.targets) {
                    edge(from + source as usize, to + target as usize);
                }
                (self.progress)(range.ids.len());
            }
        }
        Ok(())
    }
}

/// Where nodes are, in 8 bytes per node.
struct Places {
    owners: Vec<u16>,
    /// Neighbours in the own part that blocks before had in this pass.
    near: Vec<u16>,
    in_edges: Vec<u32>,
    /// Nodes and edges of each part.
    nodes: Vec<u64>,
    edges: Vec<u64>,
    mean_nodes: f64,
    mean_edges: f64,
    tolerance: f64,
}

/// Numbers of a node's neighbours in each part, all 0 between two nodes.
struct Counts {
    of: Vec<u32>,
    parts: Vec<u16>,
}

impl Places {
    fn new(nodes: usize, parts: usize, tolerance: f64) -> Self {
        Self {
            owners: vec![UNASSIGNED; nodes],
            near: vec![0; nodes],
            in_edges: vec![0; nodes],
            nodes: vec![0; parts],
            edges: vec![0; parts],
            mean_nodes: nodes as f64 / parts as f64,
            mean_edges: 0.0,
            tolerance,
        }
    }

    /// Places the nodes of a block of pairs (node, neighbour).
    fn block(&mut self, pairs: &mut [u64], threads: usize) {
        sort(pairs, threads);
        let round = (self.owners.len() / (1000 * self.nodes.len())).clamp(1, MOST_ROUND);
        let mut runs: Vec<&[u64]> = Vec::with_capacity(round);
        let mut all = pairs.chunk_by(|one, other| one >> 32 == other >> 32);
        let mut counts: Vec<Counts> = (0..threads).map(|_| Counts::new(self.nodes.len())).collect();
        loop {
            runs.clear();
            runs.extend(all.by_ref().take(round));
            if runs.is_empty() {
                return;
            }
            let choices = self.choices(&runs, &mut counts);
            for (run, (part, near)) in runs.iter().zip(choices) {
                self.put((run[0] >> 32) as usize, part, near);
            }
        }
    }

    /// The best part of each node, and its neighbours there, as things are before any of them moves.
    fn choices(&self, runs: &[&[u64]], counts: &mut [Counts]) -> Vec<(u16, u16)> {
        let least = self.emptiest();
        let some = |runs: &[&[u64]], counts: &mut Counts| -> Vec<(u16, u16)> {
            runs.iter().map(|run| self.best(run, least, counts)).collect()
        };
        if runs.len() < LEAST_SHARED || counts.len() == 1 {
            return some(runs, &mut counts[0]);
        }
        let share = runs.len().div_ceil(counts.len());
        thread::scope(|scope| {
            let shares = runs.chunks(share).zip(counts).map(|(runs, counts)| scope.spawn(move || some(runs, counts)));
            let shares: Vec<_> = shares.collect();
            let joined =
                shares.into_iter().map(|share| share.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            joined.flatten().collect()
        })
    }

    /// The part with least of what it has most of.
    fn emptiest(&self) -> u16 {
        let full = |part: &usize| self.fullness(*part, 0, 0);
        (0..self.nodes.len()).min_by(|one, other| full(one).total_cmp(&full(other))).unwrap_or_default() as u16
    }

    /// The larger of nodes and edges of a part, divided by their means.
    fn fullness(&self, part: usize, nodes: i64, edges: i64) -> f64 {
        let nodes = self.nodes[part].saturating_add_signed(nodes) as f64 / self.mean_nodes;
        let edges = self.edges[part].saturating_add_signed(edges) as f64 / self.mean_edges.max(1.0);
        nodes.max(edges)
    }

    fn best(&self, run: &[u64], least: u16, counts: &mut Counts) -> (u16, u16) {
        let node = (run[0] >> 32) as usize;
        let own = self.owners[node];
        for pair in run {
            counts.add(self.owners[*pair as u32 as usize], 1);
        }
        counts.add(own, u32::from(self.near[node]));
        let degree = (run.len() + usize::from(self.near[node])) as f64;
        let edges = i64::from(self.in_edges[node]);
        let score = |part: u16| {
            // Its own part is judged as if it were not there yet.
            let (nodes, edges) = if part == own { (0, 0) } else { (1, edges) };
            let full = self.fullness(part.into(), nodes, edges);
            f64::from(counts.of[usize::from(part)])
                - degree * (FULLNESS * full + EXCESS * (full - self.tolerance).max(0.0))
        };
        let mut best = (if own == UNASSIGNED { least } else { own }, f64::NEG_INFINITY);
        // Among equals the own part, then the emptiest, then the one that was counted first.
        for part in [own, least].into_iter().chain(counts.parts.iter().copied()).filter(|&part| part != UNASSIGNED) {
            let score = score(part);
            if score > best.1 {
                best = (part, score);
            }
        }
        let near = counts.of[usize::from(best.0)].min(u16::MAX.into()) as u16;
        counts.clear();
        (best.0, near)
    }

    fn put(&mut self, node: usize, part: u16, near: u16) {
        let (own, edges) = (self.owners[node], u64::from(self.in_edges[node]));
        self.near[node] = near;
        if own == part {
            return;
        }
        if own != UNASSIGNED {
            self.nodes[usize::from(own)] -= 1;
            self.edges[usize::from(own)] -= edges;
        }
        self.owners[node] = part;
        self.nodes[usize::from(part)] += 1;
        self.edges[usize::from(part)] += edges;
    }

    /// Places nodes without neighbours where there are fewest nodes.
    fn rest(&mut self) {
        let mut part = 0;
        for node in 0..self.owners.len() {
            if self.owners[node] == UNASSIGNED {
                while self.nodes[part] as f64 >= self.mean_nodes && part + 1 < self.nodes.len() {
                    part += 1;
                }
                self.put(node, part as u16, 0);
            }
        }
    }
}

impl Counts {
    fn new(parts: usize) -> Self {
        Self { of: vec![0; parts], parts: Vec::new() }
    }

    fn add(&mut self, part: u16, neighbours: u32) {
        if part == UNASSIGNED || neighbours == 0 {
            return;
        }
        let count = &mut self.of[usize::from(part)];
        if *count == 0 {
            self.parts.push(part);
        }
        *count += neighbours;
    }

    fn clear(&mut self) {
        self.parts.drain(..).for_each(|part| self.of[usize::from(part)] = 0);
    }
}

/// Sorts by several threads.
fn sort(pairs: &mut [u64], threads: usize) {
    if threads < 2 || pairs.len() < 1 << 16 {
        return pairs.sort_unstable();
    }
    let (middle, half) = (pairs.len() / 2, threads / 2);
    pairs.select_nth_unstable(middle);
    let (low, high) = pairs.split_at_mut(middle);
    thread::scope(|scope| {
        scope.spawn(|| sort(low, half));
        sort(high, threads - half);
    });
}
