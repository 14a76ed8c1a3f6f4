//! [`ChunkedError`]: what can be wrong with a chunked graph.

use crate::ArrayType;
use graphpack_loader::ErrorKind;
use graphpack_loader::cause::Cause;
use std::fmt;
use std::path::{Path, PathBuf};

/// A chunked graph that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChunkedError {
    #[error("{}: {source}", .path.display())]
    Json { path: PathBuf, source: serde_json::Error },
    #[error("{}, {key}: {problem}", .path.display())]
    Metadata { path: PathBuf, key: String, problem: String },
    #[error("{} {problem}", .path.display())]
    File { path: PathBuf, problem: String },
    #[error("{} has {found} rows, expected {expected}", .path.display())]
    Rows { path: PathBuf, expected: usize, found: usize },
    #[error(
        "{}: feature {feature} has {found} rows in {files} files, expected one for each of {expected} {things}{}",
        .path.display(),
        .unlike.as_ref().map(|unlike| format!("; {unlike}")).unwrap_or_default()
    )]
    Feature {
        path: PathBuf,
        feature: String,
        files: usize,
        expected: usize,
        found: usize,
        things: &'static str,
        unlike: Option<Box<UnlikeChunk>>,
    },
    #[error("{} has rows of {found} {found_row:?}, {} has rows of {expected} {expected_row:?}", .path.display(), .first.display())]
    Mismatch {
        path: PathBuf,
        found: ArrayType,
        found_row: Vec<usize>,
        first: PathBuf,
        expected: ArrayType,
        expected_row: Vec<usize>,
    },
    #[error("{}, {place} {number}: node {node} of type {kind:?}, which has {nodes} nodes", .path.display())]
    Node { path: PathBuf, place: &'static str, number: usize, node: i128, kind: String, nodes: usize },
    #[error("chunk {chunk} of {of}, which has {chunks} chunks")]
    Chunk { of: String, chunk: usize, chunks: usize },
    #[error(
        "{name} needs {} MiB of memory, {} MiB are left; {instead}",
        .needed >> 20,
        .available >> 20
    )]
    Memory { name: String, needed: usize, available: usize, instead: &'static str },
    #[error(
        "{name} has {nodes} nodes and {edges} edges, at most {} of each can be in memory; assigned by {} and dispatched, \
         there may be more",
        u32::MAX,
        if *nodes > u32::MAX as usize { "another program" } else { "streaming or by chance" }
    )]
    TooLarge { name: String, nodes: usize, edges: usize },
    #[error("{of}: {problem}")]
    Graph { of: String, problem: String },
}

impl Cause for ChunkedError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Chunk { .. } => ErrorKind::Options,
            Self::Memory { .. } | Self::TooLarge { .. } => ErrorKind::TooLarge,
            Self::Graph { .. } => ErrorKind::Data,
            _ => ErrorKind::Format,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Json { path, .. }
            | Self::Metadata { path, .. }
            | Self::File { path, .. }
            | Self::Rows { path, .. }
            | Self::Feature { path, .. }
            | Self::Mismatch { path, .. }
            | Self::Node { path, .. } => Some(path),
            _ => None,
        }
    }
}

/// A file of a feature that does not have a row for each node or edge of its chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnlikeChunk {
    pub(crate) path: PathBuf,
    pub(crate) rows: usize,
    pub(crate) chunk: u64,
}

impl fmt::Display for UnlikeChunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has {}, its chunk {}", self.path.display(), self.rows, self.chunk)
    }
}
