//! [`DispatchError`]: why a graph could not be dispatched.

use crate::dgl::DglError;
use crate::{AssignmentError, AssignmentFileError, ChunkedError};
use std::io;
use std::path::PathBuf;

/// A graph that could not be dispatched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DispatchError {
    /// A file, mostly a temporary one, cannot be read or written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// There must be someone to do it.
    #[error("{threads} threads, expected at least 1")]
    Threads {
        /// Number of threads.
        threads: usize,
    },
    /// The system gives no more threads.
    #[error("cannot start thread {thread} of {threads}: {source}")]
    Spawn {
        /// The one that could not be started, from 0.
        thread: usize,
        /// Number of threads.
        threads: usize,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Positions within a type and part have 32 bits.
    #[error("part {part} has more than {most} nodes of type {kind}")]
    TooLarge {
        /// The part.
        part: usize,
        /// The type of nodes.
        kind: String,
        /// Most nodes.
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
    /// Ranks do not understand each other.
    #[error("a message of rank {rank} is damaged: {bytes} bytes at its end")]
    Message {
        /// Who sent it.
        rank: usize,
        /// Bytes that are no message.
        bytes: usize,
    },
    /// A rank panicked.
    #[error("a rank panicked: {message}")]
    Panic {
        /// What it said.
        message: String,
    },
    /// Another process failed.
    #[error("rank {rank}: {message}")]
    Rank {
        /// Which one.
        rank: usize,
        /// Its error.
        message: String,
    },
    /// MPI cannot be used.
    #[error("MPI: {problem}")]
    Mpi {
        /// Why not.
        problem: String,
    },
    /// Another thread failed; its error is the one to look at.
    #[error("another rank failed")]
    Stopped,
}
