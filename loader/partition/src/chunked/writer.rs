//! [`ChunkedWriter`]: writes a graph in chunks without having it in memory.

use super::ChunkedError;
use super::metadata::{ChunkOptions, FILE, FileSpec, Metadata};
use super::rows::Outline;
use super::sink::Series;
use crate::files::{Entries, is_file_name, plain, write_json};
use crate::{Array, ArrayType, LargeGraph, OutputFolder};
use graphpack_loader::Error;
use graphpack_loader::extend::file_error;
use std::path::{Path, PathBuf};

/// Number of bytes of edges written at a time.
const BLOCK: usize = 1 << 16;

/// Writes a graph that is in memory in chunks, into a folder that is empty or does not exist.
pub fn write_chunked(graph: &LargeGraph, folder: impl AsRef<Path>, options: &ChunkOptions) -> Result<(), Error> {
    let nodes = graph.node_types.iter().map(|kind| (kind.name.clone(), kind.nodes)).collect();
    let mut writer = ChunkedWriter::create(folder, &graph.name, nodes, options.clone())?;
    for kind in &graph.edge_types {
        if kind.sources.len() != kind.targets.len() {
            let problem = format!("{} sources, {} targets", kind.sources.len(), kind.targets.len());
            return Err(ChunkedError::Graph { of: kind.file_name(), problem }.into());
        }
        let mut edges = writer.edge_type(&kind.name, kind.sources.len())?;
        for (&source, &target) in kind.sources.iter().zip(&kind.targets) {
            edges.push(source, target)?;
        }
        edges.finish()?;
    }
    for kind in &graph.node_types {
        for (name, array) in &kind.features {
            let row = array.shape().get(1..).unwrap_or_default();
            let mut feature = writer.node_feature(&kind.name, name, array.element(), row)?;
            feature.push(array)?;
            feature.finish()?;
        }
    }
    for kind in &graph.edge_types {
        for (name, array) in &kind.features {
            let row = array.shape().get(1..).unwrap_or_default();
            let mut feature = writer.edge_feature(&kind.name, name, array.element(), row)?;
            feature.push(array)?;
            feature.finish()?;
        }
    }
    writer.finish()
}

/// Writes a graph in chunks: first the numbers of nodes, then the edges of each type, then the features, in pieces of
/// any size. [`finish`](Self::finish) writes the metadata, after which the folder can be opened; a writer that is
/// dropped before empties the folder.
#[derive(Debug)]
pub struct ChunkedWriter {
    folder: PathBuf,
    claimed: OutputFolder,
    options: ChunkOptions,
    nodes: Vec<usize>,
    edges: Vec<usize>,
    metadata: Metadata,
    /// Names of the edges and features that were begun and not yet finished.
    begun: Vec<String>,
}

/// Edges of one type that are being written.
pub struct EdgeSink<'a> {
    writer: &'a mut ChunkedWriter,
    series: Series,
    /// Positions of the types of sources and targets.
    ends: [usize; 2],
    buffer: Vec<u8>,
}

/// A feature that is being written.
pub struct FeatureSink<'a> {
    writer: &'a mut ChunkedWriter,
    series: Series,
    of_nodes: bool,
    kind: String,
    name: String,
}

