//! [`DispatchError`]: a graph that could not be dispatched.

use crate::dgl::DglError;
use crate::{AssignmentError, AssignmentFileError, ChunkedError};
use graphpack_loader::IoError;
use std::io;
use std::path::PathBuf;

/// A graph that could not be dispatched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DispatchError {
    #[error("{threads} threads, expected at least 1")]
    Threads {
        threads: usize,
    },
    #[error("cannot start thread {thread} of {threads}: {source}")]
    Spawn {
        thread: usize,
        threads: usize,
        #[source]
        source: io::Error,
    },
    #[error("part {part} has more than {most} nodes of type {kind}")]
    TooLarge {
        part: usize,
        kind: String,
        most: u32,
    },
    #[error("a message of rank {rank} is damaged: {bytes} bytes at its end")]
    Message {
        rank: usize,
        bytes: usize,
    },
    #[error("a panic: {message}")]
    Panic {
        message: String,
    },
    #[error("rank {rank}: {source}")]
    Rank {
        rank: usize,
        source: Error,
    },
    #[error("{message}")]
    Elsewhere {
        message: String,
    },
    #[error("stopped when {whole} of {parts} parts were whole")]
    Stopped {
        whole: usize,
        parts: usize,
    },
    #[error("{}: {what} was {expected}, is now {found}; expected the same inputs and options", .path.display())]
    Resume {
        path: PathBuf,
        what: String,
        expected: String,
        found: String,
    },
    #[error("MPI: {problem}")]
    Mpi {
        problem: String,
    },
    #[error("another rank failed")]
    Ended,
}

impl Cause for DispatchError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::File
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Resume { path, .. } => Some(path),
            _ => None,
        }
    }
}

impl DispatchError {
    /// Says which of several ranks has failed.
    pub(super) fn of_rank(self, rank: usize, ranks: usize) -> Self {
        match self {
            error @ (Self::Ended | Self::Stopped { .. } | Self::Rank { .. }) => error,
            error if ranks == 1 => error,
            error => Self::Rank { rank, source: Box::new(error) },
        }
    }
}
