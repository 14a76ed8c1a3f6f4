//! [`Fixed`]: begins an epoch over a fixed list of graphs, or goes on with one from a saved state; where each epoch draws
//! its graphs, each has a `Fixed` of its own.

use crate::batch::{Assembler, Batch, BatchPosition};
use crate::epoch::{Ahead, Epoch, Prefetch};
use crate::error::{Error, LoadError, panic_message};
use crate::layout::{Layout, Pool};
use crate::options::{Options, Shapes};
use crate::plan::{EpochPlan, LoaderPlan, ResumeError, State};
use crate::quality::{SampleQuality, Targets};
use crate::source::Graphs;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Makes the batches of graphs that are the same in every epoch, or of those of one epoch.
pub(crate) struct Fixed {
    /// Dropped first, so that the thread is not the last that has the data.
    ahead: Ahead<Result<EpochPlan, Error>>,
    assembler: Arc<Assembler>,
}

impl Fixed {
    /// Plans the batches, which lie in memory of `pool`.
    pub(crate) fn new(data: Arc<dyn Graphs>, options: Options, pool: Arc<Pool>) -> Result<Self, Error> {
        data.schema().check()?;
        let plan = LoaderPlan::new(options, &*data)?;
        Ok(Self { ahead: Ahead::default(), assembler: Arc::new(Assembler::new(data, plan, pool)?) })
    }

    /// Plans an epoch on a thread if planning takes long, unless workers = 0.
    pub(crate) fn plan_ahead(&self, epoch: u64) {
        if self.options().workers > 0 && self.planned().plans_each_epoch() {
            let assembler = self.assembler.clone();
            self.ahead.start("graphpack-plan", epoch, move || assembler.plan().own_epoch(epoch));
        }
    }

    /// The plan of an epoch, for the ranks that there are.
    fn plan_of(&self, epoch: u64) -> Result<EpochPlan, Error> {
        match self.ahead.take(epoch) {
            Some(planned) => planned.unwrap_or_else(|panic| {
                let source = format!("planning panicked: {}", panic_message(&*panic)).into();
                Err(LoadError::Plan { epoch, source }.into())
            }),
            None => self.planned().own_epoch(epoch),
        }
    }

    /// Returns the batches of an epoch, which was requested at `begun`, without the first `step` of this rank.
    pub(crate) fn epoch(&self, epoch: u64, step: usize, begun: Instant) -> Epoch {
        let planned = self.plan_of(epoch).and_then(|plan| {
            let batches = self.some_steps(epoch, plan.len())?;
            if step > batches {
                return Err(LoadError::Start { step, batches }.into());
            }
            Ok(plan)
        });
        self.begin(planned, step, self.planned().start().at(epoch, 0), begun)
    }

    /// Returns the rest of the epoch that `state` was taken in, which was requested at `begun`.
    pub(crate) fn resume(&self, state: &State, begun: Instant) -> Result<Epoch, Error> {
        let planned = self.resumed(state)?.and_then(|plan| match state.batches_done() {
            0 => self.some_steps(state.epoch(), plan.len()).map(|_| plan),
            _ => Ok(plan),
        });
        Ok(self.begin(planned, 0, state.clone(), begun))
    }

    /// Returns the batches that are left after `run` without the first `step` of this rank, or the error of the plan.
    fn begin(&self, planned: Result<EpochPlan, Error>, step: usize, run: State, begun: Instant) -> Epoch {
        let epoch = run.epoch();
        let batches = match planned {
            Ok(plan) => self.steps(plan, step, run),
            Err(error) => Prefetch::failed(error),
        };
        Epoch::new(epoch, batches, self.data().data_sets(), begun).warned(self.planned().warning())
    }

    /// Errors as [`resume`](Self::resume) does.
    pub(crate) fn check(&self, state: &State) -> Result<(), Error> {
        self.resumed(state).map(drop)
    }

