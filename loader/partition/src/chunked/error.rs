//! [`ChunkedError`]: what can be wrong with a chunked graph.

use crate::ArrayType;
use graphpack_formats::FormatError;
use graphpack_loader::IoError;
use std::fmt;
use std::path::PathBuf;

/// A chunked graph that cannot be read or written.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ChunkedError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] IoError),
    /// The metadata is not JSON, or a key is missing.
    #[error("{}: {source}", .path.display())]
    Json {
        /// `metadata.json`.
        path: PathBuf,
        /// What is wrong, with line and column.
        #[source]
        source: serde_json::Error,
    },
    /// The metadata contradicts itself.
    #[error("{}, {key}: {problem}", .path.display())]
    Metadata {
        /// `metadata.json`.
        path: PathBuf,
        /// The key, and the keys within it.
        key: String,
        /// What is wrong.
        problem: String,
    },
    /// A csv file does not consist of rows of numbers.
    #[error(transparent)]
    Csv(Box<FormatError>),
    /// A numpy or parquet file is damaged, or has the wrong contents.
    #[error("{} {problem}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A file does not have the number of rows in the metadata.
    #[error("{} has {found} rows, expected {expected}", .path.display())]
    Rows {
        /// The file.
        path: PathBuf,
        /// Number of rows expected.
        expected: usize,
        /// Number of rows found.
        found: usize,
    },
    /// The files of a feature do not have a row for each node or edge.
    #[error(
        "{}: feature {feature} has {found} rows in {files} files, expected one for each of {expected} {things}{}",
        .path.display(),
        .unlike.as_ref().map(|unlike| format!("; {unlike}")).unwrap_or_default()
    )]
    Feature {
        /// `metadata.json`.
        path: PathBuf,
        /// `type/feature`.
        feature: String,
        /// Number of its files.
        files: usize,
        /// Number of nodes or edges of the type.
        expected: usize,
        /// Number of rows of all files.
        found: usize,
        /// `nodes` or `edges`.
        things: &'static str,
        /// The file to look at, if only one differs from its chunk.
        unlike: Option<Box<UnlikeChunk>>,
    },
    /// Two files of a feature differ in elements or row shape.
    #[error("{} has rows of {found} {found_row:?}, {} has rows of {expected} {expected_row:?}", .path.display(), .first.display())]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// Its elements.
        found: ArrayType,
        /// Its row shape.
        found_row: Vec<usize>,
        /// The first file.
        first: PathBuf,
        /// The elements of the first file.
        expected: ArrayType,
        /// The row shape of the first file.
        expected_row: Vec<usize>,
    },
    /// An edge ends at a node that does not exist.
    #[error("{}, {place} {number}: node {node} of type {kind:?}, which has {nodes} nodes", .path.display())]
    Node {
        /// The file.
        path: PathBuf,
        /// `line`, counted from 1, or `row`, counted from 0.
        place: &'static str,
        /// Its number.
        number: usize,
        /// The node.
        node: i128,
        /// The type of the node.
        kind: String,
        /// Number of nodes of that type.
        nodes: usize,
    },
    /// There is no such chunk.
    #[error("chunk {chunk} of {of}, which has {chunks} chunks")]
    Chunk {
        /// The type of edge, or the feature.
        of: String,
        /// The chunk asked for.
        chunk: usize,
        /// Number of chunks.
        chunks: usize,
    },
    /// What was asked for does not fit into memory.
    #[error(
        "{name} needs {} MiB of memory, {} MiB are left; {instead}",
        .needed >> 20,
        .available >> 20
    )]
    Memory {
        /// The graph.
        name: String,
        /// Bytes that are needed.
        needed: usize,
        /// Bytes that the machine has left.
        available: usize,
        /// What needs less.
        instead: &'static str,
    },
    /// There are more nodes or edges than a graph in memory may have.
    #[error(
        "{name} has {nodes} nodes and {edges} edges, at most {} of each can be in memory; assigned by {} and dispatched, \
         there may be more",
        u32::MAX,
        if *nodes > u32::MAX as usize { "another program" } else { "streaming or by chance" }
    )]
    TooLarge {
        /// The graph.
        name: String,
        /// Number of nodes.
        nodes: usize,
        /// Number of edges.
        edges: usize,
    },
    /// The graph to be written contradicts itself or the options.
    #[error("{of}: {problem}")]
    Graph {
        /// The type, or `type/feature`.
        of: String,
        /// What is wrong.
        problem: String,
    },
}

graphpack_core::debug_is_display!(ChunkedError);

impl From<FormatError> for ChunkedError {
    fn from(error: FormatError) -> Self {
        Self::Csv(Box::new(error))
    }
}

/// A file of a feature that does not have a row for each node or edge of its chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnlikeChunk {
    /// The file.
    pub path: PathBuf,
    /// Number of its rows.
    pub rows: usize,
    /// Number of nodes or edges of its chunk.
    pub chunk: u64,
}

impl fmt::Display for UnlikeChunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has {}, its chunk {}", self.path.display(), self.rows, self.chunk)
    }
}
