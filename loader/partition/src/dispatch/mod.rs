//! The second step of DGL's distributed pipeline: parts from a chunked graph and an assignment, without having the graph in memory.
//!
//! | type | what it is |
//! |---|---|
//! | [`Dispatch`] | its options, and how it is started |
//! | [`Exchange`](exchange::Exchange) | messages from each rank to each other: [`threads`], [`mpi`] |
//! | [`Rank`](rank::Rank) | what one rank does |
//! | [`NewIds`](new_ids::NewIds) | the new id of each node, which all ranks have |
//! | [`Outbox`](outbox::Outbox), [`Spill`](spill::Spill) | rows on their way to the rank that writes their part, and there, in a file |
//! | [`Stream`](stream::Stream) | a feature on the same way |
//! | [`Owners`](owners::Owners) | the part of each edge, in a file, for features of edges |
//! | [`PartBuilder`](part_builder::PartBuilder) | one part of what is in its file |
//!
//! Part p belongs to rank p % ranks. In each round a rank reads a range of a chunk of its own, and sends each row to the rank of its part, which appends
//! it to a file. Rows are marked with where they start in the original, so that their order does not depend on ranks or chunks.

#[allow(clippy::module_inception, reason = "the type that the folder is named after")]
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
pub use outcome::{Dispatched, Progress};
