//! [`Loader`] and [`Epoch`]: batches of a source, as an iterator per epoch.

use crate::builder::LoaderBuilder;
use crate::collate::collate;
use crate::layout::Layout;
use crate::order::{EpochOrder, Schedule};
use crate::pool::Pool;
use crate::prefetch::Prefetch;
use crate::{Batch, LoadError, Padding, Shape, Source, Stats};
use graphpack_core::Plan;
use std::sync::Arc;
use std::time::Instant;

/// What workers need to make a batch.
pub(crate) struct Shared<S> {
    pub(crate) source: Arc<S>,
    pub(crate) schedule: Schedule,
    pub(crate) padding: Padding,
    pub(crate) layout: Arc<Layout>,
    pub(crate) pool: Arc<Pool>,
}

impl<S: Source> Shared<S> {
    /// The order of an epoch whose batches fit the shape, as those of a plan do and those of a fixed number of graphs may not.
    fn order(&self, seed: Option<u64>, epoch: u64, start: usize) -> Result<EpochOrder, LoadError> {
        let order = self.schedule.epoch(seed, epoch);
        if start > order.len() {
            return Err(LoadError::Start { step: start, batches: order.len() });
        }
        if let Schedule::Static { .. } = self.schedule {
            let shape = self.layout.shape();
            for step in start..order.len() {
                let graphs = order.batch(step);
                let [nodes, edges] = graphs.iter().fold([0, 0], |sum, &graph| {
                    let size = self.source.size(graph as usize).0;
                    [sum[0] + size[0] as usize, sum[1] + size[1] as usize]
                });
                if nodes + self.padding.nodes() > shape.nodes || edges > shape.edges || graphs.len() >= shape.graphs {
                    return Err(LoadError::Static { step, found: Shape { nodes, edges, graphs: graphs.len() }, shape });
                }
            }
        }
        Ok(order)
    }

    fn make(&self, order: &EpochOrder, epoch: u64, step: usize) -> Result<Batch, LoadError> {
        let mut arena = self.pool.take().map_err(|source| LoadError::Memory { step, source })?;
        let bytes = arena.bytes_mut();
        match collate(&*self.source, order.batch(step), &self.layout, self.padding, bytes) {
            Ok(real) => Ok(Batch::new(arena, self.pool.clone(), self.layout.clone(), real, (epoch, step as u64))),
            Err(error) => {
                self.pool.put(arena);
                Err(LoadError::Source { step, graph: error.graph, source: error.source })
            }
        }
    }
}

/// Fixed-shape batches of a source.
///
/// ```
/// use graphpack_loader::{Loader, molecules};
///
/// let loader = Loader::new(molecules::generate(7, 200)).batch_graphs(16).shuffle(42).workers(2).build()?;
/// let mut graphs = 0;
/// for batch in loader.epoch(0) {
///     let batch = batch?;
///     assert_eq!(batch.shape(), loader.shape());
///     graphs += batch.real().graphs;
/// }
/// assert_eq!(graphs, 200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Loader<S> {
    shared: Arc<Shared<S>>,
    plan: Option<Plan<2>>,
    skipped: usize,
    seed: Option<u64>,
    workers: usize,
    prefetch: usize,
}

impl<S: Source + 'static> Loader<S> {
    /// Options for loading from `source`; an `Arc` of a source is one, too.
    #[expect(clippy::new_ret_no_self, reason = "the options end in `build`, which returns the loader")]
    pub fn new(source: S) -> LoaderBuilder<S> {
        LoaderBuilder::new(Arc::new(source))
    }

    /// The batches of epoch `epoch`. Several epochs may run at the same time. Each holds its order, 4 bytes a graph, made here in
    /// time proportional to the number of graphs.
    pub fn epoch(&self, epoch: u64) -> Epoch {
        self.epoch_from(epoch, 0)
    }

    /// The batches of epoch `epoch` from batch `step` on, the same that [`epoch`](Self::epoch) gives after `step` batches.
    pub fn epoch_from(&self, epoch: u64, step: usize) -> Epoch {
        let begun = Instant::now();
        let batches = match self.shared.order(self.seed, epoch, step) {
            Err(error) => Prefetch::failed(error),
            Ok(order) => {
                let range = (step, order.len());
                let shared = self.shared.clone();
                let produce = Arc::new(move |step| shared.make(&order, epoch, step));
                Prefetch::new(produce, range, self.workers, self.prefetch)
            }
        };
        Epoch { batches, stats: Stats { waited: begun.elapsed(), ..Stats::default() } }
    }
}

impl<S> Loader<S> {
    pub(crate) fn new_built(
        shared: Arc<Shared<S>>,
        plan: Option<Plan<2>>,
        skipped: usize,
        seed: Option<u64>,
        (workers, prefetch): (usize, usize),
    ) -> Self {
        Self { shared, plan, skipped, seed, workers, prefetch }
    }

    /// The fixed shape of every batch.
    pub fn shape(&self) -> Shape {
        self.shared.layout.shape()
    }

    /// Where the arrays of a batch lie in its memory.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.shared.layout
    }

    /// The plan; none if batches are not packed.
    pub fn plan(&self) -> Option<&Plan<2>> {
        self.plan.as_ref()
    }

    /// Batches of epoch `epoch`, exactly. The same in all epochs but where graphs are streamed; there it takes as long as starting the epoch.
    pub fn batches(&self, epoch: u64) -> usize {
        self.shared.schedule.batches(self.seed, epoch)
    }

    /// Graphs that exceed the limits and are left out.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// The source.
    pub fn source(&self) -> &Arc<S> {
        &self.shared.source
    }
}

/// The batches of one epoch, in order. An error ends it. Dropping it at any moment stops and joins the workers.
pub struct Epoch {
    batches: Prefetch<Batch>,
    stats: Stats,
}

impl Epoch {
    /// What was handed over so far, and how long it was waited for.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Real / all slots of the batches so far: nodes, edges, graphs.
    pub fn efficiency(&self) -> [f64; 3] {
        self.stats.efficiency()
    }
}

impl Iterator for Epoch {
    type Item = Result<Batch, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = Instant::now();
        let item = self.batches.next();
        self.stats.waited += start.elapsed();
        if let Some(Ok(batch)) = &item {
            self.stats.add(batch.real(), batch.shape());
        }
        item
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // An error may end the epoch early.
        let remaining = self.batches.remaining();
        (remaining.min(1), Some(remaining))
    }
}
