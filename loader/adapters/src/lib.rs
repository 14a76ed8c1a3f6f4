//! graphpack batches for training loops in other frameworks.
//!
//! A feature for each, so that nobody builds what he does not use:
//!
//! - `burn`: [`BurnLoader`] is the `DataLoader` of burn 0.22, which takes Rust 1.95; it gives [`BurnBatch`]es, the arrays of
//!   a batch as burn tensors;
//! - `candle`: [`CandleBatch`], the arrays of a batch as candle tensors.
//!
//! Arrays are copied out of the memory of the batch, which goes back to the loader right then. Names, shapes, dtypes and
//! padding are those of [`Batch`](graphpack_loader::Batch); only bools, masks among them, are `u8` in candle, which has none.
//!
//! # Scope
//!
//! Tensors; no layers, no optimizers. `examples/` has a small network and its training loop in each framework. libtorch is
//! the matter of `graphpack-tch`, which cannot be locked together with burn: they name different versions of `torch-sys`.
#![forbid(unsafe_code)]

#[cfg(feature = "burn")]
mod burn;
#[cfg(feature = "candle")]
mod candle;

#[cfg(feature = "burn")]
pub use burn::{BurnBatch, BurnLoader};
#[cfg(feature = "candle")]
pub use candle::{CandleBatch, CandleError};
pub use graphpack_loader;
