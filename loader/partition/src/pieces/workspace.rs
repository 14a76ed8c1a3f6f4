//! [`Workspace`]: working memory that threads borrow.

use std::sync::{Mutex, PoisonError};

/// Working memory for any number of threads: a piece for each thread that works at the same time.
#[derive(Debug, Default)]
pub(super) struct Workspace<T>(Mutex<Vec<T>>);

impl<T: Default> Workspace<T> {
    pub(super) fn with<O>(&self, work: impl FnOnce(&mut T) -> O) -> O {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut memory = taken.unwrap_or_default();
        let result = work(&mut memory);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        result
    }
}
