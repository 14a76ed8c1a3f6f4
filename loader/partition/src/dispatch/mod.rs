//! The second step of DGL's distributed pipeline: makes parts of a chunked graph and an assignment without having the
//! graph in memory.
//!
//! | file | what is in it |
//! |---|---|
//! | `options` | [`Dispatch`]: its options, and what a run says |
//! | `run` | starts the ranks of a process and ends them together |
//! | `job` | what the ranks of a process share: options, memory, the folder of temporary files, whether to end early |
//! | `rank` | what one rank does |
//! | `hub`, `processes`, `mpi` | messages between ranks: within a process, between processes, by MPI |
//! | `ids` | the new ids of nodes and edges, and the part of each edge |
//! | `spills` | rows that came for a part, in a temporary file |
//! | `parts` | makes a part of what is in its file, and writes it |
//! | `record` | what another run needs to go on |
//! | `error` | why a dispatch fails or was stopped |
//!
//! Part p belongs to rank p % ranks. In each round a rank reads a range of one of its chunks and sends each row to the
//! rank of the row's part, which appends it to a file. Blocks of rows carry their original position, so that their
//! order does not depend on ranks or chunks. An edge between parts is sent to both; that of its source finds its id
//! when all edges were counted.

mod error;
mod hub;
mod ids;
mod job;
#[cfg(feature = "mpi")]
mod mpi;
mod options;
mod parts;
mod processes;
mod rank;
mod record;
mod run;
mod spills;

pub(crate) use error::DispatchError;
pub(crate) use ids::NewIds;
#[cfg(feature = "mpi")]
pub use mpi::MpiRanks;
pub use options::{Dispatch, Dispatched, Progress};
