//! Sets that follow from `edge_index`: counted when planning, written by workers after the transform.
//!
//! | file | what is in it |
//! |---|---|
//! | `triplets`, `line_graphs` | the sources, each around another source |
//! | `derived` | what they have in common |
//! | `rule`, `adjacency` | which pairs of edges are rows, and in which order |
//! | `count`, `cache`, `error` | the number of rows of every graph |

mod adjacency;
mod cache;
mod count;
mod derived;
mod error;
mod line_graphs;
mod rule;
mod triplets;

pub use error::DerivedError;
pub use line_graphs::LineGraphs;
pub use triplets::Triplets;
