//! [`Loader`]: turns data into batches, one [`Epoch`] at a time.

use crate::each_epoch::EachEpoch;
use crate::epoch::Epoch;
use crate::error::Error;
use crate::layout::{Layout, Shape};
use crate::one_list::OneList;
use crate::options::{Options, Oversize};
use crate::plan::State;
use crate::quality::{SampleError, SampleQuality};
use crate::source::Data;
use graphpack_core::{Cost, Plan};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// Turns graphs into batches of a fixed shape, one epoch after the other. Making it reads the size of every graph and
/// plans which graphs share a batch.
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
/// If every epoch has a plan of its own, since graphs are drawn by [weight](field@Options::weights), and `workers` is
/// not 0, a thread plans the next epoch while the current one is loaded. So after the last epoch of a training one more
/// is planned that is never used, and dropping the loader waits for that thread. The same holds where
/// [graphs are drawn](Data::each_epoch) again for each epoch.
pub struct Loader {
    graphs: Lists,
    data: Data,
}

/// What makes the batches of an epoch.
enum Lists {
    One(Arc<OneList>),
    EachEpoch(Box<EachEpoch>),
}

/// An iterator over the epochs of a run, one after the other, without end ([`Loader::epochs`]).
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

impl Loader {
    /// Checks the options, plans the batches of `data` ([`Data`], or what they can be made of), and returns the loader.
    /// Errors name the options that contradict each other, or the graph that does not fit.
    pub fn new(data: impl Into<Data>, options: Options) -> Result<Self, Error> {
        let (data, pool) = (data.into(), options.pool());
        let first = data.graphs().clone();
        let graphs = match data.draw_epoch() {
            Some(draw_epoch) => Lists::EachEpoch(Box::new(EachEpoch::new(first, draw_epoch.clone(), options, pool)?)),
            None => Lists::One(Arc::new(OneList::new(first, options, pool)?)),
        };
        Ok(Self { graphs, data })
    }

    /// What makes the batches of an epoch. Errors if its graphs cannot be drawn or planned.
    fn of(&self, epoch: u64) -> Result<Arc<OneList>, Error> {
        match &self.graphs {
            Lists::One(list) => Ok(list.clone()),
            Lists::EachEpoch(each_epoch) => each_epoch.of(epoch),
        }
    }

    /// What makes the batches of the epoch that was requested last.
    fn last(&self) -> Arc<OneList> {
        match &self.graphs {
            Lists::One(list) => list.clone(),
            Lists::EachEpoch(each_epoch) => each_epoch.last(),
        }
    }

    /// Calls `batches` with what makes those of an epoch and the time now, or returns an epoch of one error. Then
    /// prepares the next.
    fn start<E>(&self, epoch: u64, batches: impl FnOnce(&OneList, Instant) -> Result<Epoch, E>) -> Result<Epoch, E> {
        let begun = Instant::now();
        let batches = match self.of(epoch) {
            Ok(list) => batches(&list, begun)?,
            Err(error) => return Ok(Epoch::failed(epoch, error, begun)),
        };
        let next = epoch.saturating_add(1);
        match &self.graphs {
            Lists::One(list) => list.plan_ahead(next),
            Lists::EachEpoch(each_epoch) => each_epoch.draw_ahead(next),
        }
        Ok(batches)
    }

    /// Returns the batches of epoch `epoch`. Several epochs may run at once. This call makes the order of the epoch, in
    /// time proportional to the number of graphs; an epoch keeps it, in 4 bytes per graph. If the epoch cannot be
    /// planned, its only item is the error.
    pub fn epoch(&self, epoch: u64) -> Epoch {
        let Ok(batches) = self.start(epoch, |list, begun| Ok::<_, Infallible>(list.epoch(epoch, begun)));
        batches
    }

