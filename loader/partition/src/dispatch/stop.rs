//! [`Stop`]: tells the ranks of a process to end early.

use super::DispatchError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the ranks of a process are to end before they are done: because the caller asks for it, or because another
/// rank has ended. They look in each round, part and block of a file.
pub(super) struct Stop {
    asked: Option<Arc<AtomicBool>>,
    ended: AtomicBool,
}

impl Stop {
    /// `asked` is the caller's flag.
    pub(super) fn new(asked: Option<Arc<AtomicBool>>) -> Self {
        Self { asked, ended: AtomicBool::new(false) }
    }

    /// Notes that a rank has ended early.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Errors if the rank is to end.
    pub(super) fn check(&self) -> Result<(), DispatchError> {
        if self.ended.load(Ordering::Relaxed) {
            return Err(DispatchError::Ended);
        }
        match &self.asked {
            Some(asked) if asked.load(Ordering::Relaxed) => Err(DispatchError::Stopped { whole: 0, parts: 0 }),
            _ => Ok(()),
        }
    }
}
