//! [`Drawn`]: the batches of graphs that are drawn again for each epoch.

use crate::epoch::Ahead;
use crate::error::{BuildError, Error, LoadError, panic_message};
use crate::fixed::Fixed;
use crate::layout::{Layout, Pool, Schema};
use crate::options::{Capacity, Grouping, Holds, Options, Oversize, Shapes};
use crate::source::{Draw, Graphs};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Makes the batches of graphs that are drawn again for each epoch. All epochs share one shape and one pool of memory.
pub(crate) struct Drawn {
    /// Draws the next epoch. Dropped first, so that the thread is not the last that has what draws.
    ahead: Ahead<Result<Fixed, Error>>,
    draw: Arc<Draw>,
    /// That of epoch 0, which all epochs have.
    schema: Arc<Schema>,
    options: Options,
    pool: Arc<Pool>,
    layout: Option<Arc<Layout>>,
    /// The epoch that was requested last.
    last: Mutex<(u64, Arc<Fixed>)>,
}

impl Drawn {
    /// Plans epoch 0, whose graphs are `first`. Its capacity and its shape are those of all epochs.
    pub(crate) fn new(
        first: Arc<dyn Graphs>,
        draw: Arc<Draw>,
        mut options: Options,
        pool: Arc<Pool>,
    ) -> Result<Self, Error> {
        let one = match (&options.grouping, options.shapes) {
            (Grouping::Plan(_), _) => format!("grouping {}", options.grouping),
            (_, Shapes::Few(_)) => format!("shapes {}", options.shapes),
            _ if options.weights.is_some() => "weights".into(),
            _ => String::new(),
        };
        if !one.is_empty() {
            let other = "graphs that are drawn again for each epoch".into();
            let why =
                if one == "weights" { "each epoch has graphs of its own" } else { "each epoch has a plan of its own" };
            return Err(BuildError::Contradiction { one, other, why }.into());
        }
        let schema = Arc::new(first.schema().clone());
        let first = Fixed::new(first, options.clone(), pool.clone())?;
        if let Some(kept) = first.planned().kept() {
            options.capacity = Capacity(Holds::Kept(kept));
        }
        // With `Oversize::Alone`, an epoch may have a second shape.
        let layout = first.layout().filter(|_| options.oversize != Oversize::Alone).cloned();
        let last = Mutex::new((0, Arc::new(first)));
        Ok(Self { ahead: Ahead::default(), draw, schema, options, pool, layout, last })
    }

    /// Returns what makes the batches of an epoch, which is not drawn again if it was requested last or drawn ahead.
    pub(crate) fn of(&self, epoch: u64) -> Result<Arc<Fixed>, Error> {
        {
            let last = self.lock();
            if last.0 == epoch {
                return Ok(last.1.clone());
            }
        }
        let made = match self.ahead.take(epoch) {
            // What draws and plans catches panics itself.
            Some(made) => made.unwrap_or_else(|panic| Err(panicked(epoch, &*panic))),
            None => make(&*self.draw, &self.schema, &self.options, &self.pool, epoch),
        };
        let made = Arc::new(made?);
        *self.lock() = (epoch, made.clone());
        Ok(made)
    }

    /// What makes the batches of the epoch that was requested last.
    pub(crate) fn last(&self) -> Arc<Fixed> {
        self.lock().1.clone()
    }

    /// Draws and plans an epoch on a thread, unless workers = 0.
    pub(crate) fn draw_ahead(&self, epoch: u64) {
        if self.options.workers == 0 {
            return;
        }
        let (draw, schema) = (self.draw.clone(), self.schema.clone());
        let (options, pool) = (self.options.clone(), self.pool.clone());
        self.ahead.start("graphpack-draw", epoch, move || make(&*draw, &schema, &options, &pool, epoch));
    }

    fn lock(&self) -> MutexGuard<'_, (u64, Arc<Fixed>)> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the arrays of every batch lie in its memory; `None` if there are several shapes, or may be.
    pub(crate) fn layout(&self) -> Option<&Arc<Layout>> {
        self.layout.as_ref()
    }
}

/// Draws and plans an epoch.
fn make(draw: &Draw, schema: &Schema, options: &Options, pool: &Arc<Pool>, epoch: u64) -> Result<Fixed, Error> {
    let make = || {
        let graphs = draw(epoch).map_err(|source| LoadError::Draw { epoch, source })?;
        if graphs.schema() != schema {
            return Err(LoadError::Schema { epoch }.into());
        }
        let made = Fixed::new(graphs, options.clone(), pool.clone());
        made.map_err(|source| Error::from(LoadError::Build { epoch, source }))
    };
    catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|panic| Err(panicked(epoch, &*panic)))
}

fn panicked(epoch: u64, panic: &(dyn Any + Send)) -> Error {
    LoadError::Draw { epoch, source: format!("it panicked: {}", panic_message(panic)).into() }.into()
}

#[cfg(test)]
mod tests {
    use crate::{Data, Loader, Options, Order, Shapes, Weights, molecules};

    fn same() -> Data {
        Data::each_epoch(|_| Ok(molecules::generate(1, 10).into()))
    }

    #[test]
    fn what_belongs_to_one_plan_is_refused() {
        let planned = Loader::new(molecules::generate(1, 10), Options::default()).expect("a loader");
        let plan = planned.plan().expect("packed").clone();
        for (options, one, own) in [
            (Options::default().grouping(plan), "grouping plan", "a plan"),
            (Options::default().shapes(Shapes::Few(2)), "shapes few(2)", "a plan"),
            (Options::default().weights(Weights::new(&[1.0; 10]).expect("weights")), "weights", "graphs"),
        ] {
            let error = Loader::new(same(), options).err().map(|error| error.to_string());
            let other = "graphs that are drawn again for each epoch";
            let expected = format!("{one} and {other} contradict each other: each epoch has {own} of its own");
            assert_eq!(error, Some(expected));
        }
        let mixed = Data::mix(&[("same", &same())]).err().map(|error| error.to_string());
        let subset = same().subset(vec![0]).err().map(|error| error.to_string());
        for (error, name) in [(mixed, "\"same\""), (subset, "subset")] {
            assert!(error.is_some_and(|error| error.contains(name) && error.contains("for each epoch")), "{name}");
        }
    }

    #[test]
    fn a_state_of_another_seed_is_refused() {
        let options = Options::default().order(Order::Shuffled);
        let loader = |seed| Loader::new(same(), options.clone().seed(seed)).expect("a loader");
        let [one, other] = [1, 2].map(loader);
        let state = one.state(3).expect("it is drawn");
        assert!(one.resume(&state).is_ok() && other.resume(&state).is_err());
    }
}
