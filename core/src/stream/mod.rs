//! Streaming packers: one graph at a time, in fixed memory, without an allocator and without floating point.
//!
//! [`Window`] and [`NextFit`] need no histogram, so they also pack graphs that are not known beforehand. [`Window`]
//! fills packs better, because it keeps several open. [`NextFit`] has one open batch and keeps the order of the graphs:
//! the static and dynamic batching of other libraries. [`Follow`] makes the packs of a plan, as full as planned, where
//! the graphs are known beforehand and only their order is not.

mod follow;
mod next_fit;
mod window;

pub use follow::{Follow, FollowError};
pub use next_fit::{NextFit, NextFitError, Pushed, TooLarge};
pub use window::{MOST_OPEN, Placed, Window, WindowError, pack_in_window};