    /// The epoch that `state` belongs to.
    fn resumed(&self, state: &State) -> Result<Result<EpochPlan, Error>, Error> {
        self.planned().start().check(state)?;
        let plan = match self.planned().epoch(state.epoch(), state.key()) {
            Err(error) => return Ok(Err(error)),
            Ok(plan) => plan,
        };
        state.key().check_plan(plan.plan())?;
        let (epoch, done, batches) = (state.epoch(), state.batches_done(), plan.len());
        if done > batches as u64 { Err(ResumeError::Step { epoch, done, batches }.into()) } else { Ok(Ok(plan)) }
    }

    /// Returns the batches of `plan` that this rank gets after the state `run` of the same epoch and the same epoch
    /// order, without the first `step`. Step numbers continue if the world size is the same.
    fn steps(&self, mut plan: EpochPlan, step: usize, run: State) -> Prefetch<Batch> {
        let (assembler, options, done) = (self.assembler.clone(), self.options(), run.batches_done() as usize);
        self.planned().equal_shapes(&mut plan, options.shard.world(), done);
        let (workers, prefetch, shard) = (options.workers, options.prefetch, options.shard);
        let (world, batches) = (shard.world() as usize, plan.len());
        // Numbers of steps in the epoch: errors and batches of a resumed run go on counting.
        let before = done.div_ceil(world);
        let steps = before + step..before + shard.steps(batches, done);
        let (epoch, run, plan) = (run.epoch(), Arc::new(run.with_plan(plan.plan())), Arc::new(plan));
        let produce = move |step: usize, stopped: &AtomicBool| {
            let left = step - before;
            let consumed = (done + (left + 1) * world).min(batches);
            let place = (&plan, done + shard.batch(left));
            assembler.make(BatchPosition::new(&run, (epoch, step as u64, consumed as u64), place), stopped)
        };
        Prefetch::new(Arc::new(produce), steps, workers, prefetch)
    }

    /// Returns the number of batches that this rank gets in an epoch.
    pub(crate) fn batches(&self, epoch: u64) -> Result<usize, Error> {
        self.some_steps(epoch, self.planned().batches(epoch)?)
    }

    /// How many of all `batches` this rank gets. Errors if no rank gets any, which would be an epoch that does nothing.
    fn some_steps(&self, epoch: u64, batches: usize) -> Result<usize, Error> {
        let shard = self.options().shard;
        match shard.steps(batches, 0) {
            0 if batches == 0 => Err(LoadError::NoBatches { epoch }.into()),
            0 => Err(LoadError::NoSteps { epoch, batches, ranks: shard.world() }.into()),
            steps => Ok(steps),
        }
    }

    /// Returns the batches of epoch `epoch` of all ranks, each with its shape.
    pub(crate) fn shaped(&self, epoch: u64) -> Result<EpochPlan, Error> {
        let mut plan = self.planned().own_epoch(epoch)?;
        self.planned().equal_shapes(&mut plan, self.options().shard.world(), 0);
        Ok(plan)
    }

    /// Measures how good a sample of the data set the batches of some epochs are.
    pub(crate) fn sample_quality(&self, field: &str, epochs: Range<u64>) -> Result<SampleQuality, Error> {
        let schema = self.data().schema();
        let field = Targets::field(schema, field)?;
        let mask = Targets::mask(schema, field);
        let mut options = Options::exactly(256).shapes(Shapes::Exact).workers(self.options().workers);
        if self.data().maps().is_empty() {
            // Maps may change any other field.
            options = options.fields([field].into_iter().chain(mask).map(|field| &field.name));
        }
        let pool = options.pool();
        let all = Self::new(self.assembler.data().clone(), options, pool)
            .map_err(|source| LoadError::Build { epoch: 0, source })?;
        let targets = Targets::read(field, mask, all.epoch(0, 0, Instant::now()))?;
        SampleQuality::measure(self.planned(), &targets, epochs)
    }

    pub(crate) fn planned(&self) -> &LoaderPlan {
        self.assembler.plan()
    }

    pub(crate) fn options(&self) -> &Options {
        self.planned().options()
    }

    /// Where the arrays of every batch lie in its memory; `None` if there are several shapes.
    pub(crate) fn layout(&self) -> Option<&Arc<Layout>> {
        self.assembler.only_layout()
    }

    /// The graphs.
    pub(crate) fn data(&self) -> &dyn Graphs {
        &**self.assembler.data()
    }
}
