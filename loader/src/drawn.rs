//! [`DrawnLoader`]: batches of graphs that are drawn again for each epoch.

use crate::epoch::{Ahead, Epoch, Prefetch};
use crate::error::{BuildError, LoadError, panic_message};
use crate::layout::{Layout, Pool, Shape};
use crate::loader::Loader;
use crate::options::{Grouping, Options, Oversize, Shapes};
use crate::plan::{LoaderState, ResumeError};
use crate::source::Data;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Draws the graphs of an epoch, for example sampled neighbourhoods or groups of clusters.
pub trait Draw: Send + Sync + 'static {
    /// The graphs of one epoch: a source or [`Data`].
    type Graphs: Into<Data>;

    /// Returns the graphs of epoch `epoch`. Every call with the same `epoch` must return the same graphs, and their
    /// [`fingerprint`](Data::fingerprint) must differ between epochs.
    fn draw(&self, epoch: u64) -> Self::Graphs;
}

/// A [`Loader`] whose graphs are drawn again for each epoch. All epochs share one shape and one pool of memory, and can
/// be resumed.
///
/// ```
/// use graphpack_loader::{Data, Draw, DrawnLoader, Options, Order, molecules};
///
/// /// A different third of the data set in each epoch.
/// struct Thirds(Data);
///
/// impl Draw for Thirds {
///     type Graphs = Data;
///
///     fn draw(&self, epoch: u64) -> Data {
///         let third: Vec<u32> = (0..300).filter(|graph| u64::from(graph % 3) == epoch % 3).collect();
///         self.0.subset(third).expect("the data set has 300 graphs")
///     }
/// }
///
/// let options = Options::graphs(20).order(Order::Shuffled).seed(1);
/// let loader = DrawnLoader::new(Thirds(molecules::generate(1, 300).into()), options)?;
/// for epoch in 0..2 {
///     let mut graphs = 0;
///     for batch in loader.epoch(epoch) {
///         let batch = batch?;
///         assert_eq!(Some(batch.shape()), loader.shape());
///         graphs += batch.real().graphs();
///     }
///     assert_eq!(graphs, 100);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A [`Capacity`](crate::Capacity) that depends on the sizes of the graphs, such as the default, is computed from epoch
/// 0 and kept for all epochs, and so is the shape, the padding rows included. If a graph of a later epoch exceeds it,
/// the first item of that epoch is an error, unless [`Oversize`] says otherwise. Each epoch has its own plan.
///
/// Unless `workers` is 0, a thread draws and plans the next epoch while the current one is loaded. So after the last
/// epoch of a training one more is drawn that is never used, and dropping the loader waits for that thread.
pub struct DrawnLoader<D: Draw> {
    /// Draws the next epoch. Dropped first, so that the thread is not the last that has what draws.
    ahead: Ahead<Result<Loader, LoadError>>,
    source: Arc<D>,
    options: Options,
    pool: Arc<Pool>,
    layout: Option<Arc<Layout>>,
    /// The epoch that was requested last.
    last: Mutex<(u64, Arc<Loader>)>,
}

impl<D: Draw> DrawnLoader<D> {
    /// Draws and plans epoch 0, and returns the loader of the graphs that `draws` draws.
    pub fn new(draws: D, mut options: Options) -> Result<Self, BuildError> {
        let one = match (&options.grouping, options.shapes) {
            (Grouping::Plan(_), _) => format!("grouping {}", options.grouping),
            (_, Shapes::Few(_)) => format!("shapes {}", options.shapes),
            _ => String::new(),
        };
        if !one.is_empty() {
            let other = "graphs that are drawn again for each epoch".into();
            return Err(BuildError::Contradiction { one, other, why: "each epoch has a plan of its own" });
        }
        let (source, pool) = (Arc::new(draws), options.pool());
        let first = Loader::with_options(source.draw(0).into(), options.clone(), pool.clone())?;
        if let Some(limits) = first.limits() {
            options.capacity = limits.into();
            options.shape = first.planned().kept();
        }
        // With `Oversize::Alone`, an epoch may have a second shape.
        let layout = first.layout().filter(|_| options.oversize != Oversize::Alone).cloned();
        let last = Mutex::new((0, Arc::new(first)));
        Ok(Self { ahead: Ahead::default(), source, options, pool, layout, last })
    }

    /// Returns the batches of epoch `epoch`. If its graphs cannot be drawn or planned, the first item is the error.
    pub fn epoch(&self, epoch: u64) -> Epoch {
        self.epoch_from(epoch, 0)
    }

    /// Returns the batches of epoch `epoch` without the first `step` of this rank: those that [`epoch`](Self::epoch)
    /// gives after `step` batches.
    pub fn epoch_from(&self, epoch: u64, step: usize) -> Epoch {
        let begun = Instant::now();
        let batches = match self.loader(epoch) {
            Ok(loader) => loader.epoch_alone(epoch, step),
            Err(error) => return Epoch::new(epoch, Prefetch::failed(error), begun),
        };
        self.draw_ahead(epoch.saturating_add(1));
        batches.since(begun)
    }

