//! Streaming packers: one graph at a time, in fixed memory, without an allocator and without floating point.
//!
//! They need no histogram, so they also pack data that is not known beforehand, in whichever order it comes.

mod window;

pub use window::{Placed, Window, WindowError};