impl ChunkedWriter {
    /// Begins a folder, which must be empty or not exist, for a graph with the given types and numbers of nodes.
    pub fn create(
        folder: impl AsRef<Path>,
        name: &str,
        nodes: Vec<(String, usize)>,
        options: ChunkOptions,
    ) -> Result<Self, Error> {
        let folder = folder.as_ref().to_owned();
        let wrong = |problem: String| Err(ChunkedError::Graph { of: name.to_owned(), problem }.into());
        if let Err(problem) = options.check() {
            return wrong(problem);
        }
        if !is_file_name(name) {
            return wrong("the name of a graph must be one that a file can have".into());
        }
        for (at, (kind, count)) in nodes.iter().enumerate() {
            if kind.contains(':') {
                return wrong(format!(
                    "node type {kind:?}, expected a name without \":\", which separates the types of an edge"
                ));
            }
            if !is_file_name(kind) {
                return wrong(format!("node type {kind:?}, expected a name that a file can have"));
            }
            if nodes[..at].iter().any(|(other, _)| other == kind) {
                return wrong(format!("node type {kind:?} occurs twice"));
            }
            if i64::try_from(*count).is_err() {
                return wrong(format!("{count} nodes of type {kind:?}, at most {}", i64::MAX));
            }
        }
        let claimed = OutputFolder::claim(&folder).map_err(file_error(&folder))?;
        let metadata = Metadata {
            graph_name: name.to_owned(),
            num_nodes_per_chunk: Some(nodes.iter().map(|&(_, nodes)| options.sizes(nodes)).collect()),
            num_nodes_per_type: Some(nodes.iter().map(|&(_, nodes)| nodes as u64).collect()),
            node_data: Entries(nodes.iter().map(|(kind, _)| (kind.clone(), Entries::default())).collect()),
            node_type: nodes.iter().map(|(kind, _)| kind.clone()).collect(),
            num_edges_per_chunk: Some(Vec::new()),
            num_edges_per_type: Some(Vec::new()),
            edge_type: Vec::new(),
            edges: Entries::default(),
            edge_data: Entries::default(),
        };
        let nodes = nodes.into_iter().map(|(_, nodes)| nodes).collect();
        Ok(Self { folder, claimed, options, nodes, edges: Vec::new(), metadata, begun: Vec::new() })
    }

    /// Begins the edges of a type, of which there are `edges`.
    pub fn edge_type(&mut self, name: &[String; 3], edges: usize) -> Result<EdgeSink<'_>, Error> {
        let joined = name.join(":");
        let wrong = |problem| Error::from(ChunkedError::Graph { of: joined.clone(), problem });
        if self.metadata.edge_type.contains(&joined) {
            return Err(wrong("occurs twice".into()));
        }
        if name[1].contains(':') {
            return Err(wrong("expected a relation without \":\", which separates the types of an edge".into()));
        }
        let kind = |end: &String| {
            let kind = self.metadata.node_type.iter().position(|kind| kind == end);
            kind.ok_or_else(|| wrong(format!("no node type {end:?}")))
        };
        let ends = [kind(&name[0])?, kind(&name[2])?];
        let file = format!("edge_index/{}", name.each_ref().map(|name| plain(name)).join("+"));
        let outline = Outline { element: ArrayType::I64, row: vec![2], rows: edges };
        self.begin(&joined);
        let series = Series::new(joined, &self.folder, file, self.options.edges, self.options.chunks, outline);
        Ok(EdgeSink { writer: self, series, ends, buffer: Vec::new() })
    }

    /// Begins a feature of the nodes of a type, with a row of shape `row` for each.
    pub fn node_feature(
        &mut self,
        kind: &str,
        name: &str,
        element: ArrayType,
        row: &[usize],
    ) -> Result<FeatureSink<'_>, Error> {
        let at = self.metadata.node_type.iter().position(|other| other == kind);
        let rows = at.map(|at| self.nodes[at]);
        let file = format!("node_data/{}/{}", plain(kind), plain(name));
        self.feature(true, kind.to_owned(), name, file, Self::outline(element, row, rows))
    }

    /// Begins a feature of the edges of a type, which must have been written.
    pub fn edge_feature(
        &mut self,
        kind: &[String; 3],
        name: &str,
        element: ArrayType,
        row: &[usize],
    ) -> Result<FeatureSink<'_>, Error> {
        let joined = kind.join(":");
        let at = self.metadata.edge_type.iter().position(|other| *other == joined);
        let rows = at.map(|at| self.edges[at]);
        let file = format!("edge_data/{}/{}", kind.each_ref().map(|name| plain(name)).join("+"), plain(name));
        self.feature(false, joined, name, file, Self::outline(element, row, rows))
    }

    /// Notes that edges or a feature are begun; after an error, they may be begun again.
    fn begin(&mut self, name: &str) {
        self.begun.retain(|begun| begun != name);
        self.begun.push(name.to_owned());
    }

    /// Writes the metadata, without which the folder cannot be opened. All edges and features that were begun must have
    /// been finished.
    pub fn finish(self) -> Result<(), Error> {
        if let Some(begun) = self.begun.into_iter().next() {
            return Err(ChunkedError::Graph { of: begun, problem: "was begun and not finished".into() }.into());
        }
        write_json(&self.folder.join(FILE), &self.metadata)?;
        self.claimed.keep();
        Ok(())
    }

    fn outline(element: ArrayType, row: &[usize], rows: Option<usize>) -> Option<Outline> {
        rows.map(|rows| Outline { element, row: row.to_vec(), rows })
    }

    fn feature(
        &mut self,
        of_nodes: bool,
        kind: String,
        name: &str,
        file: String,
        outline: Option<Outline>,
    ) -> Result<FeatureSink<'_>, Error> {
        let of = format!("{kind}/{name}");
        let data = if of_nodes { &self.metadata.node_data } else { &self.metadata.edge_data };
        if data.get(&kind).is_some_and(|features| features.get(name).is_some()) {
            return Err(ChunkedError::Graph { of, problem: "occurs twice".into() }.into());
        }
        let Some(outline) = outline else {
            return Err(ChunkedError::Graph { of, problem: format!("there is no type {kind:?}") }.into());
        };
        self.begin(&of);
        let series = Series::new(of, &self.folder, file, self.options.features, self.options.chunks, outline);
        Ok(FeatureSink { writer: self, series, of_nodes, kind, name: name.to_owned() })
    }
}

