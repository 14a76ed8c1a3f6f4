//! Packs many small graphs into few containers of fixed size, by the histogram of graph sizes.
//!
//! Accelerators want batches of one shape, and padding each graph to the largest one wastes most of the work. This
//! crate takes the [`Histogram`] of graph sizes and the [`Limits`] that one pack must keep, and returns a [`Plan`]:
//! which sizes share a pack, and how often each such pack is repeated. This is *Tuple Packing* (Krell et al., arXiv
//! 2209.06354), for sizes of one to eight sets: (nodes, edges), (nodes, edges, triplets), plain lengths.
//!
//! ```
//! use graphpack_core::{Heuristic, Histogram, Limits, Packer};
//!
//! // Three graphs of (20 nodes, 40 edges) and three of (10, 22), at most (30, 64) in a pack.
//! let histogram = Histogram::from_counts([([20, 40], 3), ([10, 22], 3)])?;
//! let plan = Packer::BestFit(Heuristic::Product).pack(&histogram, &Limits::new([30, 64]))?;
//!
//! assert_eq!(plan.packs(), 3); // each holds one graph of each size
//! assert_eq!(plan.bound(), 3); // and fewer are impossible
//! assert_eq!(plan.efficiency().components, [1.0, 62.0 / 64.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to look
//!
//! - sizes, what limits them and how they are ranked: [`Size`], [`Limits`], [`Heuristic`];
//! - data sets as counts: [`Histogram`], or [`FixedHistogram`] without an allocator;
//! - algorithms: [`Packer`] names them all, module [`packer`] says which is for what, [`Effort`] limits the work of
//!   some, [`baseline`] has what the paper compares with;
//! - results: [`Plan`], its [`Efficiency`] and its [`bound`]; without an allocator [`FixedPlan`], which a host makes,
//!   or a device by [`FixedPlan::best_fit`];
//! - packs that are alike, and other ones in each epoch: [`Recomposer`];
//! - choosing limits: [`search`], by what a step costs: [`Cost`]; a few limits in place of one: [`Buckets`];
//! - shapes that batches are padded to: [`Target`], from a [`Sample`], by [`Rounding`], or by
//!   [percentile](Target::percentile), each with its [`LeastPadding`];
//! - one graph at a time, without an allocator: [`stream`].
//!
//! # Scope
//!
//! Sizes in, plans out: this crate knows no features, files, threads or tensors. `graphpack-loader` turns plans into
//! batches.
//!
//! # The same plan everywhere
//!
//! Whether a graph fits, and whether a bound is proven, is decided on integers. Three packers use floating point to
//! choose among packs that all keep the limits: `Demand` ranks sizes by it, `Columns` solves a linear program, `Auto`
//! also ranks packs by how full they are; module [`search`] compares efficiencies. They add, multiply, divide, compare,
//! round and take square roots, each of which IEEE 754 defines to the last bit, in an order that the source fixes, and
//! they count steps instead of time. So a plan is the same on every target whose `f64` follows IEEE 754; of Rust's
//! targets, those for x86 without SSE2 do not. All else, [`stream`] included, decides on integers.
//!
//! # Features
//!
//! - `alloc` (default): histograms of any size, packers, plans. Without it the crate allocates nothing; sizes, limits,
//!   heuristics, targets, streaming packers, and histograms and plans of fixed capacity remain.
//! - `serde`: `Serialize` and `Deserialize` for sizes, limits, heuristics, targets, packers and plans.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

pub mod bound;
#[cfg(feature = "alloc")]
mod buckets;
mod cost;
#[cfg(feature = "serde")]
mod damaged;
mod debug_is_display;
mod fixed;
mod fixed_best_fit;
mod heuristic;
#[cfg(feature = "alloc")]
mod histogram;
mod lanes;
#[cfg(feature = "alloc")]
pub mod packer;
#[cfg(feature = "alloc")]
mod plan;
#[cfg(feature = "alloc")]
mod recompose;
#[cfg(feature = "alloc")]
pub mod search;
mod size;
pub mod stream;
mod target;

#[cfg(feature = "alloc")]
pub use buckets::{Bucket, Buckets};
pub use cost::Cost;
pub use fixed::{FixedHistogram, FixedHistogramError, FixedPack, FixedPlan, FixedPlanError};
pub use fixed_best_fit::FixedPackError;
pub use heuristic::Heuristic;
#[cfg(feature = "alloc")]
pub use histogram::{Histogram, HistogramError};
pub use lanes::FixedLimits;
#[cfg(feature = "alloc")]
pub use packer::{Effort, PackError, Packer, baseline};
#[cfg(feature = "alloc")]
pub use plan::{Efficiency, Pack, Plan};
#[cfg(feature = "alloc")]
pub use recompose::{Composition, Recomposer};
pub use size::{Limits, LimitsError, MAX_SETS, Size};
pub use target::{LeastPadding, Rounding, Sample, Target};
