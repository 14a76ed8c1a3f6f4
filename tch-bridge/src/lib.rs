#![doc = include_str!("../README.md")]
//!
//! ## Where to look
//!
//! - tensors: [`TensorBatch`]; a [`device()`] by its name;
//! - [`TensorLoader`]: a loader whose epochs are tensors on a device; [`DeviceLoader`]: those of any iterator of batches;
//! - on a GPU: they copy batches from [`Pinned`] memory while the step before computes; [`Stream`] and
//!   [`Event`] order work of your own beside it; with [`CapturedStep`] and [`Adam`] a training step is one launch;
//! - to stop and go on: a [`Checkpoint`] has weights, the optimizer's state and the loader's;
//! - in models: [`Segments`] has sums, means, maxima and softmax over the rows of each graph or the edges into each
//!   node; [`Dense`] puts the rows of each graph side by side, [`cumulative_lengths`] are for attention without that;
//! - results: [`GraphResults`] puts predictions in the order of the data, [`TensorBatch::unbatch`] and
//!   [`unbatch_by`](TensorBatch::unbatch_by) give the rows of each graph;
//! - against padding that leaks into a model: [`sum_pool`], [`mean_pool`], [`MaskedBatchNorm`], [`bce_with_logits`],
//!   [`mse`], [`l1`], [`masked_mean`].
//!
//! Tests of it are in `tch-bridge/tests/` on the CPU; in `tests/simulated_gpu/tests/` for the order of streams and for
//! captured steps, without a GPU; in `tch-bridge/tests/on_gpu/` on one.
//!
//! ## Errors
//!
//! What computes with tensors alone ([`Segments`], [`Dense`], [`MaskedBatchNorm`], losses) returns [`tch::TchError`],
//! as tch's own functions do. What needs a batch, a device, a file or the loader returns [`Error`], which has the
//! graph, the batch or the file. `?` turns the first into the second. What libtorch refuses is an error, never a panic,
//! except where a layer is made: [`MaskedBatchNorm::new`] panics as tch's layers do.
//!
//! ## The shim
//!
//! The C++ in `cpp/` compiles against any build of libtorch 2.11 and 2.13 and looks for CUDA at run time.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod device;
mod error;
mod ffi;
mod graph_results;
mod masked;
mod step;
mod tensor_batch;

pub use device::{DeviceLoader, Event, Pinned, Stream, StreamGuard, TensorLoader, device};
use error::BridgeError;
pub use error::Error;
pub use graph_results::GraphResults;
pub use masked::{
    Dense, MaskedBatchNorm, RowMask, Segments, bce_with_logits, cumulative_lengths, l1, labelled, masked_mean,
    mean_pool, mse, sum_pool,
};
pub use step::{Adam, CapturedStep, Checkpoint};
pub use tensor_batch::TensorBatch;
