//! Sets that follow from others: counted when planning, written by workers after the transform.
//!
//! | file | what is in it |
//! |---|---|
//! | `triplets`, `line_graphs` | sources around another source, with pairs of its edges |
//! | `pairs`, `pairs_rule`, `adjacency` | which pairs of edges are rows, and in which order |
//! | `rule`, `derived` | any rule, and a source with the rows that it gives; edges by distance are one in `neighbours` |
//! | `count`, `cache`, `error` | the number of rows of every graph |

mod adjacency;
mod cache;
mod count;
mod derived;
mod error;
mod line_graphs;
mod pairs;
mod pairs_rule;
mod rule;
mod triplets;

pub(super) use derived::Derived;
pub use error::DerivedError;
pub use line_graphs::LineGraphs;
pub(super) use rule::Rule;
pub use triplets::Triplets;
