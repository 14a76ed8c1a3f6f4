//! [`LoaderBuilder`]: how batches are made, as plain data, checked once in [`build`](LoaderBuilder::build).

use crate::layout::Layout;
use crate::loader::{Loader, Shared};
use crate::memory::{Heap, Memory, Pool};
use crate::order::Schedule;
use crate::{BuildError, Padding, Shape, Source};
use graphpack_core::{Heuristic, Histogram, Limits, Packer, Plan, Size};
use std::sync::Arc;

/// How graphs come together in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Batching {
    /// Packs of a plan, made by this packer from the histogram of sizes.
    Packed(Packer<2>),
    /// A fixed number of graphs of any size, padded to the shape of the limits: for comparison.
    ///
    /// Without limits given, the shape holds that many of the largest graph. A batch that exceeds limits given ends its epoch with an error.
    Static {
        /// Graphs per batch.
        graphs: u32,
    },
}

/// What happens to graphs that exceed the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Oversize {
    /// [`build`](LoaderBuilder::build) fails and names the first.
    #[default]
    Error,
    /// They are left out, and [`Loader::skipped`] counts them.
    Skip,
}

/// Where the limits of a pack come from.
#[derive(Clone, Copy, Debug)]
enum Capacity {
    Given(Limits<2>),
    /// So large that a batch holds about this many graphs.
    Graphs(u32),
}

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
}

impl<S: Source + 'static> LoaderBuilder<S> {
    pub(crate) fn new(source: Arc<S>) -> Self {
        Self {
            source,
            capacity: Capacity::Graphs(128),
            batching: Batching::Packed(Packer::BestFit(Heuristic::Maximum)),
            packs: 1,
            padding: Padding::default(),
            oversize: Oversize::default(),
            seed: None,
            workers: 1,
            prefetch: 4,
            memory: Arc::new(Heap),
        }
    }

    /// The most that one pack may hold. The shape of a batch adds padding to it ([`Padding::shape`]).
    pub fn limits(mut self, limits: Limits<2>) -> Self {
        self.capacity = Capacity::Given(limits);
        self
    }

    /// Limits that follow from the number of graphs that a step should see on average (default 128): mean size times graphs, rounded up to
    /// a multiple of 64, never below the largest graph, per component; at most a quarter more graphs than that in a batch.
    pub fn batch_graphs(mut self, graphs: u32) -> Self {
        self.capacity = Capacity::Graphs(graphs);
        self
    }

    /// How graphs come together (default: packed by best-fit).
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
        let all = Histogram::from_sizes((0..graphs).map(|graph| source.size(graph as usize)))?;
        match self.batching {
            Batching::Packed(packer) => {
                let limits = self.pack_limits(&all)?;
                let shape = checked_shape(self.padding, &limits, self.packs)?;
                let (kept, histogram) = self.fitting(graphs, &limits)?;
                let plan = packer.pack(&histogram, &limits)?;
                let schedule = Schedule::packed(source, &kept, &plan, self.packs);
                let skipped = graphs as usize - kept.len();
                Ok(self.finish(schedule, shape, Some(plan), skipped))
            }
            Batching::Static { graphs: 0 } => Err(BuildError::Zero { option: "graphs of Batching::Static" }),
            Batching::Static { graphs: per_batch } => {
                let limits = self.static_limits(&all, per_batch);
                let shape = checked_shape(self.padding, &limits, 1)?;
                Ok(self.finish(Schedule::Static { graphs, per_batch: per_batch as usize }, shape, None, 0))
            }
        }
    }

    fn finish(self, schedule: Schedule, shape: Shape, plan: Option<Plan<2>>, skipped: usize) -> Loader<S> {
        let layout = Arc::new(Layout::new(self.source.schema().clone(), shape));
        let pool = Arc::new(Pool::new(self.memory, layout.bytes()));
        let shared = Shared { source: self.source, schedule, padding: self.padding, layout, pool };
        Loader::new_built(Arc::new(shared), plan, skipped, self.seed, (self.workers, self.prefetch))
    }

    fn pack_limits(&self, histogram: &Histogram<2>) -> Result<Limits<2>, BuildError> {
        match self.capacity {
            Capacity::Given(limits) => Ok(limits),
            Capacity::Graphs(0) => Err(BuildError::Zero { option: "batch_graphs" }),
            Capacity::Graphs(graphs) => Ok(limits_for(histogram, graphs)),
        }
    }

    /// Given limits stand, and are checked against the batches of each epoch; else whichever graphs come together fit.
    fn static_limits(&self, histogram: &Histogram<2>, graphs: u32) -> Limits<2> {
        match self.capacity {
            Capacity::Given(limits) => limits,
            Capacity::Graphs(_) => {
                let needed = histogram.largest().0.map(|component| component.max(1).saturating_mul(graphs));
                Limits { size: Size(needed), graphs }
            }
        }
    }

    /// The graphs that fit the limits, and their histogram.
    fn fitting(&self, graphs: u32, limits: &Limits<2>) -> Result<(Vec<u32>, Histogram<2>), BuildError> {
        let size = |graph: &u32| self.source.size(*graph as usize);
        let (kept, over): (Vec<u32>, Vec<u32>) = (0..graphs).partition(|graph| size(graph).fits(&limits.size));
        match (over.first(), self.oversize) {
            (Some(first), Oversize::Error) => Err(BuildError::Oversize {
                graph: self.source.number(*first as usize),
                size: size(first),
                limits: *limits,
                others: over.len() - 1,
            }),
            _ => {
                let histogram = Histogram::from_sizes(kept.iter().map(size))?;
                Ok((kept, histogram))
            }
        }
    }
}

/// See [`LoaderBuilder::batch_graphs`].
fn limits_for(histogram: &Histogram<2>, graphs: u32) -> Limits<2> {
    let (totals, largest) = (histogram.totals(), histogram.largest());
    let size = std::array::from_fn(|k| {
        let mean_times_graphs = (totals[k] * u128::from(graphs)).div_ceil(u128::from(histogram.graphs().max(1)));
        let wanted = mean_times_graphs.max(u128::from(largest.0[k])).max(1).next_multiple_of(64);
        u32::try_from(wanted).unwrap_or(u32::MAX)
    });
    // Packs of exactly `graphs` graphs would leave the packer no freedom; a quarter more costs rows of `y` only.
    Limits { size: Size(size), graphs: graphs.saturating_add(graphs.div_ceil(4)) }
}

fn checked_shape(padding: Padding, limits: &Limits<2>, packs: usize) -> Result<Shape, BuildError> {
    // 2^40 rows are beyond any memory, and leave room for multiplying by row sizes.
    let rows = [limits.size.0[0], limits.size.0[1], limits.graphs].into_iter().max().unwrap_or(0) as usize;
    match rows.checked_mul(packs) {
        Some(rows) if rows < 1 << 40 => Ok(padding.shape(limits, packs)),
        _ => Err(BuildError::TooLarge { limits: *limits, packs }),
    }
}
