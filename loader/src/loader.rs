//! [`Loader`] and [`Epoch`]: batches of a source, as an iterator per epoch.

use crate::builder::LoaderBuilder;
use crate::collate::collate;
use crate::order::{EpochOrder, Schedule};
use crate::pool::Pool;
use crate::prefetch::Prefetch;
use crate::shapes::{ShapeRule, Shapes};
use crate::{Batch, Layout, LoadError, Padding, Report, Shape, Source, Stats};
use graphpack_core::Plan;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// What workers need to make a batch.
pub(crate) struct Shared<S> {
    pub(crate) source: Arc<S>,
    pub(crate) schedule: Schedule,
    pub(crate) padding: Padding,
    pub(crate) shapes: Shapes,
    pub(crate) pool: Arc<Pool>,
}

impl<S: Source> Shared<S> {
    /// The order of an epoch and the shape of each batch from `start` on, all of which are large enough.
    fn order(&self, seed: Option<u64>, epoch: u64, start: usize) -> Result<(EpochOrder, EpochShapes), LoadError> {
        let order = self.schedule.epoch(seed, epoch);
        if start > order.len() {
            return Err(LoadError::Start { step: start, batches: order.len() });
        }
        let shapes = match (self.shapes.rule(), &self.schedule) {
            (&ShapeRule::Fixed(shape), Schedule::Packed { .. }) => EpochShapes::All(shape),
            (&ShapeRule::Fixed(shape), Schedule::Streamed { .. }) => {
                for step in start..order.len() {
                    self.shape(&order, step)?;
                }
                EpochShapes::All(shape)
            }
            (ShapeRule::Rounded { .. }, _) => {
                let shapes = (start..order.len()).map(|step| self.shape(&order, step));
                EpochShapes::Each { start, shapes: shapes.collect::<Result<_, _>>()? }
            }
        };
        Ok((order, shapes))
    }

    /// The shape of a batch, unless its graphs exceed it, as a fixed number of graphs of any size may.
    fn shape(&self, order: &EpochOrder, step: usize) -> Result<Shape, LoadError> {
        let graphs = order.batch(step);
        let mut found = Shape { nodes: 0, edges: 0, graphs: graphs.len() };
        for &graph in graphs {
            let [nodes, edges] = self.source.size(graph as usize).0;
            found.nodes += nodes as usize;
            found.edges += edges as usize;
        }
        let shape = self.shapes.rule().shape(found, self.padding).ok_or(LoadError::Unaddressable { step, found })?;
        let exceeds = found.nodes + self.padding.nodes() > shape.nodes
            || found.edges > shape.edges
            || found.graphs >= shape.graphs;
        if exceeds { Err(LoadError::Exceeds { step, found, shape }) } else { Ok(shape) }
    }

    fn make(&self, graphs: &[u32], shape: Shape, (epoch, step): (u64, usize)) -> Result<Batch, LoadError> {
        let begun = Instant::now();
        let check = || self.source.check().map_err(|source| LoadError::Changed { step, source });
        check()?;
        let layout = self.shapes.layout(shape).ok_or(LoadError::Unaddressable { step, found: shape })?;
        let mut arena = self.pool.take(layout.bytes()).map_err(|source| LoadError::Memory { step, source })?;
        let bytes = &mut arena.bytes_mut()[..layout.bytes()];
        match collate(&*self.source, graphs, &layout, self.padding, bytes) {
            Ok(real) => {
                check()?;
                let at = (epoch, step as u64);
                Ok(Batch::new(arena, self.pool.clone(), layout, real, begun.elapsed(), at))
            }
            Err(error) => {
                self.pool.put(arena);
                Err(LoadError::Source { step, graph: error.graph, source: error.source })
            }
        }
    }
}

/// The shapes of the batches of one epoch.
enum EpochShapes {
    All(Shape),
    /// One per batch from `start` on.
    Each {
        start: usize,
        shapes: Vec<Shape>,
    },
}

impl EpochShapes {
    fn at(&self, step: usize) -> Shape {
        match self {
            Self::All(shape) => *shape,
            Self::Each { start, shapes } => shapes[step - start],
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
///     assert_eq!(Some(batch.shape()), loader.shape());
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
            Ok((order, shapes)) => {
                let range = (step, order.len());
                let shared = self.shared.clone();
                let produce = Arc::new(move |step| shared.make(order.batch(step), shapes.at(step), (epoch, step)));
                Prefetch::new(produce, range, self.workers, self.prefetch)
            }
        };
        let mut report = Report::default();
        report.waited(begun.elapsed());
        Epoch { batches, report }
    }

    /// The distinct shapes of epoch `epoch` and how many batches have each, smallest first; one, unless the [`Batching`](crate::Batching) has
    /// several. Takes as long as starting the epoch.
    pub fn shapes(&self, epoch: u64) -> Result<Vec<(Shape, u64)>, LoadError> {
        let (order, shapes) = self.shared.order(self.seed, epoch, 0)?;
        let mut counts = BTreeMap::new();
        for step in 0..order.len() {
            let shape = shapes.at(step);
            *counts.entry((shape.nodes, shape.edges, shape.graphs)).or_default() += 1;
        }
        let shape = |((nodes, edges, graphs), batches)| (Shape { nodes, edges, graphs }, batches);
        Ok(counts.into_iter().map(shape).collect())
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

    /// The shape of every batch; none if [`Batching`](crate::Batching) has several ([`shapes`](Self::shapes)).
    pub fn shape(&self) -> Option<Shape> {
        self.layout().map(|layout| layout.shape())
    }

    /// Where the arrays of every batch lie in its memory; none if there are several shapes.
    pub fn layout(&self) -> Option<&Arc<Layout>> {
        self.shared.shapes.fixed()
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
    report: Report,
}

impl Epoch {
    /// What was handed over so far, and how long it was waited for.
    pub fn stats(&self) -> Stats {
        self.report.stats()
    }

    /// Shapes, fill, graphs per batch and collating time of the batches so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Real / all slots of the batches so far: nodes, edges, graphs.
    pub fn efficiency(&self) -> [f64; 3] {
        self.stats().efficiency()
    }
}

impl Iterator for Epoch {
    type Item = Result<Batch, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = Instant::now();
        let item = self.batches.next();
        self.report.waited(start.elapsed());
        if let Some(Ok(batch)) = &item {
            self.report.add(batch.real(), batch.shape(), batch.collating());
        }
        item
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // An error may end the epoch early.
        let remaining = self.batches.remaining();
        (remaining.min(1), Some(remaining))
    }
}