impl EdgeSink<'_> {
    /// Appends an edge, whose nodes must exist.
    pub fn push(&mut self, source: i64, target: i64) -> Result<(), Error> {
        // Both ends first: an edge that is refused leaves nothing.
        for (node, kind) in [source, target].into_iter().zip(self.ends) {
            let nodes = self.writer.nodes[kind];
            if usize::try_from(node).is_ok_and(|node| node < nodes) {
                continue;
            }
            let edge = self.series.rows + self.buffer.len() / 16;
            let kind = &self.writer.metadata.node_type[kind];
            let problem = format!("edge {edge}: node {node} of type {kind:?}, which has {nodes} nodes");
            return Err(ChunkedError::Graph { of: self.series.of.clone(), problem }.into());
        }
        self.buffer.extend([source, target].into_iter().flat_map(i64::to_le_bytes));
        if self.buffer.len() >= BLOCK {
            self.series.push(&self.buffer, self.buffer.len() / 16)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Ends the edges, all of which must have been appended.
    pub fn finish(mut self) -> Result<(), Error> {
        self.series.push(&self.buffer, self.buffer.len() / 16)?;
        let (name, edges, options) = (self.series.of.clone(), self.series.outline.rows, &self.writer.options);
        let data = self.series.finish()?;
        let spec = FileSpec { format: options.edges.spec(), data, row_counts: None };
        let sizes = options.sizes(edges);
        self.writer.begun.retain(|begun| *begun != name);
        let metadata = &mut self.writer.metadata;
        metadata.edges.0.push((name.clone(), spec));
        metadata.edge_data.0.push((name.clone(), Entries::default()));
        metadata.edge_type.push(name);
        metadata.num_edges_per_chunk.get_or_insert_default().push(sizes);
        metadata.num_edges_per_type.get_or_insert_default().push(edges as u64);
        self.writer.edges.push(edges);
        Ok(())
    }
}

impl FeatureSink<'_> {
    /// Appends rows, which must have the announced elements and shape.
    pub fn push(&mut self, rows: &Array) -> Result<(), Error> {
        let outline = &self.series.outline;
        let row = rows.shape().get(1..);
        if rows.element() != outline.element || row != Some(&outline.row) {
            let (expected, expected_row) = (outline.element, &outline.row);
            let problem =
                format!("shape {:?} of {}, expected rows of {expected} {expected_row:?}", rows.shape(), rows.element());
            return Err(ChunkedError::Graph { of: self.series.of.clone(), problem }.into());
        }
        self.series.push(rows.bytes(), rows.rows())
    }

    /// Ends the feature, all rows of which must have been appended.
    pub fn finish(self) -> Result<(), Error> {
        let of = self.series.of.clone();
        let data = self.series.finish()?;
        let spec = FileSpec { format: self.writer.options.features.spec(), data, row_counts: None };
        self.writer.begun.retain(|begun| *begun != of);
        let metadata = &mut self.writer.metadata;
        let entries = if self.of_nodes { &mut metadata.node_data } else { &mut metadata.edge_data };
        if let Some((_, features)) = entries.0.iter_mut().find(|(kind, _)| *kind == self.kind) {
            features.0.push((self.name, spec));
        }
        Ok(())
    }
}
