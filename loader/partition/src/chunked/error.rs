//! [`ChunkedError`]: what can be wrong with a chunked graph.

use crate::ArrayType;
use graphpack_formats::CsvError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// A chunked graph that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChunkedError {
    /// A file cannot be read or written: not there, no place left.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The metadata is not JSON, or keys are missing.
    #[error("{}: {source}", .path.display())]
    Json {
        /// `metadata.json`.
        path: PathBuf,
        /// What is wrong, and in which line.
        #[source]
        source: serde_json::Error,
    },
    /// The metadata contradicts itself.
    #[error("{}, {key}: {problem}", .path.display())]
    Metadata {
        /// `metadata.json`.
        path: PathBuf,
        /// Where: a key, and those within it.
        key: String,
        /// What is wrong.
        problem: String,
    },
    /// A csv file holds something else than rows of numbers.
    #[error(transparent)]
    Csv(#[from] CsvError),
    /// A numpy or parquet file is not what it must be.
    #[error("{} {problem}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A file has more or fewer rows than the metadata says.
    #[error("{} has {found} rows, expected {expected}", .path.display())]
    Rows {
        /// The file.
        path: PathBuf,
        /// Rows that it must have.
        expected: usize,
        /// Rows that it has.
        found: usize,
    },
    /// The files of a feature have more or fewer rows than there are nodes or edges.
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
        /// Its files.
        files: usize,
        /// Nodes or edges of the type.
        expected: usize,
        /// Rows of all files.
        found: usize,
        /// Nodes or edges.
        things: &'static str,
        /// Where all files but one have as many rows as their chunks: that one.
        unlike: Option<Box<UnlikeChunk>>,
    },
    /// Two files of a feature have rows of other types or shapes.
    #[error("{} has rows of {found} {found_row:?}, {} has rows of {expected} {expected_row:?}", .path.display(), .first.display())]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// Type of its elements.
        found: ArrayType,
        /// Shape of its rows.
        found_row: Vec<usize>,
        /// The file before it.
        first: PathBuf,
        /// Type of the elements there.
        expected: ArrayType,
        /// Shape of the rows there.
        expected_row: Vec<usize>,
    },
    /// An edge to a node that there is not.
    #[error("{}, {place} {number}: node {node} of type {kind:?}, which has {nodes} nodes", .path.display())]
    Node {
        /// The file.
        path: PathBuf,
        /// What is counted: lines from 1, or rows from 0.
        place: &'static str,
        /// The line or row.
        number: usize,
        /// The node.
        node: i128,
        /// The type of node.
        kind: String,
        /// Nodes of that type.
        nodes: usize,
    },
    /// There is no such chunk.
    #[error("chunk {chunk} of {of}, which has {chunks}")]
    Chunk {
        /// The type of edge, or the feature.
        of: String,
        /// The chunk asked for.
        chunk: usize,
        /// Chunks that there are.
        chunks: usize,
    },
    /// What is to be written does not hold together.
    #[error("{of}: {problem}")]
    Graph {
        /// The type, or `type/feature`.
        of: String,
        /// What is wrong.
        problem: String,
    },
}

/// A file of a feature with more or fewer rows than its chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnlikeChunk {
    /// The file.
    pub path: PathBuf,
    /// Its rows.
    pub rows: usize,
    /// Nodes or edges of its chunk.
    pub chunk: u64,
}

impl fmt::Display for UnlikeChunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has {}, its chunk {}", self.path.display(), self.rows, self.chunk)
    }
}
