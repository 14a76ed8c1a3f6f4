//! [`LoaderBuilder`]: how batches are made, as plain data, checked once in [`build`](LoaderBuilder::build).

use crate::loader::{Loader, Shared};
use crate::memory::{Heap, Memory};
use crate::order::Schedule;
use crate::pool::Pool;
use crate::shapes::{ShapeRule, Shapes};
use crate::{Batching, BuildError, Capacity, Dtype, Oversize, Padding, Source};
use graphpack_core::{Effort, Histogram, Limits, Packer, Rounding, Size};
use std::sync::Arc;

/// Options of a [`Loader`]. Each has a default; what does not fit together is found by [`build`](Self::build).
#[derive(Clone)]
#[must_use]
pub struct LoaderBuilder<S> {
    source: Arc<S>,
    capacity: Capacity,
    batching: Batching,
    packs: usize,
    padding: Padding,
    oversize: Oversize,
    seed: Option<u64>,
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

    /// Shuffles: the order of every epoch is a function of (seed, epoch). Without it all epochs are alike.
    pub fn shuffle(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
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
    pub fn narrow_indices(mut self) -> Self {
        self.index = Dtype::I32;
        self
    }

    /// Plans, and checks everything that can be checked.
    pub fn build(self) -> Result<Loader<S>, BuildError> {
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
        let Division { limits, rule, alone } = self.division(&sizes, &all)?;
        let (kept, histogram) = if alone { ((0..graphs).collect(), all) } else { self.fitting(&sizes, &limits)? };
        let skipped = sizes.len() - kept.len();
        let per_batch = self.packs;
        let (schedule, plan) = match self.batching {
            Batching::Packed(packer) => {
                let plan = packer.pack(&histogram, &limits)?;
                (Schedule::packed(&sizes, &kept, &plan, per_batch), Some(plan))
            }
            batching => {
                let open = if let Batching::Window { open } = batching { Some(open) } else { None };
                (Schedule::Streamed { graphs: kept, sizes, limits, open, per_batch }, None)
            }
        };
        let too_large = BuildError::TooLarge { limits, packs: per_batch };
        let shapes = Shapes::new(rule, source.schema().clone(), self.index).ok_or(too_large)?;
        let pool = Arc::new(Pool::new(self.memory));
        let shared = Shared { source: self.source, schedule, padding: self.padding, shapes, pool };
        Ok(Loader::new_built(Arc::new(shared), plan, skipped, self.seed, (self.workers, self.prefetch)))
    }

    /// What the batching makes of the capacity.
    fn division(&self, sizes: &[Size<2>], all: &Histogram<2>) -> Result<Division, BuildError> {
        let unlimited = Limits::new([u32::MAX; 2]).graphs(u32::MAX);
        let fixed = |limits: &Limits<2>| {
            let shape = self.padding.shape(limits, self.packs);
            shape.map(ShapeRule::Fixed).ok_or(BuildError::TooLarge { limits: *limits, packs: self.packs })
        };
        let division = match self.batching {
            Batching::Window { open: 0 } => return Err(BuildError::Zero { option: "open of Batching::Window" }),
            Batching::Packed(_) | Batching::Window { .. } | Batching::Dynamic => {
                let limits = self.capacity.limits(sizes, all, self.padding)?;
                return Ok(Division { limits, rule: fixed(&limits)?, alone: false });
            }
            Batching::StaticConstant => {
                let capacity = match self.capacity {
                    Capacity::Graphs(0) => return Err(BuildError::Zero { option: "graphs per batch" }),
                    Capacity::Graphs(graphs) => Capacity::Constant { batch_size: graphs.saturating_add(1) },
                    other => other,
                };
                let limits = capacity.limits(sizes, all, self.padding)?;
                Division { limits: unlimited.graphs(limits.graphs), rule: fixed(&limits)?, alone: true }
            }
            Batching::Static64 => self.rounded(unlimited.graphs(self.graphs()?), Rounding::Multiple(64)),
            Batching::StaticPow2 => self.rounded(unlimited.graphs(self.graphs()?), Rounding::PowerOfTwo),
            Batching::NodeBudget { nodes: most } | Batching::EdgeBudget { edges: most } => {
                let component = usize::from(matches!(self.batching, Batching::EdgeBudget { .. }));
                let mut limits = unlimited;
                limits.size.0[component] = most;
                limits.check()?;
                Division { alone: false, ..self.rounded(limits, Rounding::Multiple(1)) }
            }
            Batching::GraphsOrNodes { nodes } => {
                let limits = Limits::new([nodes, u32::MAX]).graphs(self.graphs()?);
                limits.check()?;
                self.rounded(limits, Rounding::Multiple(1))
            }
        };
        if self.packs != 1 {
            return Err(self.meaningless("packs_per_batch"));
        }
        if division.alone && self.oversize != Oversize::Error {
            return Err(self.meaningless("oversize"));
        }
        Ok(division)
    }

    /// Batches of several shapes. Those of a fixed number of graphs have room for it in the last, too.
    fn rounded(&self, limits: Limits<2>, rounding: Rounding) -> Division {
        let unpadded = rounding == Rounding::Multiple(1);
        let graphs = if unpadded { None } else { (limits.graphs as usize).checked_add(1) };
        Division { limits, rule: ShapeRule::Rounded { rounding, graphs }, alone: true }
    }

    /// The fixed number of graphs per batch.
    fn graphs(&self) -> Result<u32, BuildError> {
        match self.capacity.graphs() {
            Some(0) => Err(BuildError::Zero { option: "graphs per batch" }),
            Some(graphs) => Ok(graphs),
            None => Err(self.meaningless("a capacity of limits")),
        }
    }

    fn meaningless(&self, option: &'static str) -> BuildError {
        BuildError::Meaningless { option, batching: self.batching }
    }

    /// The graphs that fit the limits, and their histogram.
    fn fitting(&self, sizes: &[Size<2>], limits: &Limits<2>) -> Result<(Vec<u32>, Histogram<2>), BuildError> {
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
        if kept.is_empty() {
            return Err(BuildError::Empty);
        }
        let histogram = Histogram::from_sizes(kept.iter().map(|&graph| sizes[graph as usize]))?;
        Ok((kept, histogram))
    }
}

/// How graphs are divided into batches.
struct Division {
    /// Of a pack.
    limits: Limits<2>,
    rule: ShapeRule,
    /// Whether graphs that exceed the limits are batches of their own.
    alone: bool,
}
