//! Streaming packers: one graph at a time, in fixed memory, without an allocator and without floating point.
//!
//! [`Window`] and [`NextFit`] need no histogram, so they also pack data that is not known beforehand, in whichever
//! order it comes. [`Window`] fills batches best, with several of them open; [`NextFit`] has one open batch and keeps
//! the order: the static and dynamic batching of other libraries. [`Follow`] makes the packs of a plan where the graphs
//! are known beforehand and only their order is not: as full as the plan.

mod follow;
mod next_fit;
mod window;

pub use follow::{Follow, FollowError};
pub use next_fit::{NextFit, NextFitError, Pushed, TooLarge};
pub use window::{Placed, Window, WindowError};
