//! [`LoaderBuilder`]: the options of a loader, checked once in [`build`](LoaderBuilder::build).

use super::{Batching, Capacity, Limits, Options, Oversize, Padding, SavedPlan, Shard, Weights};
use crate::error::BuildError;
use crate::layout::{Dtype, Memory, Slot};
use crate::source::{Data, SourceError};
use std::sync::Arc;

/// The options of a [`Loader`](crate::Loader). Each has a default; [`build`](Self::build) refuses options that
/// contradict each other.
#[must_use]
#[derive(Clone)]
pub struct LoaderBuilder<D = Data> {
    data: D,
    options: Options,
}

/// Links what batches are made from to the loader that makes them: [`Data`] to [`Loader`](crate::Loader), a
/// [`Draw`](crate::Draw) to [`DrawnLoader`](crate::DrawnLoader).
pub trait Batched: Sized {
    /// The loader that [`LoaderBuilder::build`] returns.
    type Loader;

    /// See [`LoaderBuilder::build`].
    #[doc(hidden)]
    fn build(builder: LoaderBuilder<Self>) -> Result<Self::Loader, BuildError>;
}

impl<D: Batched> LoaderBuilder<D> {
    /// Checks the options, plans the batches and returns the loader.
    pub fn build(self) -> Result<D::Loader, BuildError> {
        D::build(self)
    }
}

impl<D> LoaderBuilder<D> {
    pub(crate) fn new(data: D) -> Self {
        Self { data, options: Options::default() }
    }

    /// Returns the data and the options.
    pub(crate) fn into_parts(self) -> (D, Options) {
        (self.data, self.options)
    }

    /// Sets the most that one pack may hold; core's limits of the same number of sets will do, too. The shape of a batch
    /// adds padding rows to it: at least those of [`Padding::shape`], and as many as spread padding entries ([`Padding`]).
    pub fn limits(self, limits: impl Into<Limits>) -> Self {
        self.capacity(Capacity::Limits(limits.into()))
    }

    /// Sets the number of graphs per batch (default 128; [`Capacity::Graphs`]): about the average, or the exact number
    /// if [`Batching`] takes a fixed number.
    pub fn batch_graphs(self, graphs: u32) -> Self {
        self.capacity(Capacity::Graphs(graphs))
    }

    /// Searches for the limits whose packs of about `graphs` graphs are fullest ([`Capacity::Search`]).
    pub fn auto_limits(self, graphs: u32) -> Self {
        self.capacity(Capacity::Search(graphs))
    }

    /// Sets how much a pack holds: limits, a shape, or a rule that finds them (default `Capacity::Graphs(128)`).
    pub fn capacity(mut self, capacity: Capacity) -> Self {
        self.options.capacity = capacity;
        self
    }

    /// Sets which graphs share a batch (default: packed by [`Packer::Auto`](graphpack_core::Packer::Auto), whose batches
    /// are the fewest and the best sample of the data: [`SampleQuality`](crate::SampleQuality)).
    pub fn batching(mut self, batching: Batching) -> Self {
        self.options.batching = batching;
        self
    }

    /// Sets the packs of packed batches, in place of the packer of [`batching`](Self::batching): a plan that was made
    /// before, such as a [`SavedPlan`] from a file, once for all ranks, or core's `Plan<K>`. Also sets the
    /// [limits](Self::limits) to those of the plan; other limits, set later, are an error.
    ///
    /// [`build`](Self::build) compares the plan with the sizes of the graphs that fit the limits, and refuses it with
    /// the first size of which it has more or fewer graphs than the data.
    pub fn plan(mut self, plan: impl Into<SavedPlan>) -> Self {
        let plan = plan.into();
        self.options.capacity = Capacity::Limits(plan.limits());
        self.options.plan = Some(plan);
        self
    }

    /// Sets the number of packs per batch (default 1). The limits stay those of one pack.
    pub fn packs_per_batch(mut self, packs: usize) -> Self {
        self.options.packs = packs;
        self
    }

    /// Sets which nodes padding edges connect (default: [`Padding::SelfLoops`]).
    pub fn padding(mut self, padding: Padding) -> Self {
        self.options.padding = padding;
        self
    }

    /// Sets what happens to graphs that exceed the limits (default: an error).
    pub fn oversize(mut self, oversize: Oversize) -> Self {
        self.options.oversize = oversize;
        self
    }

