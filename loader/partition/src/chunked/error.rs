//! [`ChunkedError`]: what can be wrong with a chunked graph.

use graphpack_loader::ErrorKind;
use graphpack_loader::extend::Cause;
use std::path::{Path, PathBuf};

/// A chunked graph that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChunkedError {
    #[error("{}, {key}: {problem}", .path.display())]
    Metadata { path: PathBuf, key: String, problem: String },
    #[error("{} {problem}", .path.display())]
    File { path: PathBuf, problem: String },
    #[error("{} has {found} rows, expected {expected}", .path.display())]
    Rows { path: PathBuf, expected: usize, found: usize },
    #[error(
        "{}: feature {feature} has {found} rows in {files} files, expected one for each of {expected} {things}{unlike}",
        .path.display()
    )]
    Feature {
        path: PathBuf,
        feature: String,
        files: usize,
        expected: usize,
        found: usize,
        things: &'static str,
        /// The file that differs from its chunk, after a semicolon, if there is one such file.
        unlike: String,
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
            Self::Metadata { path, .. }
            | Self::File { path, .. }
            | Self::Rows { path, .. }
            | Self::Feature { path, .. }
            | Self::Node { path, .. } => Some(path),
            _ => None,
        }
    }
}
