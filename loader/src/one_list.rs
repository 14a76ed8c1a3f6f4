//! [`OneList`]: begins an epoch over one list of graphs, or goes on with one from a saved state; where each epoch draws
//! its graphs, each has one of its own.

use crate::batch::{Assembler, Batch, BatchPosition};
use crate::epoch::{Ahead, Epoch, Prefetch};
use crate::error::{Error, LoadError, panic_message};
use crate::layout::{Layout, Pool};
use crate::options::{Options, Shapes};
use crate::plan::{EpochPlan, LoaderPlan, ResumeError, Run, State};
use crate::quality::{SampleQuality, Targets};
use crate::source::Graphs;
use graphpack_core::Cost;
use std::iter::repeat;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Makes the batches of one list of graphs: that of every epoch, or of one.
pub(crate) struct OneList {
    /// Dropped first, so that the thread is not the last that has the data.
    ahead: Ahead<Result<EpochPlan, Error>>,
    assembler: Arc<Assembler>,
}

impl OneList {
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

    /// Returns the batches of an epoch, which was requested at `begun`.
    pub(crate) fn epoch(&self, epoch: u64, begun: Instant) -> Epoch {
        let planned = self.plan_of(epoch).and_then(|plan| self.some_steps(epoch, plan.len()).map(|_| plan));
        self.begin(planned, self.planned().start().before(epoch), begun)
    }

    /// Returns the rest of the epoch that `state` was taken in without its first `steps` steps, which was requested at
    /// `begun`.
    pub(crate) fn resume(&self, state: &State, steps: usize, begun: Instant) -> Result<Epoch, Error> {
        let mut from = state.clone();
        let planned = self.resumed(state)?.and_then(|plan| {
            let left = self.left(state, &plan)?;
            if steps > left {
                return Err(LoadError::Skip { steps, left }.into());
            }
            from = Run::new(from.clone(), self.options().shard.world(), plan.len()).after(steps);
            Ok(plan)
        });
        Ok(self.begin(planned, from, begun))
    }

    /// Returns the batches that `plan` has after the state `from`, or the error of the plan.
    fn begin(&self, planned: Result<EpochPlan, Error>, from: State, begun: Instant) -> Epoch {
        let (epoch, data_sets) = (from.epoch(), self.data().data_sets());
        match planned {
            Ok(plan) => {
                // An epoch may have a plan of its own, which is known only now; states name it.
                let run = Run::new(from.with_plan(plan.plan()), self.options().shard.world(), plan.len());
                let run = Arc::new(run);
                Epoch::new(run.clone(), self.steps(plan, run), data_sets, begun).warned(self.planned().warning())
            }
            Err(error) => Epoch::failed(epoch, error, begun),
        }
    }

    /// Returns how many batches this rank gets after `state`. Errors as [`resume`](Self::resume) and its epoch do.
    pub(crate) fn batches_after(&self, state: &State) -> Result<usize, Error> {
        self.left(state, &self.resumed(state)??)
    }

    /// How many batches of `plan` this rank gets after `state`. Errors if no rank gets any in the whole epoch.
    fn left(&self, state: &State, plan: &EpochPlan) -> Result<usize, Error> {
        match state.batches_done() {
            0 => self.some_steps(state.epoch(), plan.len()),
            done => Ok(self.options().shard.steps(plan.len(), done as usize)),
        }
    }

    /// Returns the epoch that `state` belongs to. The outer error refuses the state; the inner one is the epoch's own,
    /// its first item.
    fn resumed(&self, state: &State) -> Result<Result<EpochPlan, Error>, Error> {
        self.planned().start().check(state)?;
        // By the key of the state: batches were arranged for the world size of the run that saved it.
        let plan = match self.planned().epoch(state.epoch(), state.key()) {
            Err(error) => return Ok(Err(error)),
            Ok(plan) => plan,
        };
        state.key().check_plan(plan.plan())?;
        let (epoch, done, batches) = (state.epoch(), state.batches_done(), plan.len());
        if done > batches as u64 {
            return Err(ResumeError::Step { epoch, done, batches }.into());
        }
        let steps = state.steps_done();
        if steps > done { Err(ResumeError::Steps { done, steps }.into()) } else { Ok(Ok(plan)) }
    }

    /// Returns the batches of `plan` that this rank gets in `run`.
    fn steps(&self, mut plan: EpochPlan, run: Arc<Run>) -> Prefetch<Batch> {
        let (assembler, options) = (self.assembler.clone(), self.options());
        let (before, done) = (run.from().steps_done() as usize, run.from().batches_done() as usize);
        self.planned().equal_shapes(&mut plan, options.shard.world(), done);
        let (workers, prefetch, shard) = (options.workers, options.prefetch, options.shard);
        // Errors and batches of a resumed run go on counting steps.
        let steps = before..before + shard.steps(plan.len(), done);
        let plan = Arc::new(plan);
        let produce = move |step: usize, stopped: &AtomicBool| {
            let made = step - before;
            assembler.make(BatchPosition::new(&run, made, &plan, done + shard.batch(made)), stopped)
        };
        Prefetch::new(Arc::new(produce), steps, workers, prefetch)
    }

    /// Returns the number of batches that this rank gets in an epoch.
    pub(crate) fn batches(&self, epoch: u64) -> Result<usize, Error> {
        self.some_steps(epoch, self.planned().batches(epoch)?)
    }

    /// Returns the graphs of each batch that this rank gets in an epoch.
    pub(crate) fn graphs(&self, epoch: u64) -> Result<Vec<Vec<u32>>, Error> {
        let (plan, shard) = (self.planned().own_epoch(epoch)?, self.options().shard);
        let steps = self.some_steps(epoch, plan.len())?;
        Ok((0..steps).map(|step| plan.graphs(shard.batch(step)).to_vec()).collect())
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

    /// Returns the share of the time of all ranks that they wait for the costliest batch of each step of an epoch.
    pub(crate) fn idle_share(&self, epoch: u64, cost: &Cost) -> Result<f64, Error> {
        let (plan, shard) = (self.shaped(epoch)?, self.options().shard);
        let speeds = self.options().speeds.iter().copied().chain(repeat(1));
        let (mut used, mut given) = (0.0, 0.0);
        for step in 0..self.some_steps(epoch, plan.len())? {
            let batches = shard.batches(step).zip(speeds.clone());
            let full = batches.filter(|&(batch, _)| !plan.graphs(batch).is_empty());
            let times = full.map(|(batch, speed)| plan.shape(batch).cost(cost) as f64 / f64::from(speed));
            let (sum, most) = times.fold((0.0, 0.0), |(sum, most): (f64, f64), time| (sum + time, most.max(time)));
            used += sum;
            given += most * f64::from(shard.world());
        }
        Ok(if given == 0.0 { 0.0 } else { 1.0 - used / given })
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
        let targets = Targets::read(field, mask, all.epoch(0, Instant::now()))?;
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
