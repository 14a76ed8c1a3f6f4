//! [`DrawnLoader`]: batches of graphs that are drawn anew in each epoch.

use crate::options::Options;
use crate::pool::Pool;
use crate::prefetch::Prefetch;
use crate::shapes::ShapeRule;
use crate::{
    Batched, BuildError, Capacity, Epoch, Layout, LoadError, Loader, LoaderBuilder, LoaderState, ResumeError, Shape,
    Source, panic_message,
};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

/// Where graphs are drawn from: sampled neighbourhoods, groups of clusters.
pub trait Draw: Send + Sync + 'static {
    /// The graphs of one epoch.
    type Graphs: Source + 'static;

    /// The graphs of epoch `epoch`, the same whenever it is asked for. Their [`fingerprint`](Source::fingerprint) tells epochs apart.
    fn draw(&self, epoch: u64) -> Self::Graphs;
}

/// What a [`DrawnLoader`]'s options are about; [`DrawnLoader::new`] makes it.
#[derive(Debug)]
pub struct Drawn<D>(Arc<D>);

/// A [`Loader`] whose graphs are drawn anew in each epoch: one shape, one pool of memory, states to resume from.
///
/// ```
/// use graphpack_loader::{Batching, DrawnLoader};
/// use graphpack_loader::partition::{EdgeType, LargeGraph, NeighbourOptions, Neighbours, NodeType};
/// use std::sync::Arc;
///
/// let node = NodeType { name: "_N".into(), nodes: 100, ..NodeType::default() };
/// let name = ["_N".into(), "_E".into(), "_N".into()];
/// let (sources, targets) = (0..1000).map(|edge| (edge * 7 % 100, edge / 10)).unzip();
/// let edge = EdgeType { name, sources, targets, features: Vec::new() };
/// let graph = LargeGraph { name: "g".into(), node_types: vec![node], edge_types: vec![edge] };
///
/// let options = NeighbourOptions { fan_outs: vec![4, 2], ..NeighbourOptions::default() };
/// let neighbours = Neighbours::new(Arc::new(graph), &[3, 14, 15, 92], options)?;
/// let limits = neighbours.limits(2);
/// let loader = DrawnLoader::new(neighbours).batching(Batching::Dynamic).limits(limits).shuffle(1).build()?;
/// for epoch in 0..2 {
///     for batch in loader.epoch(epoch) {
///         let batch = batch?;
///         assert_eq!((Some(batch.shape()), batch.real().graphs), (loader.shape(), 2));
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A [`Capacity`] that follows from the sizes of the graphs, such as the default, is found for epoch 0 and holds for all epochs: where graphs
/// of a later one exceed it, the first item of that epoch is an error, unless [`Oversize`](crate::Oversize) says otherwise. Each epoch is planned
/// for itself. With workers, the graphs of the next epoch are drawn and planned by a thread while those of one are loaded.
pub struct DrawnLoader<D: Draw> {
    draws: Arc<D>,
    options: Options,
    pool: Arc<Pool>,
    layout: Option<Arc<Layout>>,
    next: Mutex<Option<Next<D::Graphs>>>,
}

/// The epoch that will be asked for.
struct Next<S> {
    epoch: u64,
    loader: Making<S>,
}

enum Making<S> {
    Done(Loader<S>),
    ByThread(JoinHandle<Result<Loader<S>, BuildError>>),
}

impl<D: Draw> Batched for Drawn<D> {
    type Loader = DrawnLoader<D>;

    /// Draws and plans epoch 0.
    fn build(LoaderBuilder { source, mut options }: LoaderBuilder<Self>) -> Result<DrawnLoader<D>, BuildError> {
        let pool = Arc::new(Pool::new(options.memory.clone()));
        let first = options.build(Arc::new(source.0.draw(0)), pool.clone())?;
        if let ShapeRule::Fixed { .. } = first.shared.shapes.rule() {
            options.capacity = Capacity::Limits(first.shared.origin.order.limits);
        }
        let layout = first.layout().cloned();
        let next = Mutex::new(Some(Next { epoch: 0, loader: Making::Done(first) }));
        Ok(DrawnLoader { draws: source.0.clone(), options, pool, layout, next })
    }
}

