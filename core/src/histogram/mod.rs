//! Graph size -> number of graphs: [`Histogram`] in growing memory, [`FixedHistogram`] where there is no allocator.

mod fixed;
#[cfg(feature = "alloc")]
mod histogram;

pub use fixed::{FixedHistogram, FixedHistogramError};
#[cfg(feature = "alloc")]
pub use histogram::{Histogram, HistogramError};
