//! The part that owns each node.
//!
//! - [`Assignment`]: the part of each node; made by chance, of blocks of ids, read from the files of DGL, METIS and
//!   ParMETIS, or by `Metis` (feature `metis`), which leaves few edges between parts;
//! - [`Streaming`]: assigns nodes while edges are read, for graphs that do not fit into memory;
//! - [`Balance`]: what the parts should have equal amounts of; [`Quality`]: how good an assignment is;
//! - [`write_for_partitioner`], [`write_for_parmetis`]: the graph in files of other partitioners
//!   ([`GraphFormat`]).

// Beside them: `files` has assignments as text files, `undirected` the graph that METIS and other partitioners see,
// `places` where nodes are meanwhile.

pub(crate) mod assignment;
mod balance;
mod export;
mod files;
#[cfg(feature = "metis")]
mod metis;
mod places;
mod streaming;
mod undirected;

pub(crate) use assignment::Assignment;
pub use balance::{Balance, Quality};
pub use export::{GraphFormat, write_for_parmetis, write_for_partitioner};
#[cfg(feature = "metis")]
pub use metis::Metis;
pub use streaming::Streaming;
