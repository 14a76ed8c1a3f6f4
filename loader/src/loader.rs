//! [`Loader`]: turns a source into batches, one [`Epoch`] at a time.

use crate::batch::{Assembler, BatchPosition};
use crate::epoch::{Ahead, Epoch, Prefetch};
use crate::error::{BuildError, LoadError, panic_message};
use crate::layout::{Layout, Pool, Shape};
use crate::options::{Limits, Options, Oversize, Shapes};
use crate::plan::{EpochPlan, LoaderPlan, LoaderState, ResumeError};
use crate::quality::{SampleError, SampleQuality, Targets};
use crate::source::Data;
use graphpack_core::Plan;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// Turns graphs into batches of a fixed shape.
///
/// ```
/// use graphpack_loader::{Loader, Options, Order, molecules};
///
/// let options = Options::graphs(16).order(Order::Shuffled).seed(42).workers(2);
/// let loader = Loader::new(molecules::generate(7, 200), options)?;
/// let mut graphs = 0;
/// for batch in loader.epoch(0) {
///     let batch = batch?;
///     assert_eq!(Some(batch.shape()), loader.shape());
///     graphs += batch.real().graphs();
/// }
/// assert_eq!(graphs, 200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// If every epoch has a plan of its own, since graphs are drawn by [weight](field@Options::weights), and `workers` is not
/// 0, a thread plans the next epoch while the current one is loaded. So after the last epoch of a training one more is
/// planned that is never used, and dropping the loader waits for that thread.
pub struct Loader {
    /// Dropped first, so that the thread is not the last that has the data.
    ahead: Ahead<Result<EpochPlan, LoadError>>,
    assembler: Arc<Assembler>,
}

/// The epochs of a run, one after the other, without end ([`Loader::epochs`]).
pub struct Epochs<'a> {
    loader: &'a Loader,
    /// What is left of the epoch that a run resumes in.
    rest: Option<Epoch>,
    next: u64,
}

impl Iterator for Epochs<'_> {
    type Item = Epoch;

    fn next(&mut self) -> Option<Epoch> {
        if let Some(rest) = self.rest.take() {
            return Some(rest);
        }
        let epoch = self.next;
        self.next = epoch.saturating_add(1);
        Some(self.loader.epoch(epoch))
    }
}

/// Where in an epoch its batches begin.
#[derive(Clone, Copy, Default)]
struct Begin {
    /// Batches of the epoch that all ranks together have already consumed.
    done: usize,
    /// Steps that this rank skips after those batches.
    step: usize,
}

impl Loader {
    /// Checks the options, plans the batches of `data` (a source, an `Arc` of one, or [`Data`]), and returns the loader.
    /// Errors name the options that contradict each other, or the graph that does not fit.
    pub fn new(data: impl Into<Data>, options: Options) -> Result<Self, BuildError> {
        let pool = options.pool();
        Self::with_options(data.into(), options, pool)
    }

    /// Returns a loader whose batches lie in memory of `pool`.
    pub(crate) fn with_options(data: Data, options: Options, pool: Arc<Pool>) -> Result<Self, BuildError> {
        data.schema().check()?;
        let plan = LoaderPlan::new(options, data.graphs())?;
        Ok(Self { ahead: Ahead::default(), assembler: Arc::new(Assembler::new(data, plan, pool)?) })
    }

    /// Returns the batches of epoch `epoch`. Several epochs may run at the same time. Each keeps its epoch order, 4
    /// bytes per graph, which this call makes in time proportional to the number of graphs.
    pub fn epoch(&self, epoch: u64) -> Epoch {
        self.epoch_from(epoch, 0)
    }

    /// Returns the batches of epoch `epoch` without the first `step` of this rank: those that [`epoch`](Self::epoch)
    /// gives after `step` batches.
    pub fn epoch_from(&self, epoch: u64, step: usize) -> Epoch {
        let batches = self.epoch_alone(epoch, step);
        self.plan_ahead(epoch.saturating_add(1));
        batches
    }

    /// Plans an epoch on a thread if planning takes long, unless workers = 0.
    pub(crate) fn plan_ahead(&self, epoch: u64) {
        if self.options().workers > 0 && self.planned().plans_each_epoch() {
            let assembler = self.assembler.clone();
            self.ahead.start("graphpack-plan", epoch, move || assembler.plan().own_epoch(epoch));
        }
    }

    /// The plan of an epoch, for the ranks that there are.
    fn plan_of(&self, epoch: u64) -> Result<EpochPlan, LoadError> {
        match self.ahead.take(epoch) {
            Some(planned) => planned.unwrap_or_else(|panic| {
                let source = format!("planning panicked: {}", panic_message(&*panic)).into();
                Err(LoadError::Plan { epoch, source })
            }),
            None => self.planned().own_epoch(epoch),
        }
    }

