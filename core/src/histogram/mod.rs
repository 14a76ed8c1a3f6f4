//! Graph size -> number of graphs: [`Histogram`] in growing memory, [`FixedHistogram`] where there is no allocator.

mod fixed;
#[cfg(feature = "alloc")]
mod growable;

pub use fixed::{FixedHistogram, FixedHistogramError};
#[cfg(feature = "alloc")]
pub use growable::{Histogram, HistogramError};
