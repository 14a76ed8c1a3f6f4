//! [`Loader`]: batches of a source, an [`Epoch`] at a time.

use crate::batch::{Assembler, BatchPosition};
use crate::epoch::{Epoch, Prefetch};
use crate::error::{BuildError, LoadError};
use crate::layout::{Layout, Pool, Shape};
use crate::options::{Batched, LoaderBuilder, Options};
use crate::plan::{EpochPlan, LoaderPlan, LoaderState, ResumeError};
use crate::source::Source;
use graphpack_core::{Limits, Plan};
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
///     graphs += batch.real().graphs();
/// }
/// assert_eq!(graphs, 200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Loader<S> {
    assembler: Arc<Assembler<S>>,
}

/// Where the batches of an epoch begin.
#[derive(Clone, Copy, Default)]
struct Begin {
    /// Batches of the epoch that all ranks together have consumed before.
    done: usize,
    /// Steps of this rank that are left out after that.
    step: usize,
}

impl<S: Source + 'static> Batched for S {
    type Loader = Loader<S>;

    fn build(builder: LoaderBuilder<S>) -> Result<Loader<S>, BuildError> {
        let (source, options) = builder.into_parts();
        let pool = Arc::new(Pool::new(options.memory.clone()));
        Loader::with_options(source, options, pool)
    }
}

impl<S: Source + 'static> Loader<S> {
    /// Options for loading from `source`; an `Arc` of a source is one, too.
    #[expect(clippy::new_ret_no_self, reason = "the options end in `build`, which returns the loader")]
    pub fn new(source: S) -> LoaderBuilder<S> {
        LoaderBuilder::new(Arc::new(source))
    }

    /// A loader whose batches lie in memory of `pool`.
    pub(crate) fn with_options(source: Arc<S>, options: Options, pool: Arc<Pool>) -> Result<Self, BuildError> {
        let plan = LoaderPlan::new(options, &*source)?;
        Ok(Self { assembler: Arc::new(Assembler::new(source, plan, pool)?) })
    }

    /// The batches of epoch `epoch`. Several epochs may run at the same time. Each holds its order, 4 bytes a graph, made here in
    /// time proportional to the number of graphs.
    pub fn epoch(&self, epoch: u64) -> Epoch {
        self.epoch_from(epoch, 0)
    }

    /// The batches of epoch `epoch` from batch `step` of this rank on, the same that [`epoch`](Self::epoch) gives after `step` batches.
    pub fn epoch_from(&self, epoch: u64, step: usize) -> Epoch {
        let begun = Instant::now();
        let planned = self.planned().epoch(epoch, self.alike()).and_then(|plan| {
            let batches = self.options().shard.steps(plan.len(), 0);
            if step > batches { Err(LoadError::Start { step, batches }) } else { Ok(plan) }
        });
        let batches = match planned {
            Err(error) => Prefetch::failed(error),
            Ok(plan) => self.steps(plan, Begin { done: 0, step }, self.planned().start().at(epoch, 0)),
        };
        Epoch::new(batches, begun)
    }

    /// The rest of the epoch that a state is in, from the batch after the one that gave it. Workers, prefetch depth and world size may have
    /// changed: n ranks that made s steps have consumed n x s batches of the epoch, and what is left is shared out anew.
    /// Epochs after that are had as always, from `state.epoch() + 1` on.
    ///
    /// Errors if the state belongs to other data, limits, batching, seed or version.
    pub fn resume(&self, state: &LoaderState) -> Result<Epoch, ResumeError> {
        let begun = Instant::now();
        self.planned().start().check(state)?;
        let done = state.batches_done();
        let batches = match self.planned().epoch(state.epoch(), state.key().alike()) {
            Err(error) => Prefetch::failed(error),
            Ok(plan) if done > plan.len() as u64 => {
                return Err(ResumeError::Step { epoch: state.epoch(), done, batches: plan.len() });
            }
            Ok(plan) => self.steps(plan, Begin { done: done as usize, step: 0 }, state.clone()),
        };
        Ok(Epoch::new(batches, begun))
    }

    /// The steps of this rank through the batches of a plan. Step numbers continue if the world size is the same. `run` is any state in the
    /// epoch and of the order of graphs that the plan is of.
    fn steps(&self, plan: EpochPlan, begin: Begin, run: LoaderState) -> Prefetch<crate::Batch> {
        let (assembler, options) = (self.assembler.clone(), self.options());
        let (workers, prefetch, shard) = (options.workers, options.prefetch, options.shard);
        let (world, batches, done) = (shard.world() as usize, plan.len(), begin.done);
        let steps = begin.step..shard.steps(batches, done);
        let (epoch, run, before) = (run.epoch(), Arc::new(run), done.div_ceil(world));
        let produce = move |step: usize| {
            let consumed = (done + (step + 1) * world).min(batches);
            let position = BatchPosition::new(run.clone(), epoch, (before + step) as u64, consumed as u64);
            assembler.make(&plan, done + shard.batch(step), position)
        };
        Prefetch::new(Arc::new(produce), steps, workers, prefetch)
    }

    /// Batches of epoch `epoch` for this rank, exactly. Where it is not the same in all epochs, this takes as long as starting the
    /// epoch; 0 if the epoch cannot be planned, which its first batch says.
    pub fn batches(&self, epoch: u64) -> usize {
        self.options().shard.steps(self.planned().batches(epoch), 0)
    }

    /// The distinct shapes of epoch `epoch` and how many batches of all ranks have each, smallest first; one, unless the
    /// [`Batching`](crate::Batching) has several, or graphs that exceed the limits are alone. Takes as long as starting the epoch.
    pub fn shapes(&self, epoch: u64) -> Result<Vec<(Shape, u64)>, LoadError> {
        let plan = self.planned().epoch(epoch, self.alike())?;
        let mut counts = BTreeMap::new();
        (0..plan.len()).for_each(|batch| *counts.entry(plan.shape(batch)).or_default() += 1);
        Ok(counts.into_iter().collect())
    }
}

impl<S: Source> Loader<S> {
    fn planned(&self) -> &LoaderPlan {
        self.assembler.plan()
    }

    fn options(&self) -> &Options {
        self.planned().options()
    }

    fn alike(&self) -> u32 {
        self.planned().start().key().alike()
    }

    /// The shape of every batch; none if there are several ([`shapes`](Self::shapes)).
    pub fn shape(&self) -> Option<Shape> {
        self.planned().shapes().only()
    }

    /// Where the arrays of every batch lie in its memory; none if there are several shapes.
    pub fn layout(&self) -> Option<&Arc<Layout>> {
        self.assembler.only_layout()
    }

    /// The plan; none if batches are not packed.
    pub fn plan(&self) -> Option<&Plan<2>> {
        self.planned().packs()
    }

    /// The configured limits of a pack, where they give all batches their shape.
    pub(crate) fn limits(&self) -> Option<Limits<2>> {
        self.planned().limits()
    }

    /// Graphs that exceed the limits and are left out.
    pub fn skipped(&self) -> usize {
        self.planned().skipped()
    }

    /// Graphs that exceed the limits and are batches of their own.
    pub fn alone(&self) -> usize {
        self.planned().alone()
    }

    /// The state of a training before its first batch of epoch `epoch`; [`Batch::state`](crate::Batch::state) gives all others.
    pub fn state(&self, epoch: u64) -> LoaderState {
        self.planned().start().at(epoch, 0)
    }

    /// The source.
    pub fn source(&self) -> &Arc<S> {
        self.assembler.source()
    }
}
