//! [`LoaderBuilder`]: how batches are made, as plain data, checked once in [`build`](LoaderBuilder::build).

use crate::layout::Layout;
use crate::loader::{Loader, Shared};
use crate::memory::{Heap, Memory};
use crate::order::Schedule;
use crate::pool::Pool;
use crate::{Batching, BuildError, Oversize, Padding, Source};
use graphpack_core::search::{self, Candidate};
use graphpack_core::{Effort, Histogram, Limits, Packer, Plan, Size};
use std::sync::Arc;

/// Where the limits of a pack come from.
#[derive(Clone, Copy, Debug)]
enum Capacity {
    Given(Limits<2>),
    /// So large that a batch holds about this many graphs.
    Graphs(u32),
    /// As full as can be with about this many graphs.
    Search(u32),
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
            batching: Batching::Packed(Packer::Auto(Effort::default())),
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
    /// a multiple of 64, never below the largest graph, per component; at most a quarter more graphs in a pack than fit on average.
    pub fn batch_graphs(mut self, graphs: u32) -> Self {
        self.capacity = Capacity::Graphs(graphs);
        self
    }

    /// Limits that a search finds for about `graphs` graphs per pack ([`search`](graphpack_core::search)): those along the data set's
    /// proportion of nodes and edges whose packs are fullest. Takes about a second where there are a thousand sizes.
    pub fn auto_limits(mut self, graphs: u32) -> Self {
        self.capacity = Capacity::Search(graphs);
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
        match self.batching {
            Batching::Packed(packer) => {
                let limits = self.pack_limits(&all)?;
                let (kept, histogram) = self.fitting(&sizes, &limits)?;
                let plan = packer.pack(&histogram, &limits)?;
                let schedule = Schedule::packed(&sizes, &kept, &plan, self.packs);
                let skipped = sizes.len() - kept.len();
                self.finish(schedule, &limits, Some(plan), skipped)
            }
            Batching::Window { open: 0 } => Err(BuildError::Zero { option: "open of Batching::Window" }),
            Batching::Window { .. } | Batching::Dynamic => {
                let limits = self.pack_limits(&all)?;
                let (kept, _) = self.fitting(&sizes, &limits)?;
                let skipped = sizes.len() - kept.len();
                let open = if let Batching::Window { open } = self.batching { Some(open) } else { None };
                let schedule = Schedule::Streamed { graphs: kept, sizes, limits, open, per_batch: self.packs };
                self.finish(schedule, &limits, None, skipped)
            }
            Batching::Static { graphs: per_batch } => {
                let limits = self.static_limits(&all, per_batch)?;
                self.finish(Schedule::Static { graphs, per_batch: per_batch as usize }, &limits, None, 0)
            }
        }
    }

    fn finish(
        self,
        schedule: Schedule,
        limits: &Limits<2>,
        plan: Option<Plan<2>>,
        skipped: usize,
    ) -> Result<Loader<S>, BuildError> {
        let too_large = BuildError::TooLarge { limits: *limits, packs: self.packs };
        let layout =
            self.padding.shape(limits, self.packs).and_then(|shape| Layout::new(self.source.schema().clone(), shape));
        let layout = Arc::new(layout.ok_or(too_large)?);
        let pool = Arc::new(Pool::new(self.memory, layout.bytes()));
        let shared = Shared { source: self.source, schedule, padding: self.padding, layout, pool };
        Ok(Loader::new_built(Arc::new(shared), plan, skipped, self.seed, (self.workers, self.prefetch)))
    }

    fn pack_limits(&self, histogram: &Histogram<2>) -> Result<Limits<2>, BuildError> {
        match self.capacity {
            Capacity::Given(limits) => {
                limits.check()?;
                Ok(limits)
            }
            Capacity::Graphs(0) => Err(BuildError::Zero { option: "batch_graphs" }),
            Capacity::Search(0) => Err(BuildError::Zero { option: "auto_limits" }),
            Capacity::Search(graphs) => searched_limits(histogram, graphs),
            Capacity::Graphs(graphs) => Ok(limits_for(histogram, graphs)),
        }
    }

    /// Given limits stand, and are checked against the batches of each epoch; else whichever graphs come together fit.
    fn static_limits(&self, histogram: &Histogram<2>, graphs: u32) -> Result<Limits<2>, BuildError> {
        if self.packs != 1 {
            return Err(BuildError::Static { option: "packs_per_batch" });
        }
        if self.oversize != Oversize::Error {
            return Err(BuildError::Static { option: "oversize" });
        }
        match self.capacity {
            _ if graphs == 0 => Err(BuildError::Zero { option: "graphs of Batching::Static" }),
            Capacity::Given(limits) if limits.graphs < graphs => Err(BuildError::StaticGraphs { graphs, limits }),
            Capacity::Given(limits) => {
                limits.check()?;
                Ok(limits)
            }
            Capacity::Graphs(_) | Capacity::Search(_) => {
                let needed = histogram.largest().0.map(|component| component.max(1).saturating_mul(graphs));
                Ok(Limits { size: Size(needed), graphs })
            }
        }
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

/// See [`LoaderBuilder::auto_limits`].
fn searched_limits(histogram: &Histogram<2>, graphs: u32) -> Result<Limits<2>, BuildError> {
    let candidates = search::around(histogram, f64::from(graphs), 8);
    let tried = candidates.into_iter().map(|limits| Candidate::evaluate(histogram, limits));
    let tried = tried.collect::<Result<Vec<_>, _>>()?;
    let best = search::fullest(&tried, histogram, f64::from(graphs));
    Ok(best.map_or_else(|| limits_for(histogram, graphs), |best| best.limits))
}

/// See [`LoaderBuilder::batch_graphs`].
fn limits_for(histogram: &Histogram<2>, graphs: u32) -> Limits<2> {
    let (totals, largest) = (histogram.totals(), histogram.largest());
    let count = u128::from(histogram.graphs().max(1));
    let size: [u32; 2] = std::array::from_fn(|k| {
        let wanted = (totals[k] * u128::from(graphs)).div_ceil(count);
        let wanted = wanted.max(u128::from(largest.0[k])).max(1).next_multiple_of(64);
        u32::try_from(wanted).unwrap_or(u32::MAX)
    });
    // Where the largest graph raised both limits, as many more graphs fit on average.
    let fitting = (0..2).map(|k| u128::from(size[k]) * count / totals[k].max(1)).min().unwrap_or(0);
    let graphs = graphs.max(u32::try_from(fitting).unwrap_or(u32::MAX));
    // Packs of exactly `graphs` graphs would leave the packer no freedom; a quarter more costs rows of `y` only.
    Limits { size: Size(size), graphs: graphs.saturating_add(graphs.div_ceil(4)) }
}
