//! The second step of DGL's distributed pipeline: makes parts of a chunked graph and an assignment without having the
//! graph in memory.
//!
//! | type | what it is |
//! |---|---|
//! | [`Dispatch`] | its options |
//! | [`Job`](job::Job) | what the ranks of a process share |
//! | [`Exchange`](exchange::Exchange) | messages between ranks; `threads` and `mpi` implement it and start the ranks |
//! | [`Rank`](rank::Rank) | what one rank does |
//! | [`NewIds`](new_ids::NewIds) | the new id of each node, which all ranks know |
//! | [`Outbox`](outbox::Outbox), [`Spill`](spill::Spill) | rows on their way to the rank that writes their part, and there in a temporary file |
//! | [`Stream`](stream::Stream) | a feature on that way |
//! | [`Owners`](owners::Owners) | the part of each edge, in a temporary file, for features of edges |
//! | [`PartBuilder`](part_builder::PartBuilder) | makes a part of what is in its file |
//! | [`NodeSet`](node_set::NodeSet), [`Gate`](gate::Gate) | the nodes of a HALO; how many bytes of parts are in memory |
//!
//! Part p belongs to rank p % ranks. In each round a rank reads a range of one of its chunks and sends each row to the
//! rank of the row's part, which appends it to a file. Blocks of rows carry their original position, so that their
//! order does not depend on ranks or chunks.

mod dispatch;
mod error;
mod exchange;
mod gate;
mod job;
#[cfg(feature = "mpi")]
mod mpi;
mod new_ids;
mod node_set;
mod outbox;
mod outcome;
mod owners;
mod part_builder;
mod rank;
mod spill;
mod stream;
mod threads;

pub use dispatch::Dispatch;
pub use error::DispatchError;
#[cfg(feature = "mpi")]
pub use mpi::MpiRanks;
pub(crate) use new_ids::NewIds;
pub use outcome::{Dispatched, Progress};
