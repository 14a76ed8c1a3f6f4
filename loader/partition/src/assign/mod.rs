//! The part that owns each node.
//!
//! - [`Assignment`]: the part of each node; made by chance, read from the files of DGL, METIS and ParMETIS, or by
//!   `Metis` (feature `metis`), which leaves few edges between parts;
//! - [`Streaming`]: assigns nodes while edges are read, for graphs that do not fit into memory;
//! - [`Balance`]: what the parts should have equal amounts of; [`Quality`]: how good an assignment is;
//! - [`Trainers`]: several training processes per machine;
//! - [`write_for_partitioner`], [`write_for_parmetis`]: the graph in files of other partitioners
//!   ([`GraphFormat`]).

// | file | what is in it |
// |---|---|
// | `assignment` | `Assignment`: the part of each node; by chance; `Trainers`: several training processes per machine |
// | `files` | assignments in text files, as DGL, METIS and ParMETIS write them |
// | `balance` | `Balance`: what the parts should have equal amounts of, and how good an assignment is |
// | `metis` | `Metis`: assignments with few edges between parts |
// | `undirected` | the graph that METIS and other partitioners see |
// | `streaming` | `Streaming`: assignments of graphs that no memory holds |
// | `places` | where nodes are meanwhile |
// | `export` | graphs in files of other partitioners |

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
pub use assignment::Trainers;
pub use balance::{Balance, Quality};
pub use export::{GraphFormat, write_for_parmetis, write_for_partitioner};
#[cfg(feature = "metis")]
pub use metis::Metis;
pub use streaming::Streaming;
