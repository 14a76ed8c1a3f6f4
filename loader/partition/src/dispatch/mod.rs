//! The second step of DGL's distributed pipeline: makes parts of a chunked graph and an assignment without having the
//! graph in memory.
//!
//! | type | what it is |
//! |---|---|
//! | [`Dispatch`] | its options |
//! | [`Job`](job::Job) | what the ranks of a process share |
//! | `run`, `mpi` | start the ranks: threads of one process, or of each process of MPI |
//! | [`Exchange`](exchange::Exchange), [`Hub`](hub::Hub), [`Processes`](processes::Processes) | messages between ranks: as a rank sees them, within a process, between processes |
//! | [`Stop`](stop::Stop), [`Record`](record::Record) | whether ranks are to end early, and what another run needs to go on |
//! | [`Rank`](rank::Rank) | what one rank does |
//! | [`NewIds`](new_ids::NewIds), [`EdgeIds`](edge_ids::EdgeIds) | the new ids of nodes and edges, which all ranks know |
//! | [`Outbox`](outbox::Outbox) | rows on their way to the rank that writes their part |
//! | [`Spills`](spills::Spills), [`Spill`](spill::Spill), [`Scratch`](scratch::Scratch) | and there, in a temporary file per part, in a folder |
//! | [`Stream`](stream::Stream) | a feature on that way |
//! | [`Owners`](owners::Owners) | the part of each edge, in a temporary file, for features of edges |
//! | [`PartWriter`](part_writer::PartWriter), [`PartBuilder`](part_builder::PartBuilder) | write and make a part of what is in its file |
//! | [`NodeSet`](node_set::NodeSet), [`Gate`](gate::Gate) | the nodes of a HALO; how many bytes of parts are in memory |
//!
//! Part p belongs to rank p % ranks. In each round a rank reads a range of one of its chunks and sends each row to the
//! rank of the row's part, which appends it to a file. Blocks of rows carry their original position, so that their
//! order does not depend on ranks or chunks. An edge between parts is sent to both; that of its source finds its id when
//! all edges were counted.

mod dispatch;
mod edge_ids;
mod error;
mod exchange;
mod gate;
mod hub;
mod job;
#[cfg(feature = "mpi")]
mod mpi;
mod new_ids;
mod node_set;
mod outbox;
mod outcome;
mod owners;
mod part_builder;
mod part_writer;
mod processes;
mod rank;
mod record;
mod run;
mod scratch;
mod spill;
mod spills;
mod stop;
mod stream;

pub use dispatch::Dispatch;
pub use error::DispatchError;
#[cfg(feature = "mpi")]
pub use mpi::MpiRanks;
pub(crate) use new_ids::NewIds;
pub use outcome::{Dispatched, Progress};
