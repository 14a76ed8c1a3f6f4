//! [`Options`]: how batches are made of any source, and the making of a [`Loader`] from them.

use crate::memory::{Heap, Memory};
use crate::order::{Division, Draws, Packs, Picking, Schedule};
use crate::packing::Packing;
use crate::pool::Pool;
use crate::shapes::{ShapeRule, Shapes};
use crate::shared::Shared;
use crate::state::{Order, Origin};
use crate::transform::Transform;
use crate::{Batching, BuildError, Capacity, Dtype, Loader, Oversize, Padding, Shard, Source, Weights};
use graphpack_core::{Effort, Histogram, Limits, Packer, Plan, Size};
use std::sync::Arc;

/// What a [`LoaderBuilder`](crate::LoaderBuilder) was told.
#[derive(Clone)]
pub(crate) struct Options {
    pub(crate) capacity: Capacity,
    pub(crate) batching: Batching,
    pub(crate) packs: usize,
    pub(crate) padding: Padding,
    pub(crate) oversize: Oversize,
    pub(crate) seed: Option<u64>,
    pub(crate) block: Option<usize>,
    pub(crate) weights: Option<Weights>,
    pub(crate) shard: Shard,
    pub(crate) transform: Option<Arc<Transform>>,
    pub(crate) workers: usize,
    pub(crate) prefetch: usize,
    pub(crate) memory: Arc<dyn Memory>,
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

impl Options {
    /// Plans for the graphs of `source`, whose batches will lie in memory of `pool`.
    pub(crate) fn build<S: Source + 'static>(&self, source: Arc<S>, pool: Arc<Pool>) -> Result<Loader<S>, BuildError> {
        #[cfg(feature = "tracing")]
        let _span = tracing::info_span!("plan", graphs = source.len(), batching = %self.batching).entered();
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
        let (kept, over) =
            if any { ((0..graphs).collect(), Vec::new()) } else { self.fitting(&*source, &sizes, &limits)? };
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
        let draws = self.draws(&kept, &alone, skipped)?;
        let (division, plan) = self.division(&sizes, &kept, limits)?;
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
        let (padding, transform) = (self.padding, self.transform.clone());
        let shared = Arc::new(Shared { source, schedule, padding, shapes, pool, transform, origin });
        let (shard, workers, prefetch) = (self.shard, self.workers, self.prefetch);
        Ok(Loader { shared, plan, skipped, shard, workers, prefetch })
    }

    /// Graphs drawn by weight, where they are.
    fn draws(&self, kept: &[u32], alone: &[u32], skipped: usize) -> Result<Option<Draws>, BuildError> {
        match &self.weights {
            None => Ok(None),
            Some(_) if !alone.is_empty() => Err(self.meaningless("weights with Oversize::Alone")),
            Some(weights) if weights.draws() == 0 => Err(BuildError::Zero { option: "draws" }),
            Some(weights) if u32::try_from(weights.draws()).is_err() => {
                Err(BuildError::TooManyGraphs { graphs: weights.draws() })
            }
            Some(weights) => weights.among(kept).ok_or(BuildError::NoWeight { skipped }).map(Some),
        }
    }

    /// How graphs come together in each epoch, and the plan where that is one.
    fn division(
        &self,
        sizes: &[Size<2>],
        kept: &[u32],
        limits: Limits<2>,
    ) -> Result<(Division, Option<Plan<2>>), BuildError> {
        Ok(match self.batching {
            Batching::Packed(packer) if self.weights.is_some() => (Division::Replanned { packer, limits }, None),
            Batching::Packed(packer) => {
                let histogram = Histogram::from_sizes(kept.iter().map(|&graph| sizes[graph as usize]))?;
                let plan = packer.pack(&histogram, &limits)?;
                (Division::Planned(Packs::new(sizes, &plan)), Some(plan))
            }
            Batching::Window { open } => (Division::Streamed { limits, open: Some(open) }, None),
            _ => (Division::Streamed { limits, open: None }, None),
        })
    }

    /// The graphs that fit the limits, and the others, which are an error unless asked for.
    fn fitting(
        &self,
        source: &impl Source,
        sizes: &[Size<2>],
        limits: &Limits<2>,
    ) -> Result<(Vec<u32>, Vec<u32>), BuildError> {
        // The number of graphs fits into 32 bits.
        let all = 0..sizes.len() as u32;
        let (kept, over): (Vec<u32>, Vec<u32>) = all.partition(|&graph| sizes[graph as usize].fits(&limits.size));
        if let (Some(&first), Oversize::Error) = (over.first(), self.oversize) {
            return Err(BuildError::Oversize {
                graph: source.number(first as usize),
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
