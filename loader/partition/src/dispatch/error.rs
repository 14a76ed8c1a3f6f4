//! [`DispatchError`]: a graph that could not be dispatched.

use crate::dgl::DglError;
use crate::{AssignmentError, AssignmentFileError, ChunkedError};
use std::io;
use std::path::PathBuf;

/// A graph that could not be dispatched.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum DispatchError {
    /// A file, usually a temporary one, cannot be read or written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
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
    #[error("a rank panicked: {message}")]
    Panic {
        /// The message of the panic.
        message: String,
    },
    /// Another process failed.
    #[error("rank {rank}: {message}")]
    Rank {
        /// The rank that failed.
        rank: usize,
        /// The message of its error.
        message: String,
    },
    /// MPI cannot be used.
    #[error("MPI: {problem}")]
    Mpi {
        /// Why.
        problem: String,
    },
    /// Another thread failed and returns its own error.
    #[error("another rank failed")]
    Stopped,
}

graphpack_core::debug_is_display!(DispatchError);
