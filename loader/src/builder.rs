//! [`LoaderBuilder`]: how batches are made, as plain data, checked once in [`build`](LoaderBuilder::build).

use crate::memory::{Heap, Memory};
use crate::order::{Division, Packs, Picking, Schedule};
use crate::packing::Packing;
use crate::pool::Pool;
use crate::shapes::{ShapeRule, Shapes};
use crate::shared::Shared;
use crate::state::{Order, Origin};
use crate::transform::Transform;
use crate::{
    Batching, BuildError, Capacity, Dtype, GraphRows, Loader, Oversize, Padding, Shard, Source, SourceError, Weights,
};
use graphpack_core::{Effort, Histogram, Limits, Packer, Size};
use std::sync::Arc;

/// Options of a [`Loader`]. Each has a default; what does not fit together is found by [`build`](Self::build).
#[derive(Clone)]
#[must_use]
pub struct LoaderBuilder<S> {
    source: Arc<S>,
    pub(crate) capacity: Capacity,
    pub(crate) batching: Batching,
    pub(crate) packs: usize,
    pub(crate) padding: Padding,
    pub(crate) oversize: Oversize,
    seed: Option<u64>,
    block: Option<usize>,
    weights: Option<Weights>,
    shard: Shard,
    transform: Option<Arc<Transform>>,
    workers: usize,
    prefetch: usize,
    memory: Arc<dyn Memory>,
    index: Dtype,
}

