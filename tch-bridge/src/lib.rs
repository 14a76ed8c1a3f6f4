//! graphpack batches as libtorch tensors of fixed shapes.
//!
//! ```
//! use graphpack_loader::{Loader, molecules};
//! use graphpack_tch::{TensorBatch, mean_pool};
//! use tch::{Device, Kind};
//!
//! let loader = Loader::new(molecules::generate(1, 100)).batch_graphs(16).shuffle(42).workers(1).build()?;
//! for batch in loader.epoch(0) {
//!     let batch = TensorBatch::new(batch?, Device::Cpu)?; // no copy
//!     let shape = batch.shape();
//!     let x = batch.get("x")?.to_kind(Kind::Float); // [nodes, 9]
//!     assert_eq!(batch.edge_index().size(), [2, shape.edges as i64]);
//!     let graphs = mean_pool(&x, &batch)?; // [graphs, 9], padding rows zero
//!     assert_eq!(graphs.size(), [shape.graphs as i64, 9]);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to look
//!
//! - tensors: [`TensorBatch`]; [`device`] by name;
//! - on a GPU: [`DeviceLoader`] copies batches while the step before computes, from [`Pinned`] memory; [`Stream`] and [`Event`] for your own work
//!   beside it; `CapturedStep` and [`Adam`] make a training step one launch;
//! - for models: [`Segments`], sums, means, maxima and softmax over graphs or neighbours;
//! - so that padding cannot leak into a model: [`sum_pool`], [`mean_pool`], [`MaskedBatchNorm`], [`bce_with_logits`], [`mse`],
//!   [`masked_mean`].
//!
//! # Scope
//!
//! Tensors, and what padding and devices ask of a training loop; no layers. libtorch 2.11.0 through `tch` 0.24; a C++ shim, in `cpp/`, adds what `tch`
//! does not have. It compiles against any build of libtorch and asks for CUDA at run time.
//!
//! # Features
//!
//! - `cuda-graphs`: `CapturedStep`.

mod adam;
#[cfg(feature = "cuda-graphs")]
mod captured_step;
mod delivery;
mod device;
mod device_loader;
mod error;
mod event;
mod ffi;
#[cfg(feature = "cuda-graphs")]
mod graph;
mod lease;
mod masked;
mod masked_batch_norm;
mod pinned;
mod segments;
mod stream;
mod tensor_batch;
mod upload;

pub use adam::Adam;
#[cfg(feature = "cuda-graphs")]
pub use captured_step::CapturedStep;
pub use device::device;
pub use device_loader::DeviceLoader;
pub use error::BridgeError;
pub use event::Event;
pub use masked::{bce_with_logits, labelled, masked_mean, mean_pool, mse, sum_pool};
pub use masked_batch_norm::MaskedBatchNorm;
pub use pinned::Pinned;
pub use segments::Segments;
pub use stream::{Stream, StreamGuard};
pub use tensor_batch::TensorBatch;
