//! Statistics of repeated runs, which `examples/batching_study` and `cargo xtask worth` share: [`mean`], [`median`] and
//! [`deviation`], [`mean_and_interval`], the t-tests [`student`] and [`welch`], and [`holm`]'s correction for several
//! tests.

mod statistics;

pub use statistics::{Test, deviation, holm, mean, mean_and_interval, median, student, welch};