impl<S: Source + 'static> LoaderBuilder<S> {
    pub(crate) fn new(source: Arc<S>) -> Self {
        Self {
            source,
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
        self.capacity = capacity;
        self
    }

    /// How graphs come together (default: packed by [`Packer::Auto`]).
    pub fn batching(mut self, batching: Batching) -> Self {
        self.batching = batching;
        self
    }

    /// Packs per batch (default 1). The limits stay those of one pack.
    pub fn packs_per_batch(mut self, packs: usize) -> Self {
        self.packs = packs;
        self
    }

    /// How padding edges lie (default: as in jraph).
    pub fn padding(mut self, padding: Padding) -> Self {
        self.padding = padding;
        self
    }

    /// What happens to graphs that exceed the limits (default: an error).
    pub fn oversize(mut self, oversize: Oversize) -> Self {
        self.oversize = oversize;
        self
    }

    /// Shuffles: the order of every epoch is a function of (seed, epoch). Without it all epochs are alike, unless graphs are drawn.
    pub fn shuffle(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Shuffles in a way that is kind to disks: blocks of `block` neighbouring graphs in random order, and graphs in random order within every
    /// eight blocks. With [`Batching::Window`] and the others that take graphs as they come, what is read next lies in about eight places of the
    /// data; two graphs meet in a batch only if chance brings their blocks together. A plan takes the graphs of each size in that order,
    /// which keeps fewer of them together.
    pub fn shuffle_blocks(mut self, seed: u64, block: usize) -> Self {
        (self.seed, self.block) = (Some(seed), Some(block));
        self
    }

    /// Draws graphs with replacement, by weights, instead of holding each once per epoch. Packs are planned anew each epoch.
    pub fn weighted(mut self, weights: Weights) -> Self {
        self.weights = Some(weights);
        self
    }

    /// The part of every epoch that belongs to this process of several (default: all).
    pub fn shard(mut self, shard: Shard) -> Self {
        self.shard = shard;
        self
    }

    /// A function on each graph, called by the workers after it was written into its batch: augmentation. Its random numbers are those of the
    /// graph in its epoch, so that the order of work does not matter.
    pub fn transform(
        mut self,
        transform: impl Fn(&mut GraphRows<'_>) -> Result<(), SourceError> + Send + Sync + 'static,
    ) -> Self {
        self.transform = Some(Arc::new(transform));
        self
    }

    /// Threads that make batches (default 1). With 0 the consumer makes them itself. Batches are the same for any number.
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers;
        self
    }

    /// Batches that may wait for the consumer (default 4), beside one in the hands of each worker.
    pub fn prefetch(mut self, batches: usize) -> Self {
        self.prefetch = batches;
        self
    }

    /// Where the memory of batches comes from (default: the heap).
    pub fn memory(mut self, memory: impl Memory + 'static) -> Self {
        self.memory = Arc::new(memory);
        self
    }

    /// `edge_index`, `batch` and `ptr` as int32 instead of int64: half the bytes to write and to copy to a device.
    /// Batches of more than 2^31 nodes or graphs are refused then.
    pub fn narrow_indices(mut self) -> Self {
        self.index = Dtype::I32;
        self
    }

    /// Plans, and checks everything that can be checked.
    pub fn build(self) -> Result<Loader<S>, BuildError> {
        #[cfg(feature = "tracing")]
        let _span = tracing::info_span!("plan", graphs = self.source.len(), batching = %self.batching).entered();
        let source = &*self.source;
        if source.is_empty() {
            return Err(BuildError::Empty);
        }
        let Ok(graphs) = u32::try_from(source.len()) else {
            return Err(BuildError::TooManyGraphs { graphs: source.len() });
        };
        if self.packs == 0 {
            return Err(BuildError::Zero { option: "packs_per_batch" });
        }
        let sizes: Vec<Size<2>> = (0..source.len()).map(|graph| source.size(graph)).collect();
        let all = Histogram::from_sizes(sizes.iter().copied())?;
        if self.block == Some(0) {
            return Err(BuildError::Zero { option: "block of shuffle_blocks" });
        }
        if let Some(weights) = self.weights.as_ref().filter(|weights| weights.len() != sizes.len()) {
            return Err(BuildError::Weights { graphs: sizes.len(), found: weights.len() });
        }
        let Packing { limits, declared, mut rule, any } = self.packing(&sizes, &all)?;
        let (kept, over) = if any { ((0..graphs).collect(), Vec::new()) } else { self.fitting(&sizes, &limits)? };
        let too_large = || BuildError::TooLarge { limits, packs: self.packs };
        let mut skipped = over.len();
        let mut alone = Vec::new();
        if let (Oversize::Alone, ShapeRule::Fixed { alone: shape, .. }) = (self.oversize, &mut rule)
            && !over.is_empty()
        {
            let largest = over.iter().fold(Size([1; 2]), |most, &graph| most.max_each(&sizes[graph as usize]));
            *shape = Some(self.padding.shape(&Limits { size: largest, graphs: 1 }, 1).ok_or_else(too_large)?);
            (skipped, alone) = (0, over);
        }
        let draws = match &self.weights {
            None => None,
            Some(_) if !alone.is_empty() => return Err(self.meaningless("weights with Oversize::Alone")),
            Some(weights) if weights.draws() == 0 => return Err(BuildError::Zero { option: "draws" }),
            Some(weights) if u32::try_from(weights.draws()).is_err() => {
                return Err(BuildError::TooManyGraphs { graphs: weights.draws() });
            }
            Some(weights) => Some(weights.among(&kept).ok_or(BuildError::NoWeight { skipped })?),
        };
        let mut plan = None;
        let division = match self.batching {
            Batching::Packed(packer) if self.weights.is_some() => Division::Replanned { packer, limits },
            Batching::Packed(packer) => {
                let histogram = Histogram::from_sizes(kept.iter().map(|&graph| sizes[graph as usize]))?;
                let packed = packer.pack(&histogram, &limits)?;
                Division::Planned(Packs::new(&sizes, plan.insert(packed)))
            }
            Batching::Window { open } => Division::Streamed { limits, open: Some(open) },
            _ => Division::Streamed { limits, open: None },
        };
        let order = Order {
            limits: declared,
            batching: self.batching,
            packs_per_batch: self.packs,
            padding: self.padding,
            shape: match rule {
                ShapeRule::Fixed { shape, .. } => Some([shape.nodes, shape.edges, shape.graphs]),
                ShapeRule::Rounded { .. } => None,
            },
            oversize: self.oversize,
            seed: self.seed,
            block: self.block,
            weights: self.weights.as_ref().map(Weights::fingerprint),
            alike: self.shard.world(),
        };
        let origin = Arc::new(Origin { data: source.fingerprint(), order });
        let shapes = Shapes::new(rule, source.schema().clone(), self.index).ok_or_else(too_large)?;
        let picking = Picking { graphs: kept, block: self.block, draws };
        let schedule = Schedule { picking, sizes, division, per_batch: self.packs, alone };
        let pool = Arc::new(Pool::new(self.memory));
        let (source, padding, transform) = (self.source, self.padding, self.transform);
        let shared = Arc::new(Shared { source, schedule, padding, shapes, pool, transform, origin });
        let (shard, workers, prefetch) = (self.shard, self.workers, self.prefetch);
        Ok(Loader { shared, plan, skipped, shard, workers, prefetch })
    }

    /// The graphs that fit the limits, and the others, which are an error unless asked for.
    fn fitting(&self, sizes: &[Size<2>], limits: &Limits<2>) -> Result<(Vec<u32>, Vec<u32>), BuildError> {
        // The number of graphs fits into 32 bits.
        let all = 0..sizes.len() as u32;
        let (kept, over): (Vec<u32>, Vec<u32>) = all.partition(|&graph| sizes[graph as usize].fits(&limits.size));
        if let (Some(&first), Oversize::Error) = (over.first(), self.oversize) {
            return Err(BuildError::Oversize {
                graph: self.source.number(first as usize),
                size: sizes[first as usize],
                limits: *limits,
                others: over.len() - 1,
            });
        }
        if kept.is_empty() && (over.is_empty() || self.oversize != Oversize::Alone) {
            return Err(BuildError::NoneFits { skipped: over.len(), limits: *limits });
        }
        Ok((kept, over))
    }
}
