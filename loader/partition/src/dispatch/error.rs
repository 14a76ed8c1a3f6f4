//! [`DispatchError`]: a graph that could not be dispatched.

use crate::dgl::DglError;
use crate::{AssignmentError, AssignmentFileError, ChunkedError};
use graphpack_loader::IoError;
use std::io;
use std::path::PathBuf;

/// A graph that could not be dispatched.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum DispatchError {
    /// A file, usually a temporary one, cannot be read or written.
    #[error(transparent)]
    Io(#[from] IoError),
    /// The number of threads is 0.
    #[error("{threads} threads, expected at least 1")]
    Threads {
        /// Number of threads.
        threads: usize,
    },
    /// The system cannot start a thread.
    #[error("cannot start thread {thread} of {threads}: {source}")]
    Spawn {
        /// Number of the thread, from 0.
        thread: usize,
        /// Number of threads.
        threads: usize,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A part has more nodes of a type than 32 bits can number.
    #[error("part {part} has more than {most} nodes of type {kind}")]
    TooLarge {
        /// The part.
        part: usize,
        /// The type of nodes.
        kind: String,
        /// The largest number of nodes.
        most: u32,
    },
    /// The chunked graph cannot be read.
    #[error(transparent)]
    Chunked(#[from] ChunkedError),
    /// The assignment is for another graph.
    #[error(transparent)]
    Assignment(#[from] AssignmentError),
    /// The assignment cannot be read.
    #[error(transparent)]
    AssignmentFile(#[from] AssignmentFileError),
    /// A part cannot be written.
    #[error(transparent)]
    Dgl(#[from] DglError),
    /// A message between ranks is damaged.
    #[error("a message of rank {rank} is damaged: {bytes} bytes at its end")]
    Message {
        /// The rank that sent it.
        rank: usize,
        /// Number of bytes that are not part of a message.
        bytes: usize,
    },
    /// A rank panicked.
    #[error("a panic: {message}")]
    Panic {
        /// The message of the panic.
        message: String,
    },
    /// One of several ranks failed. Ranks are numbered process by process.
    #[error("rank {rank}: {source}")]
    Rank {
        /// The rank that failed.
        rank: usize,
        /// Its error.
        source: Box<DispatchError>,
    },
    /// The error of a rank in another process.
    #[error("{message}")]
    Elsewhere {
        /// Its message.
        message: String,
    },
    /// The caller asked the run to stop, which leaves whole parts for another that resumes it.
    #[error("stopped when {whole} of {parts} parts were whole")]
    Stopped {
        /// Number of parts that are left.
        whole: usize,
        /// Number of all parts.
        parts: usize,
    },
    /// The folder has what another run has left, of other inputs or with other options.
    #[error("{}: {what} was {expected}, is now {found}; expected the same inputs and options", .path.display())]
    Resume {
        /// The record of the other run.
        path: PathBuf,
        /// Which input or option.
        what: String,
        /// What it was in the other run.
        expected: String,
        /// What it is now.
        found: String,
    },
    /// MPI cannot be used.
    #[error("MPI: {problem}")]
    Mpi {
        /// Why.
        problem: String,
    },
    /// Another rank failed, whose error is returned.
    #[error("another rank failed")]
    Ended,
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

graphpack_core::debug_is_display!(DispatchError);
