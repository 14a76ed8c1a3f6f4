//! [`ChunkedGraph`]: a graph in DGL's Chunked Graph Format, of which one chunk is in memory.

use super::edges::{EdgeChunk, outline};
use super::metadata::{Entries, FILE, FileSpec, Metadata};
use super::{ChunkFormat, ChunkedEdges, ChunkedError, ChunkedFeature};
use crate::partition::{Array, ArrayType, EdgeType, LargeGraph, NodeType};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A graph in chunks: `metadata.json` and the files that it lists, relative to its folder or absolute.
///
/// ```
/// use graphpack_loader::partition::{ChunkOptions, ChunkedGraph, EdgeType, LargeGraph, NodeType, write_chunked};
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
    name: String,
    node_types: Vec<ChunkedNodes>,
    edge_types: Vec<ChunkedEdges>,
}

/// The nodes of one type.
#[derive(Clone, Debug)]
pub struct ChunkedNodes {
    name: String,
    nodes: usize,
    features: Vec<ChunkedFeature>,
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
    /// Opens a folder, or its `metadata.json`. All is checked but what only reading of edges can tell: cells and number of lines of csv files,
    /// and node ids.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ChunkedError> {
        let path = path.as_ref();
        let path = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
        let text = fs::read(&path).map_err(|source| ChunkedError::Io { path: path.clone(), source })?;
        let metadata: Metadata =
            serde_json::from_slice(&text).map_err(|source| ChunkedError::Json { path: path.clone(), source })?;
        Opening { path: &path, metadata: &metadata }.graph()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Types of nodes, in DGL's order.
    pub fn node_types(&self) -> &[ChunkedNodes] {
        &self.node_types
    }

    /// Types of edges, in DGL's order.
    pub fn edge_types(&self) -> &[ChunkedEdges] {
        &self.edge_types
    }

    /// Reads all chunks.
    pub fn to_memory(&self) -> Result<LargeGraph, ChunkedError> {
        let node_types = self.node_types.iter().map(|ChunkedNodes { name, nodes, features }| {
            Ok(NodeType { name: name.clone(), nodes: *nodes, features: whole(features)? })
        });
        let node_types = node_types.collect::<Result<_, ChunkedError>>()?;
        let edge_types = self.edge_types.iter().map(|edges| {
            let (mut sources, mut targets) = (Vec::new(), Vec::new());
            for chunk in 0..edges.chunks.len() {
                let (more_sources, more_targets) = edges.read(chunk)?;
                sources.extend(more_sources);
                targets.extend(more_targets);
            }
            Ok(EdgeType { name: edges.name.clone(), sources, targets, features: whole(&edges.features)? })
        });
        let edge_types = edge_types.collect::<Result<_, ChunkedError>>()?;
        Ok(LargeGraph { name: self.name.clone(), node_types, edge_types })
    }
}