    /// Returns the rest of the epoch that `state` was taken in, as [`Loader::resume`] does.
    pub fn resume(&self, state: &LoaderState) -> Result<Epoch, ResumeError> {
        let begun = Instant::now();
        let epoch = state.epoch();
        let batches = match self.loader(epoch) {
            Ok(loader) => loader.resume_alone(state)?,
            Err(error) => return Ok(Epoch::new(epoch, Prefetch::failed(error), begun)),
        };
        self.draw_ahead(epoch.saturating_add(1));
        Ok(batches.since(begun))
    }

    /// Errors as [`resume`](Self::resume) does, and makes no batches. Draws the epoch of the state.
    pub fn check(&self, state: &LoaderState) -> Result<(), ResumeError> {
        self.loader(state.epoch()).map_or(Ok(()), |loader| loader.check(state))
    }

    /// Returns the loader of epoch `epoch` alone, to ask it for the number of batches, the shapes, the plan or the
    /// state. A call of [`epoch`](Self::epoch) with the same number right after this one does not draw again.
    pub fn loader(&self, epoch: u64) -> Result<Arc<Loader>, LoadError> {
        {
            let last = self.last();
            if last.0 == epoch {
                return Ok(last.1.clone());
            }
        }
        let made = match self.ahead.take(epoch) {
            Some(made) => made.unwrap_or_else(|panic| Err(panicked(epoch, &*panic))),
            None => make(&*self.source, &self.options, &self.pool, epoch),
        };
        let loader = Arc::new(made?);
        *self.last() = (epoch, loader.clone());
        Ok(loader)
    }

    /// Draws and plans an epoch on a thread, unless workers = 0.
    fn draw_ahead(&self, epoch: u64) {
        if self.options.workers == 0 {
            return;
        }
        let (source, options, pool) = (self.source.clone(), self.options.clone(), self.pool.clone());
        self.ahead.start("graphpack-draw", epoch, move || {
            let loader = make(&*source, &options, &pool, epoch)?;
            loader.plan_ahead(epoch);
            Ok(loader)
        });
    }

    fn last(&self) -> MutexGuard<'_, (u64, Arc<Loader>)> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The shape of every batch of all epochs; `None` if there are several ([`Loader::shapes`]), or may be.
    pub fn shape(&self) -> Option<Shape> {
        self.layout().map(|layout| layout.shape())
    }

    /// Where the arrays of every batch lie in its memory; `None` if there are several shapes, or may be.
    pub fn layout(&self) -> Option<&Arc<Layout>> {
        self.layout.as_ref()
    }

    /// What draws the graphs, as given to [`new`](Self::new).
    pub fn draws(&self) -> &D {
        &self.source
    }
}

/// Draws and plans an epoch.
fn make<D: Draw>(source: &D, options: &Options, pool: &Arc<Pool>, epoch: u64) -> Result<Loader, LoadError> {
    let make = || Loader::with_options(source.draw(epoch).into(), options.clone(), pool.clone());
    let made = catch_unwind(AssertUnwindSafe(make));
    let made = made.map_err(|panic| panicked(epoch, &*panic))?;
    made.map_err(|source| LoadError::Build { epoch, source: Box::new(source) })
}

fn panicked(epoch: u64, panic: &(dyn Any + Send)) -> LoadError {
    LoadError::Draw { epoch, message: panic_message(panic) }
}

#[cfg(test)]
mod tests {
    use super::{Draw, DrawnLoader};
    use crate::{Loader, Options, Order, Store, molecules};

    struct Same;

    impl Draw for Same {
        type Graphs = Store;

        fn draw(&self, _: u64) -> Store {
            molecules::generate(1, 10)
        }
    }

    #[test]
    fn a_plan_of_graphs_that_are_drawn_again_is_refused() {
        let planned = Loader::new(Same.draw(0), Options::default()).expect("a loader");
        let drawn = DrawnLoader::new(Same, Options::default().grouping(planned.plan().expect("packed").clone()));
        let expected = "grouping plan and graphs that are drawn again for each epoch contradict each other: each epoch has a \
                        plan of its own";
        assert_eq!(drawn.err().map(|error| error.to_string()).as_deref(), Some(expected));
    }

    #[test]
    fn a_state_of_another_seed_is_refused() {
        let options = Options::default().order(Order::Shuffled);
        let loader = |seed| DrawnLoader::new(Same, options.clone().seed(seed)).expect("a loader");
        let [one, other] = [1, 2].map(loader);
        let state = one.loader(3).expect("it is drawn").state(3);
        assert!(one.check(&state).is_ok() && other.check(&state).is_err());
    }
}
