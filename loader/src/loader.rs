//! [`Loader`]: batches of a source, an [`Epoch`] at a time.

use crate::batch::Place;
use crate::builder::LoaderBuilder;
use crate::prefetch::Prefetch;
use crate::shared::{EpochPlan, Shared};
use crate::state::Origin;
use crate::{Batch, Epoch, Layout, LoadError, LoaderState, ResumeError, Shape, Shard, Source};
use graphpack_core::Plan;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

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
    pub(crate) shared: Arc<Shared<S>>,
    pub(crate) plan: Option<Plan<2>>,
    pub(crate) skipped: usize,
    pub(crate) shard: Shard,
    pub(crate) workers: usize,
    pub(crate) prefetch: usize,
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

    /// The batches of epoch `epoch` from batch `step` of this process on, the same that [`epoch`](Self::epoch) gives after `step` batches.
    pub fn epoch_from(&self, epoch: u64, step: usize) -> Epoch {
        let begun = Instant::now();
        let planned = self.shared.plan(epoch, self.alike()).and_then(|plan| {
            let batches = self.shard.steps(plan.len(), 0);
            if step > batches { Err(LoadError::Start { step, batches }) } else { Ok(plan) }
        });
        let batches = match planned {
            Err(error) => Prefetch::failed(error),
            Ok(plan) => self.steps(plan, epoch, (0, step), self.shared.origin.clone()),
        };
        Epoch::new(batches, begun)
    }

    /// The rest of the epoch that a state is in, from right behind the batch that gave it. Workers, prefetched batches and processes may be
    /// others than they were: n processes that made s steps are behind n x s batches of the epoch, and what is left is shared out anew.
    /// Epochs after that are had as always, from `state.epoch() + 1` on.
    ///
    /// Errors if the state belongs to other data, limits, batching, seed or version.
    pub fn resume(&self, state: &LoaderState) -> Result<Epoch, ResumeError> {
        let begun = Instant::now();
        state.check(&self.shared.origin)?;
        let (epoch, done) = (state.epoch, state.done as usize);
        let batches = match self.shared.plan(epoch, state.order.alike) {
            Err(error) => Prefetch::failed(error),
            Ok(plan) if done > plan.len() => {
                return Err(ResumeError::Step { epoch, done: state.done, batches: plan.len() });
            }
            Ok(plan) => {
                // States of these batches go on in the same order again.
                let origin = Origin { data: state.data, order: state.order.clone() };
                self.steps(plan, epoch, (done, 0), Arc::new(origin))
            }
        };
        Ok(Epoch::new(batches, begun))
    }

    /// The steps of this process, from `start` on, through the batches of a plan behind the first `done`.
    /// Steps are counted on where they were if there are as many processes.
    fn steps(
        &self,
        plan: EpochPlan,
        epoch: u64,
        (done, start): (usize, usize),
        origin: Arc<Origin>,
    ) -> Prefetch<Batch> {
        let (shared, shard) = (self.shared.clone(), self.shard);
        let (world, batches) = (shard.world() as usize, plan.len());
        let end = shard.steps(batches, done);
        let before = done.div_ceil(world);
        let produce = move |step: usize| {
            let behind = (done + (step + 1) * world).min(batches);
            let place = Place { epoch, step: (before + step) as u64, done: behind as u64, origin: origin.clone() };
            shared.make(&plan, done + shard.batch(step), place)
        };
        Prefetch::new(Arc::new(produce), (start, end), self.workers, self.prefetch)
    }

    /// Batches of epoch `epoch` for this process, exactly. Where it is not the same in all epochs, this takes as long as starting the
    /// epoch; 0 if the epoch cannot be planned, which its first batch says.
    pub fn batches(&self, epoch: u64) -> usize {
        self.shard.steps(self.all_batches(epoch), 0)
    }

    fn all_batches(&self, epoch: u64) -> usize {
        let schedule = &self.shared.schedule;
        match schedule.planned() {
            Some(batches) => batches,
            None => schedule.epoch(self.shared.origin.order.seed, epoch).map_or(0, |order| order.len()),
        }
    }

    /// The distinct shapes of epoch `epoch` and how many batches of all processes have each, smallest first; one, unless the
    /// [`Batching`](crate::Batching) has several, or graphs that exceed the limits are alone. Takes as long as starting the epoch.
    pub fn shapes(&self, epoch: u64) -> Result<Vec<(Shape, u64)>, LoadError> {
        let plan = self.shared.plan(epoch, self.alike())?;
        let mut counts = BTreeMap::new();
        for batch in 0..plan.len() {
            let shape = plan.shape(batch);
            *counts.entry((shape.nodes, shape.edges, shape.graphs)).or_default() += 1;
        }
        let shape = |((nodes, edges, graphs), batches)| (Shape { nodes, edges, graphs }, batches);
        Ok(counts.into_iter().map(shape).collect())
    }
}

impl<S> Loader<S> {
    fn alike(&self) -> u32 {
        self.shared.origin.order.alike
    }

    /// The shape of every batch; none if there are several ([`shapes`](Self::shapes)).
    pub fn shape(&self) -> Option<Shape> {
        self.layout().map(|layout| layout.shape())
    }

    /// Where the arrays of every batch lie in its memory; none if there are several shapes.
    pub fn layout(&self) -> Option<&Arc<Layout>> {
        self.shared.shapes.only()
    }

    /// The plan; none if batches are not packed.
    pub fn plan(&self) -> Option<&Plan<2>> {
        self.plan.as_ref()
    }

    /// Graphs that exceed the limits and are left out.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// Graphs that exceed the limits and are batches of their own.
    pub fn alone(&self) -> usize {
        self.shared.schedule.alone.len()
    }

    /// Where a training is before its first batch of epoch `epoch`; [`Batch::state`](crate::Batch::state) gives all others.
    pub fn state(&self, epoch: u64) -> LoaderState {
        self.shared.origin.state(epoch, 0)
    }

    /// The source.
    pub fn source(&self) -> &Arc<S> {
        &self.shared.source
    }
}
