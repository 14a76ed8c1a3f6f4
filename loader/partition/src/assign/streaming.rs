//! [`Streaming`]: assignments of graphs that no memory holds, made while their edges are read.

use super::assignment::check_parts;
use super::places::{Places, UNASSIGNED};
use super::{Assignment, Quality};
use crate::chunked::{ChunkedGraph, ChunkedNodes};
use crate::graph::starts;
use crate::problem::problem;
use graphpack_loader::{Error, ErrorKind};

/// Assigns nodes to parts while edges are read, in 8 bytes of memory per node and a block of edges.
///
/// A block of edges is read, and each node in it goes where most of its neighbours are, less what it would add to the
/// fuller of nodes of its type and edges there: Fennel (Tsourakakis et al., WSDM 2014) with the balance of both,
/// restreamed (Nishimura and Ugander, KDD 2013). A block that has all edges of a node at once decides best, so edges
/// should be sorted by source or target, or fit into the block. The same graph gives the same parts, whatever the
/// number of threads.
#[derive(Clone, Debug)]
pub struct Streaming {
    parts: usize,
    passes: usize,
    tolerance: f64,
    memory: usize,
    threads: usize,
}

impl Streaming {
    /// Assigns to `parts` parts with the default options.
    pub fn new(parts: usize) -> Self {
        Self { parts, passes: 3, tolerance: 1.04, memory: 1 << 30, threads: 1 }
    }

    /// How often edges are read to place nodes, at least 1 (default: 3), besides once to count them and once to measure
    /// the cut.
    #[must_use]
    pub fn passes(mut self, passes: usize) -> Self {
        self.passes = passes;
        self
    }

    /// The amount of nodes of a type, or of edges, of a part, divided by the mean, from which on it is avoided
    /// (default: 1.04). Parts may exceed it.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Bytes of a block of edges in memory, 16 per edge (default: 1 GiB). Where a block
    /// does not have all edges of a graph, more may be cut.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// The number of blocks that the edges of a graph are placed in, 1 if [`memory`](Self::memory) holds all of them.
    pub fn blocks(&self, graph: &ChunkedGraph) -> usize {
        graph.edges().div_ceil(self.block(graph)).max(1)
    }

    /// The most edges in a block.
    fn block(&self, graph: &ChunkedGraph) -> usize {
        (self.memory / 16).min(graph.edges()).max(1024)
    }

    /// Number of threads that place nodes, at least 1 (default: 1).
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Computes the part of each node, and measures the assignment. `progress` is called with a number of edges that
    /// were read.
    pub fn assign(&self, graph: &ChunkedGraph, progress: &dyn Fn(usize)) -> Result<(Assignment, Quality), Error> {
        check_parts(self.parts)?;
        if self.parts > usize::from(UNASSIGNED) {
            let text = format!("{} parts, at most {UNASSIGNED} are assigned while edges are read", self.parts);
            return Err(problem(ErrorKind::Options, text));
        }
        if !(self.tolerance > 1.0 && self.tolerance.is_finite()) {
            let text = format!("a tolerance of {}, expected more than 1", self.tolerance);
            return Err(problem(ErrorKind::Options, text));
        }
        if let Some((of, _)) = [("passes", self.passes), ("threads", self.threads)].into_iter().find(|it| it.1 == 0) {
            return Err(problem(ErrorKind::Options, format!("0 {of}, expected at least 1")));
        }
        let stream = Stream::new(graph, progress)?;
        let most = self.block(graph);
        let needed = stream.nodes().saturating_mul(8).saturating_add(most.saturating_mul(16));
        graph.expect_memory(needed, "8 bytes per node are needed; a smaller `memory` needs less for edges")?;
        let mut places = Places::new(stream.offsets.clone(), self.parts, self.tolerance);
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
        // The parts are copied type by type below, and take no more than these did.
        (places.near, places.in_edges) = (Vec::new(), Vec::new());
        let mut edge_cut = 0;
        stream.each(|source, target| edge_cut += usize::from(places.owners[source] != places.owners[target]))?;
        let ratio = |most: u64, mean: f64| if mean > 0.0 { most as f64 / mean } else { 1.0 };
        let most = |counts: &[u64]| counts.iter().copied().max().unwrap_or(0);
        let types = graph.node_types();
        let name =
            |kind: usize| if types.len() > 1 { format!("nodes of {}", types[kind].name()) } else { "nodes".into() };
        // As METIS's: types without nodes have nothing to balance.
        let kinds = (0..types.len()).filter(|&kind| types[kind].nodes() > 0);
        let of_nodes = kinds.map(|kind| (name(kind), ratio(most(&places.nodes[kind]), places.mean_nodes[kind])));
        let of_edges = ("in-edges".to_owned(), ratio(most(&places.edges), places.mean_edges));
        let imbalance = of_nodes.chain([of_edges]).collect();
        let quality = Quality { edge_cut, edges: graph.edges(), imbalance };
        let owners = stream.offsets.windows(2).map(|range| places.owners[range[0]..range[1]].to_vec()).collect();
        Ok((Assignment::new(self.parts, owners)?, quality))
    }
}

/// The edges of all types, between nodes that are numbered type by type.
struct Stream<'a> {
    graph: &'a ChunkedGraph,
    progress: &'a dyn Fn(usize),
    offsets: Vec<usize>,
}

impl<'a> Stream<'a> {
    fn new(graph: &'a ChunkedGraph, progress: &'a dyn Fn(usize)) -> Result<Self, Error> {
        let offsets = starts(graph.node_types().iter().map(ChunkedNodes::nodes));
        let nodes = offsets[offsets.len() - 1];
        if nodes > u32::MAX as usize {
            let text = format!("{nodes} nodes, at most {} are assigned while edges are read", u32::MAX);
            return Err(problem(ErrorKind::TooLarge, text));
        }
        Ok(Self { graph, progress, offsets })
    }

    fn nodes(&self) -> usize {
        self.offsets[self.offsets.len() - 1]
    }

    /// Calls `edge` with source and target of every edge.
    fn each(&self, mut edge: impl FnMut(usize, usize)) -> Result<(), Error> {
        for edges in self.graph.edge_types() {
            let [from, to] = edges.ends().map(|end| self.offsets[end]);
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
