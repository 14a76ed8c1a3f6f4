#![doc = include_str!("../README.md")]
//!
//! ## Graphs of any sets
//!
//! A graph has one to 16 sets of rows: `nodes` and `edges`, unless its [`Schema`] declares others. A field has
//! values for each row of a set, or for each graph; an [index](schema::Index) numbers rows of any set of the same
//! graph. Collation appends rows and shifts indices. Sizes, limits, padding, masks and reports count every set. Here
//! pairs of edges are a set, and each graph comes out of its batch again:
//!
//! ```
//! use graphpack_loader::{Data, Loader, Options, molecules};
//!
//! let data = Data::from(molecules::generate(7, 100)).triplets()?;
//! for batch in Loader::new(data, Options::graphs(8).extra(["triplets_mask"]))?.epoch(0) {
//!     let batch = batch?;
//!     let mask = batch.get::<bool>("triplets_mask")?;
//!     let graphs = batch.graphs().map(|graph| graph.index("triplet_index").map(|columns| columns[0].len()));
//!     assert_eq!(graphs.sum::<Result<usize, _>>()?, mask.iter().filter(|real| **real).count());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [Graphs of any sets](guide::graphs) has triplets, several types of nodes, fragments, pairs and others in ten lines
//! each.
//!
//! ## Where to look
//!
//! - [`guide`]: from your data to a training loop, and pages about ways of batching, packing, stores and guarantees;
//! - graphs: [`Store`] (columns in memory), [`StoreFiles`] (files, also larger than memory; module [`store`] writes
//!   them), [`molecules`] and [`clusters`] (generated); implement [`Source`] for your own, whose threads each have a
//!   [`Worker`];
//! - what is made of them: [`Data::subset`] (splits), [`Data::mix`] (several data sets as one), [`Data::map`]
//!   (augmentation), [`Data::each_epoch`] (graphs that are drawn again for each epoch);
//! - any sets: [`Schema::of`], [`Store::of_sets`], [`schema`] (what a schema declares); sets that follow from others:
//!   [`Data::connect`] (edges between atoms that are near), [`Data::triplets`], [`Data::line_graphs`];
//! - changing graphs: [`Slot`] in a [map](Data::map), which may keep fewer rows; taking them out of a batch:
//!   [`Batch::graphs`], [`Store::push_graph`]; from memory: [`Store::push`];
//! - loading: [`Loader`] and its [`Options`]; what it returns: [`Epoch`], [`Batch`]; what was delivered and who waited:
//!   [`report`];
//! - batches of graphs in hand, as in a server: [`Collator`];
//! - how good a sample of the data batches are: [`quality`]; means of fields, neighbours and energies of elements:
//!   [`statistics`];
//! - long trainings: [`State`] to resume from, [`Shard`] for several ranks;
//! - who shares a batch: [`Grouping`]; how much fits: [`Capacity`]; which shapes batches have: [`Shapes`];
//! - sizes and limits of any number of sets: [`Size`], [`Limits`];
//! - how batches lie in memory: [`Shape`], [`Padding`], [`memory`] (also for batches outside the heap);
//! - for crates that build on this one: [`extend`].
//!
//! ## What holds
//!
//! - Each graph occurs exactly once per epoch, unless it is skipped ([`Oversize`]), drawn by [`Weights`], dropped with
//!   the [`Remainder`] of a [`Shard`], or in an incomplete last batch that is left out
//!   ([`Options::drop_last`](field@Options::drop_last)).
//! - All batches have one shape, unless other [`Shapes`] are asked for, or
//!   graphs that exceed the limits are batches of their own ([`Oversize::Alone`]).
//! - The same seed gives the same bytes for any number of workers.
//! - A run that resumes gets the batches that the unbroken run would have got.
//! - Errors and panics of a source reach the consumer in order and end the epoch. Dropping an [`Epoch`] stops and joins
//!   its workers.
//! - Memory is recycled: at most `prefetch + workers` batches exist beside those that the consumer holds.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

/// Runs the programs of the page.
#[cfg(doctest)]
#[doc = include_str!("guide/ranks.md")]
struct Ranks;

#[cfg(target_endian = "big")]
compile_error!("stores and batches are little-endian");

mod batch;
mod each_epoch;
mod epoch;
mod error;
mod fingerprint;
#[cfg(all(doc, not(doctest)))]
pub mod guide;
mod layout;
mod loader;
mod one_list;
mod options;
mod plan;
pub mod quality;
mod random;
mod source;
pub mod statistics;

/// For sources of your own and crates that build on this one.
///
/// A source with contents of its own [`mix`](extend::mix)es what decides them into the hash that
/// [`Source::fingerprint`] gets; [`samples`](extend::samples) says which graphs of many to read for it. Errors of a
/// crate become an [`Error`] by [`Cause`](extend::Cause), those of files by [`file_error`](extend::file_error);
/// [`panic_message`](extend::panic_message) reads a caught panic, and [`report_of`](extend::report_of) reports a single
/// batch.
pub mod extend {
    pub use crate::epoch::report_of;
    pub use crate::error::{Cause, file_error, panic_message};
    pub use crate::fingerprint::{mix, mix_bytes, samples};
}

/// What an epoch delivered, how full its batches were, and who waited.
pub mod report {
    pub use crate::epoch::{Report, Stats, Verdict};
}

/// What a [`Schema`] declares, item by item.
pub mod schema {
    pub use crate::layout::{Field, Index, MAX_COLUMNS, PaddingValue, SetNames};
}

/// Where the arrays of a batch lie, and where their memory comes from.
pub mod memory {
    pub use crate::batch::BatchMemory;
    pub use crate::layout::{Arena, ArrayInfo, ArrayKind, Builtin, Heap, Layout, Memory};
}

/// Writers of the files of a [`Store`]; the memory of its columns, and files of any format for a source of your own.
pub mod store {
    pub use crate::source::{Bytes, MappedFile, SharedFile, StoreFilesWriter, StoreWriter, WholeFile, will_read};
}

pub use batch::{Batch, BatchInfo, Collator, GraphResults};
pub use epoch::Epoch;
pub use error::{BoxError, Error, ErrorKind};
pub use graphpack_core;
pub use graphpack_core::{Budget, Heuristic, Packer};
pub use half::f16;
pub use layout::{BatchGraph, Dtype, Element, Level, MAX_SETS, RowNumber, Schema, Shape, Size, Slot};
pub use loader::{Epochs, Loader};
pub use options::{
    Capacity, Estimate, Grouping, Limits, OnError, Options, Order, Oversize, Padding, Remainder, SavedPlan, Shapes,
    Shard,
};
pub use plan::State;
pub use rand_core::Rng;
pub use random::Random;
pub use source::{
    Column, Connect, Data, Edges, LineGraphs, NeighbourMatrix, Source, Store, StoreFiles, Weights, Worker, clusters,
    molecules,
};
