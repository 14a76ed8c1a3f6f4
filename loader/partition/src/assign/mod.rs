//! The part that owns each node.
//!
//! | file | what is in it |
//! |---|---|
//! | `assignment` | [`Assignment`]: the part of each node; by chance |
//! | `files` | assignments in text files, as DGL, METIS and ParMETIS write them |
//! | `balance` | [`Balance`]: what the parts should have equal amounts of, and how good an assignment is |
//! | `weights` | the numbers of each node that a balance adds up |
//! | `metis` | `Metis`: assignments with few edges between parts |
//! | `kway`, `metis_error` | METIS's function for them, and why there are none |
//! | `undirected` | the graph that METIS and other partitioners see |
//! | `streaming` | [`Streaming`]: assignments of graphs that no memory holds |
//! | `places` | where nodes are meanwhile |
//! | `trainers` | [`Trainers`]: parts for several training processes per machine |
//! | `export` | graphs in files of other partitioners |

mod assignment;
mod balance;
mod export;
mod files;
#[cfg(any(feature = "metis", feature = "system-metis"))]
mod kway;
#[cfg(any(feature = "metis", feature = "system-metis"))]
mod metis;
#[cfg(any(feature = "metis", feature = "system-metis"))]
mod metis_error;
mod places;
mod streaming;
mod trainers;
mod undirected;
mod weights;

pub use assignment::{Assignment, AssignmentError};
pub use balance::{Balance, Quality};
pub use export::{ExportError, GraphFormat, write_for_parmetis, write_for_partitioner};
pub use files::AssignmentFileError;
#[cfg(any(feature = "metis", feature = "system-metis"))]
pub use metis::Metis;
#[cfg(any(feature = "metis", feature = "system-metis"))]
pub use metis_error::MetisError;
pub use streaming::{Streaming, StreamingError};
pub use trainers::Trainers;
pub use weights::BalanceError;