    /// Returns the same as [`epoch_from`](Self::epoch_from), and does not plan the next epoch ahead.
    pub(crate) fn epoch_alone(&self, epoch: u64, step: usize) -> Epoch {
        let begun = Instant::now();
        let planned = self.plan_of(epoch).and_then(|plan| {
            let batches = self.options().shard.steps(plan.len(), 0);
            if step > batches { Err(LoadError::Start { step, batches }) } else { Ok(plan) }
        });
        let batches = match planned {
            Err(error) => Prefetch::failed(error),
            Ok(plan) => self.steps(plan, Begin { done: 0, step }, self.planned().start().at(epoch, 0)),
        };
        Epoch::new(epoch, batches, begun).of(self.data().graphs().data_sets())
    }

    /// Returns the rest of the epoch that `state` was taken in, from the batch after the one that gave the state. Call
    /// [`epoch`](Self::epoch) for the epochs that follow, from `state.epoch() + 1` on.
    ///
    /// Workers, prefetch depth and world size may have changed: n ranks that made s steps have consumed n x s batches
    /// of the epoch, and the remaining batches are divided among the ranks there are now.
    ///
    /// Errors if the state belongs to other data, capacity, grouping, plan, order, seed or version.
    pub fn resume(&self, state: &LoaderState) -> Result<Epoch, ResumeError> {
        let batches = self.resume_alone(state)?;
        self.plan_ahead(state.epoch().saturating_add(1));
        Ok(batches)
    }

    /// Returns the same as [`resume`](Self::resume), and does not plan the next epoch ahead.
    pub(crate) fn resume_alone(&self, state: &LoaderState) -> Result<Epoch, ResumeError> {
        let begun = Instant::now();
        let batches = match self.resumed(state)? {
            Err(error) => Prefetch::failed(error),
            Ok(plan) => self.steps(plan, Begin { done: state.batches_done() as usize, step: 0 }, state.clone()),
        };
        Ok(Epoch::new(state.epoch(), batches, begun).of(self.data().graphs().data_sets()))
    }