/// Features with the rows of all files.
fn whole(features: &[ChunkedFeature]) -> Result<Vec<(String, Array)>, ChunkedError> {
    let whole = features.iter().map(|feature| {
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

/// Metadata that are being checked.
struct Opening<'a> {
    path: &'a Path,
    metadata: &'a Metadata,
}

/// How many nodes or edges of a type there are, and in which chunks if that is said.
struct Count<'a> {
    all: Option<usize>,
    chunks: Option<&'a [u64]>,
}

impl Opening<'_> {
    fn graph(&self) -> Result<ChunkedGraph, ChunkedError> {
        let Metadata { node_type, num_nodes_per_chunk, num_nodes_per_type, .. } = self.metadata;
        let Metadata { edge_type, num_edges_per_chunk, num_edges_per_type, .. } = self.metadata;
        self.unlike(node_type, "node_type")?;
        self.unlike(edge_type, "edge_type")?;
        for (entries, key, types) in
            [(&self.metadata.node_data, "node_data", node_type), (&self.metadata.edge_data, "edge_data", edge_type)]
        {
            self.known(entries, key, types)?;
        }
        self.known(&self.metadata.edges, "edges", edge_type)?;

        let counts = self.counts(node_type, "nodes", num_nodes_per_chunk, num_nodes_per_type)?;
        let mut nodes = HashMap::new();
        let mut node_types = Vec::new();
        for (name, count) in node_type.iter().zip(counts) {
            let count = count.all.unwrap_or(0);
            nodes.insert(name.as_str(), count);
            let features = self.features("node_data", name, &self.metadata.node_data, count, "nodes")?;
            node_types.push(ChunkedNodes { name: name.clone(), nodes: count, features });
        }
        let counts = self.counts(edge_type, "edges", num_edges_per_chunk, num_edges_per_type)?;
        let mut edge_types = Vec::new();
        for (name, count) in edge_type.iter().zip(counts) {
            edge_types.push(self.edges(name, &count, &nodes)?);
        }
        Ok(ChunkedGraph { name: self.metadata.graph_name.clone(), node_types, edge_types })
    }

    /// Refuses names that stand twice.
    fn unlike(&self, names: &[String], key: &str) -> Result<(), ChunkedError> {
        let mut seen = HashSet::new();
        match names.iter().find(|name| !seen.insert(*name)) {
            Some(name) => Err(self.wrong(key, format!("{name:?} stands twice"))),
            None => Ok(()),
        }
    }

    /// Refuses entries for types that there are not.
    fn known<V>(&self, entries: &Entries<V>, key: &str, types: &[String]) -> Result<(), ChunkedError> {
        match entries.0.iter().find(|(name, _)| !types.contains(name)) {
            Some((name, _)) => Err(self.wrong(key, format!("{name:?} is none of the types {types:?}"))),
            None => Ok(()),
        }
    }

    fn counts<'a>(
        &self,
        types: &[String],
        things: &str,
        per_chunk: &'a Option<Vec<Vec<u64>>>,
        per_type: &Option<Vec<u64>>,
    ) -> Result<Vec<Count<'a>>, ChunkedError> {
        let (chunk_key, type_key) = (format!("num_{things}_per_chunk"), format!("num_{things}_per_type"));
        if per_chunk.is_none() && per_type.is_none() {
            return Err(self.wrong(&chunk_key, format!("missing, and so is {type_key}")));
        }
        for (key, found) in
            [(&chunk_key, per_chunk.as_ref().map(Vec::len)), (&type_key, per_type.as_ref().map(Vec::len))]
        {
            if let Some(found) = found.filter(|&found| found != types.len()) {
                let problem = format!("{found} entries, expected one for each of {} types", types.len());
                return Err(self.wrong(key, problem));
            }
        }
        let count = |kind: usize| {
            let name = &types[kind];
            let chunks = per_chunk.as_ref().map(|chunks| chunks[kind].as_slice());
            let sum = chunks.map(|chunks| self.sum(&chunk_key, name, chunks)).transpose()?;
            let all = per_type.as_ref().map(|all| self.sum(&type_key, name, &all[kind..=kind])).transpose()?;
            if let (Some(sum), Some(all)) = (sum, all)
                && sum != all
            {
                let problem = format!("{name:?} has {all} {things}, its chunks have {sum}");
                return Err(self.wrong(&type_key, problem));
            }
            Ok(Count { all: sum.or(all), chunks })
        };
        (0..types.len()).map(count).collect()
    }

    /// A sum that ids can reach.
    fn sum(&self, key: &str, name: &str, counts: &[u64]) -> Result<usize, ChunkedError> {
        let sum = counts.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count));
        let sum = sum.filter(|&sum| i64::try_from(sum).is_ok()).and_then(|sum| usize::try_from(sum).ok());
        sum.ok_or_else(|| self.wrong(key, format!("{name:?} has more than {}", i64::MAX)))
    }

    fn edges(&self, name: &str, count: &Count<'_>, nodes: &HashMap<&str, usize>) -> Result<ChunkedEdges, ChunkedError> {
        let parts: Vec<&str> = name.split(':').collect();
        let &[source, relation, target] = parts.as_slice() else {
            return Err(self.wrong("edge_type", format!("{name:?}, expected \"source:relation:target\"")));
        };
        let ends = [source, target].map(|end| nodes.get(end).copied().ok_or(end));
        let [Ok(sources), Ok(targets)] = ends else {
            let end = ends.into_iter().find_map(Result::err).unwrap_or_default();
            return Err(self.wrong("edge_type", format!("{name:?}: no node type {end:?}")));
        };
        let key = format!("edges, {name:?}");
        let Some(spec) = self.metadata.edges.get(name) else {
            return Err(self.wrong("edges", format!("{name:?} is missing")));
        };
        let (format, paths) = self.files(&key, spec)?;
        let said = count.chunks.map(|counts| ("num_edges_per_chunk", counts));
        let said = said.or(spec.row_counts.as_deref().map(|counts| ("row_counts", counts)));
        if let Some((said, counts)) = said.filter(|(_, counts)| counts.len() != paths.len()) {
            return Err(self.wrong(&key, format!("{} files, {said} has {} chunks", paths.len(), counts.len())));
        }
        let mut chunks = Vec::new();
        for (chunk, path) in paths.into_iter().enumerate() {
            let said = said.map(|(_, counts)| counts[chunk] as usize);
            let csv = matches!(format, ChunkFormat::Csv { .. });
            let (element, found) = match said {
                Some(edges) if csv => {
                    File::open(&path).map_err(|source| ChunkedError::Io { path: path.clone(), source })?;
                    (ArrayType::I64, edges)
                }
                _ => {
                    let outline = outline(&path, format)?;
                    (outline.element, outline.rows)
                }
            };
            if let Some(expected) = said.filter(|&expected| expected != found) {
                return Err(ChunkedError::Rows { path, expected, found });
            }
            chunks.push(EdgeChunk { path, edges: found, element });
        }
        let found = chunks.iter().try_fold(0_usize, |sum, chunk| sum.checked_add(chunk.edges));
        let found = found.ok_or_else(|| self.wrong(&key, format!("more than {} edges", i64::MAX)))?;
        if let Some(expected) = count.all.filter(|&expected| expected != found) {
            let problem = format!("{found} edges in {} files, expected {expected}", chunks.len());
            return Err(self.wrong(&key, problem));
        }
        let features = self.features("edge_data", name, &self.metadata.edge_data, found, "edges")?;
        let name = [source, relation, target].map(str::to_owned);
        Ok(ChunkedEdges { name, format, chunks, nodes: [sources, targets], features })
    }

    fn features(
        &self,
        key: &str,
        kind: &str,
        data: &Entries<Entries<FileSpec>>,
        expected: usize,
        things: &'static str,
    ) -> Result<Vec<ChunkedFeature>, ChunkedError> {
        let entries = data.get(kind).map_or(&[][..], |entries| &entries.0);
        let open = |(name, spec): &(String, FileSpec)| {
            let key = format!("{key}, {kind:?}, {name:?}");
            let (format, paths) = self.files(&key, spec)?;
            if paths.is_empty() {
                return Err(self.wrong(&key, "no files".into()));
            }
            let feature = ChunkedFeature::open(name, format, paths)?;
            let (files, found) = (feature.files().len(), feature.rows());
            if found != expected {
                return Err(ChunkedError::Feature {
                    feature: format!("{kind}/{name}"),
                    files,
                    expected,
                    found,
                    things,
                });
            }
            Ok(feature)
        };
        entries.iter().map(open).collect()
    }

    fn files(&self, key: &str, spec: &FileSpec) -> Result<(ChunkFormat, Vec<PathBuf>), ChunkedError> {
        let format = ChunkFormat::try_from(&spec.format).map_err(|problem| self.wrong(key, problem))?;
        let folder = self.path.parent().unwrap_or(Path::new(""));
        // A path that is absolute stays as it is.
        Ok((format, spec.data.iter().map(|file| folder.join(file)).collect()))
    }

    fn wrong(&self, key: &str, problem: String) -> ChunkedError {
        ChunkedError::Metadata { path: self.path.to_owned(), key: key.to_owned(), problem }
    }
}
