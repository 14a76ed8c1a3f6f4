//! Sets that follow from others: counted when planning, written by workers from what maps left.
//!
//! | file | what is in it |
//! |---|---|
//! | `rule` | any rule by which rows follow; why they cannot |
//! | `derived` | a source with the rows that a rule gives; edges by distance are one in `neighbours` |
//! | `pairs`, `adjacency` | triplets and line graphs: which pairs of edges are rows, and in which order |
//! | `cache` | a file with the number of rows of every graph |

mod adjacency;
mod cache;
mod derived;
mod pairs;
mod rule;

pub(super) use adjacency::Pairs;
pub(super) use derived::Derived;
pub use pairs::LineGraphs;
pub(crate) use rule::DerivedError;
pub(super) use rule::Rule;
