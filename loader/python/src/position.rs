//! [`Position`]: where in the training the consumer of a loader is.

use graphpack_loader::LoaderState;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where in the training the consumer is.
pub(crate) struct Position(Mutex<Place>);

pub(crate) struct Place {
    /// The state after the last batch that the consumer got.
    pub(crate) state: LoaderState,
    /// The epoch that begins with the next iterator, unless one goes on from `state`.
    pub(crate) next: u64,
    /// Whether the next iterator goes on from `state`, which was loaded.
    pub(crate) loaded: bool,
}

impl Position {
    pub(crate) fn at(place: Place) -> Self {
        Self(Mutex::new(place))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Place> {
        // Nothing that panics runs while it is locked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn after(&self, state: LoaderState) {
        self.lock().state = state;
    }
}
