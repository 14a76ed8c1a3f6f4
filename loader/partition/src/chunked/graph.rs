//! [`ChunkedGraph`]: a graph in DGL's Chunked Graph Format, read chunk by chunk.

use super::{ChunkedEdges, ChunkedError, ChunkedFeature};
use crate::{Array, EdgeType, LargeGraph, NodeType, PartitionBook};
use graphpack_loader::Error;
use std::path::Path;

/// A graph in chunks: a `metadata.json` and the files that it lists, by absolute paths or paths relative to its folder.
///
/// ```
/// use graphpack_partition::chunked::{ChunkOptions, ChunkedGraph, write_chunked};
/// use graphpack_partition::{EdgeType, LargeGraph, NodeType};
///
/// let folder = tempfile::tempdir()?;
/// let node = NodeType { name: "_N".into(), nodes: 3, features: Vec::new() };
/// let name = ["_N", "_E", "_N"].map(String::from);
/// let edge = EdgeType { name, sources: vec![0, 1, 2], targets: vec![1, 2, 0], features: Vec::new() };
/// let graph = LargeGraph { name: "triangle".into(), node_types: vec![node], edge_types: vec![edge] };
/// write_chunked(&graph, folder.path(), &ChunkOptions::new(2))?;
///
/// let chunked = ChunkedGraph::open(folder.path())?;
/// let edges = &chunked.edge_types()[0];
/// assert_eq!(edges.chunks().collect::<Vec<_>>(), [2, 1]);
/// assert_eq!(edges.read(1)?, (vec![2], vec![0]));
/// assert_eq!(chunked.to_memory()?, graph);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChunkedGraph {
    pub(super) name: String,
    pub(super) node_types: Vec<ChunkedNodes>,
    pub(super) edge_types: Vec<ChunkedEdges>,
}

/// The nodes of one type.
#[derive(Clone, Debug)]
pub struct ChunkedNodes {
    pub(super) name: String,
    pub(super) nodes: usize,
    pub(super) features: Vec<ChunkedFeature>,
}

impl ChunkedNodes {
    /// The name of the type.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Features, in the order of the metadata.
    pub fn features(&self) -> &[ChunkedFeature] {
        &self.features
    }
}

impl ChunkedGraph {
    /// Name of the graph.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the graph with its types in the order of a book; `None` if they are in that order already, or are others.
    pub(crate) fn sorted_as(&self, book: &PartitionBook) -> Option<Self> {
        let (nodes, edges) = (book.node_types(), book.edge_types());
        let in_order = self.node_types.iter().map(|kind| &kind.name).eq(nodes)
            && self.edge_types.iter().map(|kind| &kind.name).eq(edges);
        if in_order || self.node_types.len() != nodes.len() || self.edge_types.len() != edges.len() {
            return None;
        }
        let of_nodes = nodes.iter().map(|name| self.node_types.iter().find(|kind| kind.name == *name).cloned());
        let of_edges = edges.iter().map(|name| {
            let kind = self.edge_types.iter().find(|kind| kind.name == *name)?.clone();
            let end = |end: &String| nodes.iter().position(|name| name == end);
            Some(ChunkedEdges { ends: [end(&name[0])?, end(&name[2])?], ..kind })
        });
        let (node_types, edge_types) = (of_nodes.collect::<Option<_>>()?, of_edges.collect::<Option<_>>()?);
        Some(Self { name: self.name.clone(), node_types, edge_types })
    }

    /// Types of nodes, in DGL's order.
    pub fn node_types(&self) -> &[ChunkedNodes] {
        &self.node_types
    }

    /// Types of edges, in DGL's order.
    pub fn edge_types(&self) -> &[ChunkedEdges] {
        &self.edge_types
    }

    /// The features of all nodes, then those of all edges.
    pub(crate) fn features(&self) -> impl Iterator<Item = &ChunkedFeature> {
        let of_nodes = self.node_types.iter().flat_map(ChunkedNodes::features);
        of_nodes.chain(self.edge_types.iter().flat_map(ChunkedEdges::features))
    }

