//! Streaming packers: one graph at a time, in fixed memory, without an allocator and without floating point.
//!
//! The caller gives each graph with its size and an id of its own, and gets the ids of the graphs that share a pack as
//! soon as it is complete.
//!
//! | stream | which graphs share a pack | needs | most graphs that wait |
//! |---|---|---|---|
//! | [`Window`] | those that fill one of a few open packs best | limits | open packs x most graphs per pack |
//! | [`NextFit`] | those that follow one another: the static and dynamic batching of other libraries | limits | most graphs per pack |
//! | [`Follow`] | as planned, in whichever order graphs come | a plan | [`FixedPlan::most_waiting`](crate::FixedPlan::most_waiting) |

mod follow;
mod next_fit;
mod waiting;
mod window;

pub use follow::Follow;
pub use next_fit::{NextFit, Pushed, TooLarge};
pub use waiting::{PackIds, StreamError, Waiting};
pub use window::{MOST_OPEN, Placed, Window, pack_in_window};
