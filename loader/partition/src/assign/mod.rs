//! The part that owns each node.
//!
//! | file | what is in it |
//! |---|---|
//! | `assignment` | [`Assignment`]: the part of each node; by chance |
//! | `files` | assignments in text files, as DGL and ParMETIS write them |
//! | `balance` | [`Balance`]: what the parts should have equal amounts of, and how good an assignment is |
//! | `weights` | the numbers of each node that a balance adds up |
//! | `metis` | `Metis`: assignments with few edges between parts |
//! | `undirected` | the graph that METIS sees |
//! | `repair` | moves nodes until no part has too much |

mod assignment;
mod balance;
mod files;
#[cfg(feature = "metis")]
mod metis;
#[cfg(feature = "metis")]
mod repair;
#[cfg(feature = "metis")]
mod undirected;
mod weights;

pub use assignment::{Assignment, AssignmentError};
pub use balance::{Balance, Quality};
pub use files::AssignmentFileError;
#[cfg(feature = "metis")]
pub use metis::{Metis, MetisError};
pub use weights::BalanceError;