    /// Returns the rest of the epoch that `state` was taken in, from the batch after the one that gave the state. Call
    /// [`epoch`](Self::epoch) for the epochs that follow, from `state.epoch() + 1` on.
    ///
    /// Workers, prefetch depth and world size may have changed: n ranks that made s steps have consumed n x s batches
    /// of the epoch, and the remaining batches are divided among the ranks there are now.
    ///
    /// Errors if the state belongs to other data, capacity, grouping, plan, order, seed or version.
    pub fn resume(&self, state: &State) -> Result<Epoch, Error> {
        self.epoch_from(state, 0)
    }

    /// Returns the rest of the epoch that `state` was taken in, as [`resume`](Self::resume) does, and passes over the
    /// batches of `steps` steps of all ranks without making them. The first item is an error if fewer steps are left.
    pub fn epoch_from(&self, state: &State, steps: usize) -> Result<Epoch, Error> {
        self.start(state.epoch(), |list, begun| list.resume(state, steps, begun))
    }

    /// Returns the epochs of a run, one after the other, without end: from epoch 0 on, or from the batch after the one
    /// that gave `from`. Errors as [`resume`](Self::resume) does.
    ///
    /// ```
    /// use graphpack_loader::{Loader, State, Options, Order, molecules};
    ///
    /// let loader = Loader::new(molecules::generate(7, 1000), Options::graphs(32).order(Order::Shuffled))?;
    /// let mut saved: Option<State> = None; // or read from a file
    /// for epoch in loader.epochs(saved.as_ref())?.take_while(|epoch| epoch.number() < 3) {
    ///     for batch in epoch {
    ///         saved = Some(batch?.state());
    ///     }
    /// }
    /// assert_eq!(saved.map(|state| state.epoch()), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn epochs(&self, from: Option<&State>) -> Result<Epochs<'_>, Error> {
        let rest = from.map(|state| self.resume(state)).transpose()?;
        let next = from.map_or(0, |state| state.epoch().saturating_add(1));
        // After the last batch of an epoch, a run goes on with the next one.
        let rest = rest.filter(|rest| rest.size_hint().1 != Some(0));
        Ok(Epochs { loader: self, rest, next })
    }

    /// Returns the exact number of batches that this rank gets in epoch `epoch`. This takes as long as starting the
    /// epoch if the number differs between epochs. Errors if the epoch cannot be planned, as its first item does.
    pub fn batches(&self, epoch: u64) -> Result<usize, Error> {
        self.of(epoch)?.batches(epoch)
    }

    /// Returns the exact number of batches that this rank gets after `state`, without making them. Errors as
    /// [`resume`](Self::resume) and the first item of its epoch do. Takes as long as starting the epoch.
    pub fn batches_after(&self, state: &State) -> Result<usize, Error> {
        self.of(state.epoch())?.batches_after(state)
    }

    /// Returns the numbers of the graphs in each batch that this rank gets in epoch `epoch`, without making batches. An
    /// empty list is a batch that makes the steps of ranks equal. Takes as long as starting the epoch, and 4 bytes per
    /// graph. Errors if the epoch cannot be planned.
    pub fn steps(&self, epoch: u64) -> Result<Vec<Vec<u32>>, Error> {
        self.of(epoch)?.graphs(epoch)
    }

    /// Returns the distinct shapes of epoch `epoch`, smallest first, and how many batches of all ranks have each. There
    /// is one, unless [`Shapes`](crate::Shapes) asks for several or graphs that exceed the capacity are batches of
    /// their own. Empty batches that make the steps of ranks equal are not counted. Takes as long as starting the
    /// epoch.
    pub fn shapes(&self, epoch: u64) -> Result<Vec<(Shape, u64)>, Error> {
        let plan = self.of(epoch)?.shaped(epoch)?;
        let mut counts = BTreeMap::new();
        let sets = self.data.schema().sets();
        (0..plan.len()).for_each(|batch| *counts.entry(plan.shape(batch).named(sets)).or_default() += 1);
        Ok(counts.into_iter().collect())
    }

    /// Returns the share of the time of all ranks, from 0 to 1, that they wait in epoch `epoch` for the costliest batch
    /// of each step, or have an empty one, also where there is one shape, if a batch takes the time that `cost` says of
    /// its shape and [`speeds`](field@crate::Options::speeds) of its rank. It is known before the epoch;
    /// [`equal_cost`](field@crate::Options::equal_cost) makes it small. Takes as long as starting the epoch.
    pub fn idle_share(&self, epoch: u64, cost: &Cost) -> Result<f64, Error> {
        self.of(epoch)?.idle_share(epoch, cost)
    }

    /// Returns how good a sample of the data set the batches of these epochs are: how alike they are in `field`, a
    /// field of graphs such as the target, and in rows per graph, and how many graphs meet. Batches of all ranks count.
    ///
    /// Reads the field of every graph, changed by maps as in epoch 0 of a loader without a seed, and keeps 8 bytes of
    /// each element meanwhile. Where graphs are drawn again for each epoch, this takes one epoch at a time.
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
    pub fn sample_quality(&self, field: &str, epochs: Range<u64>) -> Result<SampleQuality, Error> {
        match &self.graphs {
            Lists::EachEpoch(_) if epochs.clone().count() > 1 => Err(SampleError::Drawn { epochs }.into()),
            _ => self.of(epochs.start)?.sample_quality(field, epochs),
        }
    }

    /// The shape of every batch; `None` if there are several ([`shapes`](Self::shapes)), or if a later epoch of drawn
    /// graphs may have another.
    pub fn shape(&self) -> Option<Shape> {
        self.layout().map(|layout| layout.shape())
    }

    /// Where the arrays of every batch lie in its memory; `None` if there are several shapes, or may be.
    pub fn layout(&self) -> Option<&Arc<Layout>> {
        match &self.graphs {
            Lists::One(list) => list.layout(),
            Lists::EachEpoch(each_epoch) => each_epoch.layout(),
        }
    }

    /// The plan that every epoch follows. `None` if each has its own, since graphs are drawn, if there are few shapes,
    /// each with its own plan, or if graphs are not [packed](crate::Grouping::Packed).
    pub fn plan(&self) -> Option<&Plan> {
        match &self.graphs {
            Lists::One(list) => list.planned().plan().map(|plan| &**plan),
            Lists::EachEpoch(_) => None,
        }
    }

    /// Number of graphs that are left out because they exceed the limits. Where graphs are drawn again for each epoch,
    /// this counts those of the epoch that was requested last.
    pub fn skipped(&self) -> usize {
        self.last().planned().over(Oversize::Skip)
    }

    /// Number of graphs that are batches of their own because they exceed the limits, in the epoch that
    /// [`skipped`](Self::skipped) counts.
    pub fn alone(&self) -> usize {
        self.last().planned().over(Oversize::Alone)
    }

    /// Number of graphs that are trimmed because they exceed the limits, in the epoch that [`skipped`](Self::skipped)
    /// counts.
    pub fn trimmed(&self) -> usize {
        self.last().planned().over(Oversize::Trim)
    }

    /// What is not as the options ask for, in words, if anything. Either batches have more than a quarter more graphs
    /// than the [capacity](crate::Capacity::graphs) says, since they have room for one large graph, which this names
    /// with the ways out. Or graphs lack integers or bools, which cannot be the value for what is
    /// [missing](field@crate::Options::missing). A [`Report`](crate::report::Report) prints it, and with the feature
    /// `tracing` it is an event. It is about the epoch that [`skipped`](Self::skipped) counts.
    pub fn warning(&self) -> Option<String> {
        self.last().planned().warning().map(str::to_owned)
    }

    /// Returns the state before the first batch of epoch `epoch`; [`BatchInfo::state`](crate::BatchInfo::state) gives
    /// all others. Errors if the graphs of the epoch cannot be drawn.
    pub fn state(&self, epoch: u64) -> Result<State, Error> {
        Ok(self.of(epoch)?.planned().start().before(epoch))
    }

    /// The graphs that are loaded.
    pub fn data(&self) -> &Data {
        &self.data
    }
}
