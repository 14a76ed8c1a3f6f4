//! Choosing limits (paper, sections 2.5 and 3.2, and its future work): how good packs are under many limits, and which
//! to take.
//!
//! [`around`] proposes limits, and [`Candidate::evaluate`] packs a histogram under one of them. Of many candidates,
//! [`pareto`] keeps those that no other beats, [`smallest`] finds the smallest that is full enough, and [`fullest`] the
//! fullest for a number of graphs per step. Most limits need no packing for that: even packs as few as the simple bound
//! would not be chosen. [`evaluate_for_pareto`] and [`evaluate_for_fullest`] leave these out. [`cheapest`] finds the
//! limits with the cheapest epoch by a [`Cost`](crate::Cost), for example among those [`within`] a budget of memory.

mod around;
mod candidate;
mod cheapest;
mod choose;
mod evaluate;

pub use around::around;
pub use candidate::Candidate;
pub use cheapest::{cheapest, within};
pub use choose::{fullest, pareto, smallest};
pub use evaluate::{evaluate_for_fullest, evaluate_for_pareto};