    /// Shuffles each epoch by a function of (`seed`, epoch). Without it all epochs are the same, unless graphs are
    /// drawn.
    pub fn shuffle(mut self, seed: u64) -> Self {
        self.options.seed = Some(seed);
        self
    }

    /// Shuffles so that a disk seeks less: blocks of `block` consecutive graphs come in random order, and graphs are
    /// shuffled within every eight blocks.
    ///
    /// With [`Batching::Window`] and the others that take graphs as they come, reads at any time fall into about eight
    /// places of the data, and two graphs meet in a batch only if their blocks are shuffled together. A plan takes the
    /// graphs of each size in this order, and its packs so that all sizes keep step: most graphs of a batch are within
    /// a few thousand places of each other, however many graphs there are. Batches of several buckets are shuffled with
    /// each other all the same.
    pub fn shuffle_blocks(mut self, seed: u64, block: usize) -> Self {
        (self.options.seed, self.options.block) = (Some(seed), Some(block));
        self
    }

    /// Draws graphs with replacement, by weight, instead of taking each graph once per epoch. Each epoch then has its
    /// own plan.
    pub fn weighted(mut self, weights: Weights) -> Self {
        self.options.weights = Some(weights);
        self
    }

    /// Sets which part of every epoch this rank gets (default: all of it).
    pub fn shard(mut self, shard: Shard) -> Self {
        self.options.shard = shard;
        self
    }

    /// Pads the batches of all ranks in a step to the largest of them, for devices that must agree on a shape (the
    /// batching study's appendix F). Without it, ranks have batches of similar shapes if there are several shapes.
    pub fn equal_shapes(mut self) -> Self {
        self.options.equal_shapes = true;
        self
    }

    /// Leaves out the last batch of an epoch if it is incomplete: one of fewer graphs than the fixed number or of fewer
    /// packs than the others, or one that only the end of the epoch ended. Its graphs are not loaded in this epoch. A
    /// batch of one pack of a plan, or of [`Batching::Window`], is never incomplete. What ranks leave out is
    /// [`Remainder`](crate::Remainder)'s.
    pub fn drop_last(mut self) -> Self {
        self.options.drop_last = true;
        self
    }

    /// Sets a function that changes each graph after it was written into its batch, for augmentation. Workers call it.
    /// [`Slot::random`] gives random numbers that depend on the graph and the epoch, not on the worker.
    pub fn transform(
        mut self,
        transform: impl Fn(&mut Slot<'_>) -> Result<(), SourceError> + Send + Sync + 'static,
    ) -> Self {
        self.options.transform = Some(Arc::new(transform));
        self
    }

    /// Sets the number of threads that make batches (default 1). With 0, the consumer's own thread makes them. The
    /// batches are the same for any number.
    pub fn workers(mut self, workers: usize) -> Self {
        self.options.workers = workers;
        self
    }

    /// Sets the number of finished batches that may wait for the consumer (default 4), besides the one that each worker
    /// is making.
    pub fn prefetch(mut self, batches: usize) -> Self {
        self.options.prefetch = batches;
        self
    }

    /// Sets where the memory of batches comes from (default: the heap).
    pub fn memory(mut self, memory: impl Memory + 'static) -> Self {
        self.options.memory = Arc::new(memory);
        self
    }

    /// Sets which fields and indices batches carry, by name (default: all). Others are neither read, written nor copied,
    /// except those that chosen ones are made from, such as positions for edges within a radius. PyTorch Geometric's
    /// `exclude_keys` names the others.
    pub fn fields<I: Into<String>>(mut self, names: impl IntoIterator<Item = I>) -> Self {
        self.options.fields = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Adds built-in arrays to those that batches carry anyway ([`Builtin`](crate::Builtin)), by name: `edge_ptr`,
    /// `tokens_batch`, `triplets_mask`. PyTorch Geometric's `follow_batch` adds `_batch` and `_ptr`.
    pub fn with_arrays<I: Into<String>>(mut self, names: impl IntoIterator<Item = I>) -> Self {
        self.options.arrays.extend(names.into_iter().map(Into::into));
        self
    }

    /// Makes indices, `batch` and `ptr` int32 instead of int64: half the bytes to write and to copy to a device.
    /// Batches of 2^31 or more rows of a set or graphs are then an error.
    pub fn narrow_indices(mut self) -> Self {
        self.options.index = Dtype::I32;
        self
    }
}
