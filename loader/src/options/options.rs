//! [`Options`]: the options of a loader and their defaults, as plain data.

use super::{Batching, Capacity, Oversize, Padding, SavedPlan, Shard, Weights};
use crate::layout::{Dtype, Heap, Memory, Pool, Shape, Slot};
use crate::source::SourceError;
use graphpack_core::{Effort, Packer};
use std::sync::Arc;

/// A function that workers call on each graph after it was written into its batch.
pub(crate) type Transform = dyn Fn(&mut Slot<'_>) -> Result<(), SourceError> + Send + Sync;

/// The options that a [`LoaderBuilder`](crate::LoaderBuilder) sets; [`default`](Self::default) has the defaults.
#[derive(Clone)]
pub(crate) struct Options {
    pub(crate) capacity: Capacity,
    /// The shape of batches and the same with the least padding; `None` if they follow from the capacity and the graphs.
    pub(crate) shape: Option<(Shape, Shape)>,
    pub(crate) batching: Batching,
    /// The packs of packed batches; `None` if the packer of `batching` makes them.
    pub(crate) plan: Option<SavedPlan>,
    /// Number of packs per batch.
    pub(crate) packs: usize,
    pub(crate) padding: Padding,
    pub(crate) oversize: Oversize,
    /// Seed of the shuffle; `None` if graphs are not shuffled.
    pub(crate) seed: Option<u64>,
    /// Number of graphs per block, if blocks are shuffled.
    pub(crate) block: Option<usize>,
    pub(crate) weights: Option<Weights>,
    pub(crate) shard: Shard,
    /// Whether each step is padded to the largest batch of its ranks.
    pub(crate) equal_shapes: bool,
    /// Whether an incomplete last batch is left out.
    pub(crate) drop_last: bool,
    pub(crate) transform: Option<Arc<Transform>>,
    pub(crate) workers: usize,
    pub(crate) prefetch: usize,
    pub(crate) memory: Arc<dyn Memory>,
    /// Type of indices, `batch` and `ptr`: int64 or int32.
    pub(crate) index: Dtype,
    /// The fields and indices that batches carry; `None` for all.
    pub(crate) fields: Option<Vec<String>>,
    /// Built-in arrays that batches carry beside the usual ones.
    pub(crate) arrays: Vec<String>,
}

impl Options {
    /// Number of graphs of an epoch, of a data set of `graphs`.
    pub(crate) fn draws(&self, graphs: usize) -> usize {
        self.weights.as_ref().map_or(graphs, |weights| weights.draws())
    }

    /// Memory for batches: it recycles what prefetching, the workers and a consumer need that holds two.
    pub(crate) fn pool(&self) -> Arc<Pool> {
        Arc::new(Pool::new(self.memory.clone(), self.prefetch.saturating_add(self.workers).saturating_add(2)))
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            capacity: Capacity::Graphs(128),
            shape: None,
            batching: Batching::Packed(Packer::Auto(Effort::default())),
            plan: None,
            packs: 1,
            padding: Padding::default(),
            oversize: Oversize::default(),
            seed: None,
            block: None,
            weights: None,
            shard: Shard::default(),
            equal_shapes: false,
            drop_last: false,
            transform: None,
            workers: 1,
            prefetch: 4,
            memory: Arc::new(Heap),
            index: Dtype::I64,
            fields: None,
            arrays: Vec::new(),
        }
    }
}