    /// Returns the epochs of a run, one after the other, without end: from epoch 0 on, or from the batch after the one that
    /// gave `from`. Errors as [`resume`](Self::resume) does.
    ///
    /// ```
    /// use graphpack_loader::{Loader, LoaderState, Options, Order, molecules};
    ///
    /// let loader = Loader::new(molecules::generate(7, 1000), Options::graphs(32).order(Order::Shuffled))?;
    /// let mut saved: Option<LoaderState> = None; // or read from a file
    /// for epoch in loader.epochs(saved.as_ref())?.take_while(|epoch| epoch.number() < 3) {
    ///     for batch in epoch {
    ///         saved = Some(batch?.state());
    ///     }
    /// }
    /// assert_eq!(saved.map(|state| state.epoch()), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn epochs(&self, from: Option<&LoaderState>) -> Result<Epochs<'_>, ResumeError> {
        let rest = from.map(|state| self.resume(state)).transpose()?;
        let next = from.map_or(0, |state| state.epoch().saturating_add(1));
        // After the last batch of an epoch, a run goes on with the next one.
        let rest = rest.filter(|rest| rest.size_hint().1 != Some(0));
        Ok(Epochs { loader: self, rest, next })
    }

    /// Errors as [`resume`](Self::resume) does, and makes no batches.
    pub fn check(&self, state: &LoaderState) -> Result<(), ResumeError> {
        self.resumed(state).map(drop)
    }

    /// The epoch that `state` belongs to.
    fn resumed(&self, state: &LoaderState) -> Result<Result<EpochPlan, LoadError>, ResumeError> {
        self.planned().start().check(state)?;
        let plan = match self.planned().epoch(state.epoch(), state.key()) {
            Err(error) => return Ok(Err(error)),
            Ok(plan) => plan,
        };
        state.key().check_plan(plan.plan())?;
        let (epoch, done, batches) = (state.epoch(), state.batches_done(), plan.len());
        if done > batches as u64 { Err(ResumeError::Step { epoch, done, batches }) } else { Ok(Ok(plan)) }
    }

    /// Returns the batches of `plan` that this rank gets. Step numbers continue if the world size is the same. `run` is
    /// any state of the same epoch and the same epoch order as the plan.
    fn steps(&self, mut plan: EpochPlan, begin: Begin, run: LoaderState) -> Prefetch<crate::Batch> {
        let (assembler, options) = (self.assembler.clone(), self.options());
        self.planned().equal_shapes(&mut plan, options.shard.world(), begin.done);
        let (workers, prefetch, shard) = (options.workers, options.prefetch, options.shard);
        let (world, batches, done) = (shard.world() as usize, plan.len(), begin.done);
        // Numbers of steps in the epoch: errors and batches of a resumed run go on counting.
        let before = done.div_ceil(world);
        let steps = before + begin.step..before + shard.steps(batches, done);
        let (epoch, run, plan) = (run.epoch(), Arc::new(run.with_plan(plan.plan())), Arc::new(plan));
        let produce = move |step: usize| {
            let left = step - before;
            let consumed = (done + (left + 1) * world).min(batches);
            let place = (&plan, done + shard.batch(left));
            assembler.make(BatchPosition::new(&run, (epoch, step as u64, consumed as u64), place))
        };
        Prefetch::new(Arc::new(produce), steps, workers, prefetch)
    }

    /// Returns the exact number of batches that this rank gets in epoch `epoch`. This takes as long as starting the
    /// epoch if the number differs between epochs. Errors if the epoch cannot be planned, as its first item does.
    pub fn batches(&self, epoch: u64) -> Result<usize, LoadError> {
        Ok(self.options().shard.steps(self.planned().batches(epoch)?, 0))
    }

    /// Returns the distinct shapes of epoch `epoch`, smallest first, and how many batches of all ranks have each. There
    /// is one, unless [`Shapes`] asks for several or graphs that exceed the capacity are batches of their own. Takes as
    /// long as starting the epoch.
    pub fn shapes(&self, epoch: u64) -> Result<Vec<(Shape, u64)>, LoadError> {
        let plan = self.shaped(epoch)?;
        let mut counts = BTreeMap::new();
        (0..plan.len()).for_each(|batch| *counts.entry(plan.shape(batch)).or_default() += 1);
        Ok(counts.into_iter().collect())
    }

    /// Returns the batches of epoch `epoch` of all ranks, each with its shape.
    pub(crate) fn shaped(&self, epoch: u64) -> Result<EpochPlan, LoadError> {
        let mut plan = self.planned().own_epoch(epoch)?;
        self.planned().equal_shapes(&mut plan, self.world(), 0);
        Ok(plan)
    }

    /// Returns how good a sample of the data set the batches of these epochs are: how alike they are in `field`, a field
    /// of graphs such as the target, and in rows per graph, and how many graphs meet. Batches of all ranks count.
    ///
    /// Reads the field of every graph, changed by maps as in epoch 0 of a loader without a seed, and keeps 8 bytes of each element meanwhile.
    ///
    /// ```
    /// use graphpack_loader::{Loader, Options, Order, molecules};
    ///
    /// let loader = Loader::new(molecules::generate(7, 1000), Options::graphs(32).order(Order::Shuffled))?;
    /// let quality = loader.sample_quality("y", 0..10)?;
    /// println!("{quality}"); // in brackets, the figures of random batches
    /// assert!(quality.columns[0].variance.found < 1.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sample_quality(&self, field: &str, epochs: Range<u64>) -> Result<SampleQuality, SampleError> {
        let field = Targets::field(self.data().schema(), field)?;
        let options = Options::exactly(256).shapes(Shapes::Exact).fields([&field.name]).workers(self.options().workers);
        let pool = options.pool();
        let all = Self::with_options(self.data().clone(), options, pool)
            .map_err(|source| LoadError::Build { epoch: 0, source: Box::new(source) })?;
        let targets = Targets::read(field, all.epoch(0))?;
        Ok(SampleQuality::measure(self.planned(), &targets, epochs)?)
    }

    pub(crate) fn planned(&self) -> &LoaderPlan {
        self.assembler.plan()
    }

    fn options(&self) -> &Options {
        self.planned().options()
    }

    /// Number of ranks, whose batches of one step get similar shapes.
    fn world(&self) -> u32 {
        self.options().shard.world()
    }

    /// The shape of every batch; `None` if there are several ([`shapes`](Self::shapes)).
    pub fn shape(&self) -> Option<Shape> {
        self.planned().shapes().only()
    }

    /// Where the arrays of every batch lie in its memory; `None` if there are several shapes.
    pub fn layout(&self) -> Option<&Arc<Layout>> {
        self.assembler.only_layout()
    }

    /// The plan that every epoch follows. `None` if graphs are drawn by weight, if there are few shapes, each with its own
    /// plan, or if graphs are not [packed](crate::Grouping::Packed).
    pub fn plan(&self) -> Option<&Plan> {
        self.planned().packs().map(|plan| &**plan)
    }

    /// The configured limits of a pack; `None` if batches do not get their shape from limits.
    pub(crate) fn limits(&self) -> Option<Limits> {
        self.planned().limits()
    }

    /// Number of graphs that are left out because they exceed the limits.
    pub fn skipped(&self) -> usize {
        self.planned().over(Oversize::Skip)
    }

    /// Number of graphs that are batches of their own because they exceed the limits.
    pub fn alone(&self) -> usize {
        self.planned().over(Oversize::Alone)
    }

    /// Number of graphs that are trimmed because they exceed the limits.
    pub fn trimmed(&self) -> usize {
        self.planned().over(Oversize::Trim)
    }

    /// Returns the state before the first batch of epoch `epoch`; [`Batch::state`](crate::Batch::state) gives all
    /// others.
    pub fn state(&self, epoch: u64) -> LoaderState {
        self.planned().start().at(epoch, 0)
    }

    /// The graphs that are loaded.
    pub fn data(&self) -> &Data {
        self.assembler.data()
    }
}
