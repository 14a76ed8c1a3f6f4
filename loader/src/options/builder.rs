//! [`LoaderBuilder`]: how batches are made, as plain data, checked once in [`build`](LoaderBuilder::build).

use super::{Batching, Capacity, Options, Oversize, Padding, Shard, Weights};
use crate::error::BuildError;
use crate::layout::{Dtype, GraphRows, Memory};
use crate::source::SourceError;
use graphpack_core::Limits;
use std::sync::Arc;

/// Options of a [`Loader`](crate::Loader). Each has a default; what does not fit together is found by [`build`](Self::build).
#[must_use]
pub struct LoaderBuilder<S> {
    source: Arc<S>,
    options: Options,
}

/// The source is not cloned.
impl<S> Clone for LoaderBuilder<S> {
    fn clone(&self) -> Self {
        Self { source: self.source.clone(), options: self.options.clone() }
    }
}

/// What batches are made of: a [`Source`](crate::Source), which gives a [`Loader`](crate::Loader), or something to [draw](crate::Draw) from, which gives a
/// [`DrawnLoader`](crate::DrawnLoader). Not to be implemented for anything else.
pub trait Batched: Sized {
    /// What loads the batches.
    type Loader;

    /// See [`LoaderBuilder::build`].
    #[doc(hidden)]
    fn build(builder: LoaderBuilder<Self>) -> Result<Self::Loader, BuildError>;
}

impl<S: Batched> LoaderBuilder<S> {
    /// Plans, and checks everything that can be checked.
    pub fn build(self) -> Result<S::Loader, BuildError> {
        S::build(self)
    }
}

impl<S> LoaderBuilder<S> {
    pub(crate) fn new(source: Arc<S>) -> Self {
        Self { source, options: Options::default() }
    }

    /// What was given.
    pub(crate) fn into_parts(self) -> (Arc<S>, Options) {
        (self.source, self.options)
    }

    /// The most that one pack may hold. The shape of a batch adds padding to it ([`Padding::shape`]).
    pub fn limits(self, limits: Limits<2>) -> Self {
        self.capacity(Capacity::Limits(limits))
    }

    /// The number of graphs that a step should see on average (default 128; [`Capacity::Graphs`]), or exactly where [`Batching`] has a fixed
    /// number.
    pub fn batch_graphs(self, graphs: u32) -> Self {
        self.capacity(Capacity::Graphs(graphs))
    }

    /// Limits that a search finds for about `graphs` graphs per pack ([`Capacity::Search`]).
    pub fn auto_limits(self, graphs: u32) -> Self {
        self.capacity(Capacity::Search(graphs))
    }

    /// How much a pack holds: limits, a padding target, or a rule that finds one (default `Capacity::Graphs(128)`).
    pub fn capacity(mut self, capacity: Capacity) -> Self {
        self.options.capacity = capacity;
        self
    }

    /// How graphs come together (default: packed by [`Packer::Auto`](graphpack_core::Packer::Auto)).
    pub fn batching(mut self, batching: Batching) -> Self {
        self.options.batching = batching;
        self
    }

    /// Packs per batch (default 1). The limits stay those of one pack.
    pub fn packs_per_batch(mut self, packs: usize) -> Self {
        self.options.packs = packs;
        self
    }

    /// How padding edges lie (default: as in jraph).
    pub fn padding(mut self, padding: Padding) -> Self {
        self.options.padding = padding;
        self
    }

    /// What happens to graphs that exceed the limits (default: an error).
    pub fn oversize(mut self, oversize: Oversize) -> Self {
        self.options.oversize = oversize;
        self
    }

    /// Shuffles: the order of every epoch is a function of (seed, epoch). Without it all epochs are alike, unless graphs are drawn.
    pub fn shuffle(mut self, seed: u64) -> Self {
        self.options.seed = Some(seed);
        self
    }

    /// Shuffles in a way that is kind to disks: blocks of `block` neighbouring graphs in random order, and graphs in random order within every
    /// eight blocks. With [`Batching::Window`] and the others that take graphs as they come, what is read next lies in about eight places of the
    /// data; two graphs meet in a batch only if chance brings their blocks together. A plan takes the graphs of each size in that order,
    /// which keeps fewer of them together.
    pub fn shuffle_blocks(mut self, seed: u64, block: usize) -> Self {
        (self.options.seed, self.options.block) = (Some(seed), Some(block));
        self
    }

    /// Draws graphs with replacement, by weights, instead of holding each once per epoch. Packs are planned anew each epoch.
    pub fn weighted(mut self, weights: Weights) -> Self {
        self.options.weights = Some(weights);
        self
    }

    /// The part of every epoch that belongs to this process of several (default: all).
    pub fn shard(mut self, shard: Shard) -> Self {
        self.options.shard = shard;
        self
    }

    /// A function on each graph, called by the workers after it was written into its batch: augmentation. Its random numbers are those of the
    /// graph in its epoch, so that the order of work does not matter.
    pub fn transform(
        mut self,
        transform: impl Fn(&mut GraphRows<'_>) -> Result<(), SourceError> + Send + Sync + 'static,
    ) -> Self {
        self.options.transform = Some(Arc::new(transform));
        self
    }

    /// Threads that make batches (default 1). With 0 the consumer makes them itself. Batches are the same for any number.
    pub fn workers(mut self, workers: usize) -> Self {
        self.options.workers = workers;
        self
    }

    /// Batches that may wait for the consumer (default 4), beside one in the hands of each worker.
    pub fn prefetch(mut self, batches: usize) -> Self {
        self.options.prefetch = batches;
        self
    }

    /// Where the memory of batches comes from (default: the heap).
    pub fn memory(mut self, memory: impl Memory + 'static) -> Self {
        self.options.memory = Arc::new(memory);
        self
    }

    /// `edge_index`, `batch` and `ptr` as int32 instead of int64: half the bytes to write and to copy to a device.
    /// Batches of more than 2^31 nodes or graphs are refused then.
    pub fn narrow_indices(mut self) -> Self {
        self.options.index = Dtype::I32;
        self
    }
}
