//! [`Options`]: how batches are made, as plain data.

use super::{Batching, Capacity, Oversize, Padding, Shard, Weights};
use crate::layout::{Dtype, GraphRows, Heap, Memory};
use crate::source::SourceError;
use graphpack_core::{Effort, Packer};
use std::sync::Arc;

/// A function on each graph, called by the workers after the graph was written into its batch.
pub(crate) type Transform = dyn Fn(&mut GraphRows<'_>) -> Result<(), SourceError> + Send + Sync;

/// What a [`LoaderBuilder`](crate::LoaderBuilder) was told, and what holds where it was told nothing.
#[derive(Clone)]
pub(crate) struct Options {
    pub(crate) capacity: Capacity,
    pub(crate) batching: Batching,
    /// Packs per batch.
    pub(crate) packs: usize,
    pub(crate) padding: Padding,
    pub(crate) oversize: Oversize,
    /// None where graphs are not shuffled.
    pub(crate) seed: Option<u64>,
    /// Graphs of a block, where blocks are shuffled.
    pub(crate) block: Option<usize>,
    pub(crate) weights: Option<Weights>,
    pub(crate) shard: Shard,
    pub(crate) transform: Option<Arc<Transform>>,
    pub(crate) workers: usize,
    pub(crate) prefetch: usize,
    pub(crate) memory: Arc<dyn Memory>,
    /// The type of indices.
    pub(crate) index: Dtype,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            capacity: Capacity::Graphs(128),
            batching: Batching::Packed(Packer::Auto(Effort::default())),
            packs: 1,
            padding: Padding::default(),
            oversize: Oversize::default(),
            seed: None,
            block: None,
            weights: None,
            shard: Shard::default(),
            transform: None,
            workers: 1,
            prefetch: 4,
            memory: Arc::new(Heap),
            index: Dtype::I64,
        }
    }
}
