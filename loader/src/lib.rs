//! Packed, fixed-shape, prefetched batches of small graphs, as an iterator for Rust training loops.
//!
//! A [`Source`] has graphs. A [`Loader`] looks at the sizes of all of them, packs them (crate [`graphpack_core`]) so that batches of one
//! fixed [`Shape`] are nearly full, and gives an iterator of [`Batch`]es per epoch, made by worker threads a few batches ahead.
//!
//! ```
//! use graphpack_loader::{Loader, molecules};
//!
//! let loader = Loader::new(molecules::generate(7, 1000)).batch_graphs(32).shuffle(42).workers(2).build()?;
//! for epoch in 0..2 {
//!     for batch in loader.epoch(epoch) {
//!         let batch = batch?;
//!         let x = batch.get::<i64>("x")?; // [nodes, 9], padding rows zero
//!         let (sources, targets) = batch.edge_index::<i64>()?;
//!         assert_eq!((x.len(), sources.len()), (9 * batch.shape().nodes(), targets.len()));
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to look
//!
//! - data: [`Store`] (columns in memory or in a file), [`StoreFiles`] (several files), [`Structures`] (atoms with positions), [`molecules`] (generated), [`Subset`] (splits); [`Source`] to bring your own;
//! - loading: [`Loader`], [`DrawnLoader`] where graphs are drawn anew in each epoch, their options [`LoaderBuilder`], what it gives: [`Epoch`], [`Batch`], [`Stats`], [`Report`];
//! - long trainings: [`LoaderState`] to resume from, [`Shard`] for several processes;
//! - which graphs share a batch: [`Batching`], every algorithm of the field; how much it holds: [`Capacity`];
//! - shapes: [`Shape`] and [`Padding`], the only place that knows how batches are padded; [`Layout`] says where arrays lie in memory;
//! - memory: [`Memory`], for batches that live elsewhere than on the heap.
//!
//! # What holds
//!
//! Each graph occurs exactly once per epoch, unless graphs are to be skipped ([`Oversize`]), drawn by [`Weights`], or dropped with the
//! [`Remainder`] of a [`Shard`]. All batches have one shape, unless the [`Batching`] asked for has several or outliers are alone. The same
//! seed gives the same bytes for any number of workers. Errors and panics of a source arrive in order and end the epoch. Dropping an [`Epoch`] stops and joins its workers. Memory of batches is
//! recycled: at most `prefetch + workers` batches exist beside those the consumer holds.
//!
//! # Scope
//!
//! Batches here are plain memory; `graphpack-tch` makes libtorch tensors of them, `graphpack-adapters` tensors of burn and
//! candle.
//!
//! # Features
//!
//! - `tracing`: spans `plan` (building a loader), `order` (starting an epoch) and `collate` (each batch) for subscribers of that crate.
#![deny(unsafe_code)]

#[cfg(target_endian = "big")]
compile_error!("stores and batches are little-endian");

mod batch;
mod drawn;
mod epoch;
mod error;
pub mod fingerprint;
mod layout;
mod loader;
mod options;
mod plan;
mod random;
mod source;

pub use batch::{Batch, BatchMemory};
pub use drawn::{Draw, Drawn, DrawnLoader};
pub use epoch::{Epoch, Report, Stats, Verdict};
pub use error::{BuildError, LoadError, panic_message};
pub use graphpack_core;
pub use layout::{
    Arena, ArrayError, ArrayInfo, Builtin, Dtype, Element, Field, GraphRows, Heap, IndexBytes, IndexWidth, Layout,
    Level, Memory, MemoryError, Schema, SchemaError, Shape, Slot, SlotError,
};
pub use loader::Loader;
pub use options::{
    Batched, Batching, Capacity, LoaderBuilder, Oversize, Padding, Remainder, Shard, ShardError, Weights, WeightsError,
};
pub use plan::{BatchSize, LoaderState, ResumeError};
pub use random::Random;
pub use source::{
    Changed, Column, ConnectError, Edges, EdgesError, FileError, Source, SourceError, Store, StoreError, StoreFiles,
    StoreFilesWriter, Structures, Subset, SubsetError, molecules, will_read,
};
