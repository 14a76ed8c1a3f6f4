//! Graph size -> number of graphs: [`Histogram`] in growing memory, [`FixedHistogram`] where there is no allocator.

mod fixed;
#[cfg(feature = "alloc")]
#[expect(clippy::module_inception, reason = "the file has the name of the type in it")]
mod histogram;

pub use fixed::{FixedHistogram, FixedHistogramError};
#[cfg(feature = "alloc")]
pub use histogram::{Histogram, HistogramError};
