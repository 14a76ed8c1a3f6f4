//! [`DispatchError`]: a graph that could not be dispatched.

use graphpack_loader::extend::Cause;
use graphpack_loader::{Error, ErrorKind};
use std::io;
use std::path::{Path, PathBuf};

/// A graph that could not be dispatched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DispatchError {
    #[error("{threads} threads, expected at least 1")]
    Threads { threads: usize },
    #[error("cannot start thread {thread} of {threads}: {source}")]
    Spawn { thread: usize, threads: usize, source: io::Error },
    #[error("part {part} has more than {most} nodes of type {kind}")]
    TooLarge { part: usize, kind: String, most: u32 },
    #[error("a message of rank {rank} is damaged: {bytes} bytes at its end")]
    Message { rank: usize, bytes: usize },
    #[error("a panic: {message}")]
    Panic { message: String },
    #[error("rank {rank}: {source}")]
    Rank { rank: usize, source: Error },
    #[cfg(feature = "mpi")]
    #[error("{message}")]
    Elsewhere { message: String },
    #[error("stopped when {whole} of {parts} parts were whole")]
    Stopped { whole: usize, parts: usize },
    #[error("{}: {what} was {expected}, is now {found}; expected the same inputs and options", .path.display())]
    Resume { path: PathBuf, what: String, expected: String, found: String },
    #[cfg(feature = "mpi")]
    #[error("MPI: {problem}")]
    Mpi { problem: String },
    #[error("another rank failed")]
    Ended,
}

impl Cause for DispatchError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Threads { .. } => ErrorKind::Options,
            Self::TooLarge { .. } => ErrorKind::TooLarge,
            Self::Resume { .. } => ErrorKind::Resume,
            Self::Stopped { .. } => ErrorKind::Stopped,
            Self::Rank { source, .. } => source.kind(),
            _ => ErrorKind::Load,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Resume { path, .. } => Some(path),
            Self::Rank { source, .. } => source.path(),
            _ => None,
        }
    }
}

/// Says which of several ranks has failed.
pub(super) fn of_rank(error: Error, rank: usize, ranks: usize) -> Error {
    match error.cause() {
        Some(DispatchError::Ended | DispatchError::Stopped { .. } | DispatchError::Rank { .. }) => error,
        _ if ranks == 1 => error,
        _ => DispatchError::Rank { rank, source: error }.into(),
    }
}
