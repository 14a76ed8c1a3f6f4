//! graphpack batches for training loops in other frameworks, one feature for each:
//!
//! - `burn`: [`BurnLoader`] is a `DataLoader` of burn 0.22, which needs Rust 1.95; it gives [`BurnBatch`]es, the arrays
//!   of a batch as burn tensors;
//! - `wgpu`: the same on burn's devices of Vulkan, Metal and WebGPU, where a batch arrives in one copy;
//! - `candle`: [`CandleBatch`], the arrays of a batch as candle tensors.
//!
//! Arrays are copied out of the memory of the batch, which goes back to the loader right away. Names, shapes, dtypes
//! and padding are those of [`Batch`](graphpack_loader::Batch), but for some dtypes: candle has no bool, so bools,
//! including masks, are `u8` there; 64-bit numbers get 32 on devices of burn that do not compute in 64, and on any with
//! `narrow`; `u8` and float16 become `i32` and `f32` on devices of burn that do not compute in them.
//!
//! # Scope
//!
//! Tensors; no layers, no optimizers. `examples/` has a small network and its training loop in each framework. libtorch
//! is in `graphpack-tch`, which cannot share a lock file with burn: they name different versions of `torch-sys`.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(all(doctest, feature = "candle"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "burn")]
mod burn;
#[cfg(feature = "candle")]
mod candle;

#[cfg(feature = "burn")]
pub use burn::{BurnBatch, BurnError, BurnLoader};
#[cfg(feature = "candle")]
pub use candle::{CandleBatch, CandleError};
pub use graphpack_loader;
