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
//!         assert_eq!((x.len(), sources.len()), (9 * batch.shape().nodes, targets.len()));
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to look
//!
//! - data: [`Store`] (columns in memory or in a file), [`Shards`] (several files), [`Structures`] (atoms with positions), [`molecules`] (generated), [`Subset`] (splits); [`Source`] to bring your own;
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
mod batching;
mod build_error;
mod builder;
mod capacity;
mod collate;
mod drawn;
mod dtype;
mod epoch;
pub mod fingerprint;
mod index;
mod layout;
mod load_error;
mod loader;
mod memory;
mod options;
mod order;
mod packing;
mod padding;
mod panic_message;
mod pool;
mod prefetch;
mod random;
mod report;
mod schema;
mod shape;
mod shapes;
mod shard;
mod shared;
mod slot;
mod source;
mod state;
mod stats;
mod store;
mod sync;
mod transform;

pub use batch::{ArrayError, Batch, BatchMemory};
pub use batching::{Batching, Oversize};
pub use build_error::BuildError;
pub use builder::{Batched, LoaderBuilder};
pub use capacity::Capacity;
pub use drawn::{Draw, Drawn, DrawnLoader};
pub use dtype::{Dtype, Element};
pub use epoch::Epoch;
pub use graphpack_core;
pub use index::{IndexBytes, IndexWidth};
pub use layout::{ArrayInfo, Layout};
pub use load_error::LoadError;
pub use loader::Loader;
pub use memory::{Arena, Heap, Memory, MemoryError};
pub use order::{Weights, WeightsError};
pub use padding::Padding;
pub use panic_message::panic_message;
pub use random::Random;
pub use report::Report;
pub use schema::{Field, Level, RESERVED, Schema, SchemaError};
pub use shape::Shape;
pub use shard::{Remainder, Shard, ShardError};
pub use slot::{Slot, SlotError};
pub use source::{ConnectError, Edges, EdgesError, Source, SourceError, Structures, Subset, SubsetError, molecules};
pub use state::{LoaderState, ResumeError};
pub use stats::{Stats, Verdict};
pub use store::{Changed, Column, FileError, ShardWriter, Shards, Store, StoreError};
pub use transform::GraphRows;
