//! Sets that follow from others: counted when planning, written by workers from what maps left.
//!
//! | file | what is in it |
//! |---|---|
//! | `derived` | a source with the rows that a rule gives; edges by distance are one in `near` |
//! | `pairs`, `adjacency` | triplets and line graphs: which pairs of edges are rows, and in which order |

mod adjacency;
mod derived;
mod pairs;

pub(super) use adjacency::Pairs;
pub(crate) use derived::DerivedError;
pub(super) use derived::{Derived, Rule, extended};
pub use pairs::LineGraphs;