impl<D: Draw> DrawnLoader<D> {
    /// Options for loading what `draws` draws.
    #[expect(clippy::new_ret_no_self, reason = "the options end in `build`, which returns the loader")]
    pub fn new(draws: D) -> LoaderBuilder<Drawn<D>> {
        LoaderBuilder::new(Arc::new(Drawn(Arc::new(draws))))
    }

    /// The batches of epoch `epoch`. Where its graphs cannot be planned, the first item says why.
    pub fn epoch(&self, epoch: u64) -> Epoch {
        self.epoch_from(epoch, 0)
    }

    /// The batches of epoch `epoch` from batch `step` of this process on, the same that [`epoch`](Self::epoch) gives after `step` batches.
    pub fn epoch_from(&self, epoch: u64, step: usize) -> Epoch {
        let begun = Instant::now();
        let batches = match self.loader(epoch) {
            Ok(loader) => loader.epoch_from(epoch, step),
            Err(error) => return Epoch::new(Prefetch::failed(error), begun),
        };
        self.draw_ahead(epoch.saturating_add(1));
        batches.since(begun)
    }

    /// The rest of the epoch that a state is in, as [`Loader::resume`].
    pub fn resume(&self, state: &LoaderState) -> Result<Epoch, ResumeError> {
        let begun = Instant::now();
        let epoch = state.epoch();
        let batches = match self.loader(epoch) {
            Ok(loader) => loader.resume(state)?,
            Err(error) => return Ok(Epoch::new(Prefetch::failed(error), begun)),
        };
        self.draw_ahead(epoch.saturating_add(1));
        Ok(batches.since(begun))
    }

    /// The loader of epoch `epoch`, which has its number of batches, shapes and state; [`Loader::epoch`] of that number are the batches.
    pub fn loader(&self, epoch: u64) -> Result<Loader<D::Graphs>, LoadError> {
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner).take_if(|next| next.epoch == epoch);
        let drawn = match next.map(|next| next.loader) {
            Some(Making::Done(loader)) => return Ok(loader),
            Some(Making::ByThread(thread)) => match thread.join() {
                Ok(drawn) => drawn,
                Err(panic) => return Err(LoadError::Panic { step: 0, message: panic_message(&*panic) }),
            },
            None => self.options.build(Arc::new(self.draws.draw(epoch)), self.pool.clone()),
        };
        drawn.map_err(|source| LoadError::Build { epoch, source: Box::new(source) })
    }

    /// Begins to draw and plan an epoch, if there may be threads.
    fn draw_ahead(&self, epoch: u64) {
        if self.options.workers == 0 {
            return;
        }
        let (draws, options, pool) = (self.draws.clone(), self.options.clone(), self.pool.clone());
        let draw = move || options.build(Arc::new(draws.draw(epoch)), pool);
        // Without a thread the epoch is drawn when it begins.
        if let Ok(thread) = Builder::new().name("graphpack-draw".into()).spawn(draw) {
            let next = Next { epoch, loader: Making::ByThread(thread) };
            *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Some(next);
        }
    }

    /// The shape of every batch of all epochs; none if there are several ([`Loader::shapes`]).
    pub fn shape(&self) -> Option<Shape> {
        self.layout().map(|layout| layout.shape())
    }

    /// Where the arrays of every batch lie in its memory; none if there are several shapes.
    pub fn layout(&self) -> Option<&Arc<Layout>> {
        self.layout.as_ref()
    }

    /// What graphs are drawn from.
    pub fn draws(&self) -> &D {
        &self.draws
    }
}

/// Waits for a thread that draws.
impl<D: Draw> Drop for DrawnLoader<D> {
    fn drop(&mut self) {
        let next = self.next.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Next { loader: Making::ByThread(thread), .. }) = next {
            // Its graphs are not wanted any more, nor is what kept them from being drawn.
            let _ = thread.join();
        }
    }
}
