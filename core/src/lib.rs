#![doc = include_str!("../README.md")]
//!
//! ## Where to look
//!
//! - sizes, what limits them and how they are ranked: [`Size`], [`Limits`], [`Heuristic`];
//! - data sets as counts: [`Histogram`], or [`FixedHistogram`] without an allocator;
//! - algorithms: [`Packer`] names them all and says which is for what, [`Budget`] limits the work of some,
//!   [`best_fit_by`] packs in an order of yours, [`baseline`] has what the paper compares with;
//! - results: [`Plan`], its [`Efficiency`] and its [`bound`]; without an allocator [`FixedPlan`], which a host makes,
//!   or a device by [`FixedPlan::best_fit`];
//! - packs that are alike, and other ones in each epoch: [`Recomposer`];
//! - choosing limits: [`search`], by what a step costs: [`Cost`]; a few limits in place of one: [`FewShapes`];
//! - the largest shape that a device takes: [`Probe`];
//! - shapes that batches are padded to: [`Shape`], from a [`Sample`], by [`Rounding`], or by
//!   [percentile](Shape::percentile), each with its [`LeastPadding`];
//! - one graph at a time, without an allocator: [`stream`];
//! - a batch of graphs in fixed memory, and the padding rule: [`collate`].
//!
//! ## The same plan everywhere
//!
//! Whether a graph fits, and whether a bound is proven, is decided on integers. Three packers use floating point to
//! choose among packs that all keep the limits: `Demand` ranks sizes by it, `Columns` solves a linear program, `Auto`
//! also ranks packs by how full they are; module [`search`] compares efficiencies. They add, multiply, divide, compare,
//! round and take square roots, each of which IEEE 754 defines to the last bit, in an order that the source fixes, and
//! they count steps instead of time. So a plan is the same on every platform whose `f64` follows IEEE 754; of
//! those that Rust compiles for, x86 without SSE2 does not. All else, [`stream`] included, decides on integers.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "alloc")]
pub mod bound;
pub mod collate;
mod cost;
#[cfg(feature = "serde")]
mod damaged;
mod debug_is_display;
#[cfg(feature = "alloc")]
mod few_shapes;
mod fixed;
mod fixed_best_fit;
mod heuristic;
#[cfg(feature = "alloc")]
mod histogram;
mod lanes;
#[cfg(feature = "alloc")]
mod packer;
#[cfg(feature = "alloc")]
mod plan;
#[cfg(feature = "alloc")]
mod probe;
#[cfg(feature = "alloc")]
mod recompose;
#[cfg(feature = "alloc")]
pub mod search;
mod shape;
mod size;
pub mod stream;

pub use cost::Cost;
#[cfg(feature = "alloc")]
pub use few_shapes::{FewShapes, SizeClass};
pub use fixed::{FixedHistogram, FixedHistogramError, FixedPack, FixedPlan, FixedPlanError};
pub use fixed_best_fit::FixedPackError;
pub use heuristic::Heuristic;
#[cfg(feature = "alloc")]
pub use histogram::{Histogram, HistogramError};
pub use lanes::FixedLimits;
#[cfg(feature = "alloc")]
pub use packer::{Budget, PackError, Packer, baseline, best_fit_by};
#[cfg(feature = "alloc")]
pub use plan::{Efficiency, Pack, Plan};
#[cfg(feature = "alloc")]
pub use probe::Probe;
#[cfg(feature = "alloc")]
pub use recompose::{Composition, Recomposer};
pub use shape::{LeastPadding, Rounding, Sample, Shape};
pub use size::{Limits, LimitsError, MAX_SETS, Size};
