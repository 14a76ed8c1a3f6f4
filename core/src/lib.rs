//! Packs many small graphs into few fixed-size containers, by the histogram of their sizes.
//!
//! Accelerators want batches of one shape; padding each graph to the largest wastes most of the work. This crate looks at
//! the [`Histogram`] of graph sizes, takes the [`Limits`] that one pack must keep, and returns a [`Plan`]: which sizes share
//! a pack, and how often each such pack is repeated. It is the algorithmic core of *Tuple Packing* (Krell et al.,
//! arXiv 2209.06354), for sizes of any number of components: (nodes, edges), (nodes, edges, triplets), plain lengths.
//!
//! ```
//! use graphpack_core::{Heuristic, Histogram, Limits, Packer, Size};
//!
//! // Three graphs of (20 nodes, 40 edges) and three of (10, 22), at most (30, 64) in a pack.
//! let histogram = Histogram::from_counts([(Size([20, 40]), 3), (Size([10, 22]), 3)])?;
//! let plan = Packer::BestFit(Heuristic::Product).pack(&histogram, &Limits::new([30, 64]))?;
//!
//! assert_eq!(plan.packs(), 3); // each holds one graph of either size
//! assert_eq!(plan.bound(), 3); // and fewer are impossible
//! assert_eq!(plan.efficiency().components, [1.0, 62.0 / 64.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to look
//!
//! - sizes and what bounds them: [`Size`], [`Limits`], [`Heuristic`];
//! - data sets as counts: [`Histogram`], and [`FixedHistogram`] where there is no allocator;
//! - algorithms: [`Packer`] names them all, module [`packer`] says which is for what, [`baseline`] has the paper's baselines;
//! - choosing limits: [`search`];
//! - shapes that batches are padded to: [`Target`], from a [`Sample`], by [`Rounding`], or by [percentile](Target::percentile);
//! - one graph at a time, without an allocator: [`stream`], with a [`FixedPlan`] or without any plan;
//! - results: [`Plan`], its [`Efficiency`] and its [`bound`]; [`FixedPlan`] where there is no allocator.
//!
//! # Scope
//!
//! Sizes in, plans out: this crate knows no features, files, threads or tensors, and decides nothing by floating point,
//! so that a plan is the same on every target. `graphpack-loader` turns plans into batches.
//!
//! # Features
//!
//! - `alloc` (default): histograms of any size, packers, plans. Without it the crate allocates nothing: sizes, limits,
//!   heuristics, streaming packers, fixed-capacity histograms and plans remain.
//! - `serde`: `Serialize` and `Deserialize` for sizes, limits, heuristics, packers and plans.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod effort;
mod heuristic;
mod histogram;
mod limits;
#[cfg(feature = "alloc")]
pub mod packer;
mod plan;
#[cfg(feature = "alloc")]
pub mod search;
mod size;
pub mod stream;
mod target;

pub use effort::Effort;
pub use heuristic::Heuristic;
pub use histogram::{FixedHistogram, FixedHistogramError};
#[cfg(feature = "alloc")]
pub use histogram::{Histogram, HistogramError};
pub use limits::{Limits, LimitsError};
#[cfg(feature = "alloc")]
pub use packer::{PackError, Packer, baseline};
#[cfg(feature = "alloc")]
pub use plan::{Efficiency, Plan};
pub use plan::{FixedPlan, FixedPlanError, Pack, bound};
pub use size::Size;
pub use target::{Rounding, Sample, Target};
