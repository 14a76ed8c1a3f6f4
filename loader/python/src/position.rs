//! [`Position`]: where in the training the consumer of a loader is.

use graphpack_loader::State;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where in the training the consumer is.
pub(crate) struct Position(Mutex<Place>);

pub(crate) struct Place {
    /// The state after the last batch that the consumer got of the newest iterator, or the one that was loaded since.
    pub(crate) state: State,
    /// The epoch that begins with the next iterator, unless one goes on from `state`.
    pub(crate) next: u64,
    /// Whether the next iterator goes on from `state`, which was loaded.
    pub(crate) loaded: bool,
    /// Number of the newest iterator, which alone moves this on. Loading a state leaves none that does.
    pub(crate) newest: u64,
    /// Number of batches of the newest iterator until it has ended, or of the one that goes on from a loaded state.
    pub(crate) batches: Option<usize>,
}

impl Place {
    /// The epoch of the next iterator.
    pub(crate) fn epoch(&self) -> u64 {
        if self.loaded { self.state.epoch() } else { self.next }
    }
}

impl Position {
    pub(crate) fn at(place: Place) -> Self {
        Self(Mutex::new(place))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Place> {
        // Nothing that panics runs while it is locked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that the consumer got what ends with `state`, from the iterator with this number.
    pub(crate) fn after(&self, iterator: u64, state: State) {
        let mut place = self.lock();
        if place.newest == iterator {
            place.state = state;
        }
    }

    /// Says how many batches the iterator with this number has.
    pub(crate) fn begun(&self, iterator: u64, batches: Option<usize>) {
        let mut place = self.lock();
        if place.newest == iterator {
            place.batches = batches;
        }
    }

    /// Says that the iterator with this number has ended.
    pub(crate) fn ended(&self, iterator: u64) {
        let mut place = self.lock();
        if place.newest == iterator {
            place.batches = None;
        }
    }
}