    /// Number of nodes of all types.
    pub fn nodes(&self) -> usize {
        self.node_types.iter().map(ChunkedNodes::nodes).fold(0, usize::saturating_add)
    }

    /// Number of edges of all types.
    pub fn edges(&self) -> usize {
        self.edge_types.iter().map(ChunkedEdges::edges).fold(0, usize::saturating_add)
    }

    /// The files of edges and features.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let edges = self.edge_types.iter().flat_map(ChunkedEdges::paths_and_rows);
        edges.chain(self.features().flat_map(ChunkedFeature::paths_and_rows)).map(|(path, _)| path)
    }

    /// Reads the whole graph, which may have 2^32 - 1 nodes and edges. Before anything is read, it is compared with the
    /// memory of the machine: 16 bytes per edge, and the features.
    pub fn to_memory(&self) -> Result<LargeGraph, Error> {
        self.to_memory_with(|_| true)
    }

    /// Errors if the machine has less than these bytes of memory left; `instead` says what needs less.
    pub(crate) fn expect_memory(&self, needed: usize, instead: &'static str) -> Result<(), Error> {
        match available_memory().filter(|&available| available < needed) {
            Some(available) => Err(ChunkedError::Memory { name: self.name.clone(), needed, available, instead }.into()),
            None => Ok(()),
        }
    }

    /// Reads all edges, and the features for whose names `wanted` returns true.
    pub fn to_memory_with(&self, wanted: impl Fn(&str) -> bool) -> Result<LargeGraph, Error> {
        let bytes =
            self.features().filter(|feature| wanted(feature.name())).map(|of| of.rows().saturating_mul(of.row_bytes()));
        let edges = self.edge_types.iter().map(|edges| edges.edges().saturating_mul(16));
        let needed = bytes.chain(edges).fold(0, usize::saturating_add);
        self.expect_memory(needed, "dispatch needs 6 bytes per node and no edges in memory")?;
        let (nodes, edges) = (self.nodes(), self.edges());
        if nodes.max(edges) > u32::MAX as usize {
            return Err(ChunkedError::TooLarge { name: self.name.clone(), nodes, edges }.into());
        }
        let whole = |features| whole(features, &wanted);
        let node_types = self.node_types.iter().map(|ChunkedNodes { name, nodes, features }| {
            Ok(NodeType { name: name.clone(), nodes: *nodes, features: whole(features)? })
        });
        let node_types = node_types.collect::<Result<_, Error>>()?;
        let edge_types = self.edge_types.iter().map(|edges| {
            let (mut sources, mut targets) = (Vec::new(), Vec::new());
            for chunk in 0..edges.chunks().len() {
                let (more_sources, more_targets) = edges.read(chunk)?;
                sources.extend(more_sources);
                targets.extend(more_targets);
            }
            Ok(EdgeType { name: edges.name().clone(), sources, targets, features: whole(edges.features())? })
        });
        let edge_types = edge_types.collect::<Result<_, Error>>()?;
        Ok(LargeGraph { name: self.name.clone(), node_types, edge_types })
    }
}

/// Bytes that the machine has left, with its swap, where it says so.
fn available_memory() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kibibytes = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()
    };
    Some(kibibytes("MemAvailable")?.saturating_add(kibibytes("SwapFree").unwrap_or(0)).saturating_mul(1024))
}

/// Reads whole features.
fn whole(features: &[ChunkedFeature], wanted: &impl Fn(&str) -> bool) -> Result<Vec<(String, Array)>, Error> {
    let whole = features.iter().filter(|feature| wanted(feature.name())).map(|feature| {
        let mut bytes = Vec::new();
        for file in 0..feature.files().len() {
            bytes.extend_from_slice(feature.read(file)?.bytes());
        }
        let shape = [feature.rows()].into_iter().chain(feature.row().iter().copied()).collect();
        let array = Array::new(feature.element(), shape, bytes);
        let array =
            array.map_err(|error| ChunkedError::Graph { of: feature.name().into(), problem: error.to_string() })?;
        Ok((feature.name().to_owned(), array))
    });
    whole.collect()
}
