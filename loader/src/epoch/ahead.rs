//! [`Ahead`]: a thread that prepares the next epoch while the current one is loaded.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::{mem, process, thread};

/// Makes what an epoch begins with on a thread, before the epoch is requested. Dropping it waits for the thread.
pub(crate) struct Ahead<T>(Mutex<Option<Making<T>>>);

struct Making<T> {
    epoch: u64,
    thread: JoinHandle<T>,
    /// The process of the thread: a fork does not have it.
    process: u32,
}

impl<T> Making<T> {
    /// Waits for the thread; `None` in a fork.
    fn join(self) -> Option<thread::Result<T>> {
        if self.process == process::id() {
            return Some(self.thread.join());
        }
        // Waiting for a thread that is not there would not end.
        mem::forget(self);
        None
    }
}

impl<T> Default for Ahead<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Send + 'static> Ahead<T> {
    /// Starts a thread that makes what epoch `epoch` begins with, unless one is running. If it cannot be started, the
    /// consumer makes it.
    pub(crate) fn start(&self, name: &str, epoch: u64, make: impl FnOnce() -> T + Send + 'static) {
        let mut making = self.lock();
        if making.as_ref().is_some_and(|making| making.epoch == epoch || !making.thread.is_finished()) {
            return;
        }
        if let Ok(thread) = Builder::new().name(name.into()).spawn(make) {
            *making = Some(Making { epoch, thread, process: process::id() });
        }
    }

    /// Waits for what epoch `epoch` begins with, or for the panic that ended its thread; `None` if no thread makes it.
    pub(crate) fn take(&self, epoch: u64) -> Option<thread::Result<T>> {
        let making = self.lock().take_if(|making| making.epoch == epoch);
        making?.join()
    }
}

impl<T> Ahead<T> {
    fn lock(&self) -> MutexGuard<'_, Option<Making<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Drop for Ahead<T> {
    fn drop(&mut self) {
        let making = self.lock().take();
        // Nobody will use what was made, so that its errors do not matter either.
        let _ = making.map(Making::join);
    }
}

#[cfg(test)]
mod tests {
    use super::Ahead;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    #[test]
    fn what_was_made_ahead_is_taken_once_and_a_panic_is_told() {
        let ahead = Ahead::default();
        assert!(ahead.take(3).is_none(), "nothing was started");
        ahead.start("ahead", 3, || thread::current().name().map(str::to_owned));
        ahead.start("second", 3, || None);
        assert!(ahead.take(4).is_none(), "another epoch");
        assert_eq!(ahead.take(3).and_then(Result::ok).flatten().as_deref(), Some("ahead"));
        assert!(ahead.take(3).is_none());
        ahead.start("ahead", 4, || panic!("out of graphs"));
        assert!(ahead.take(4).is_some_and(|made| made.is_err()));
    }

    #[test]
    fn dropping_it_waits_for_the_thread() {
        let made = Arc::new(AtomicUsize::new(0));
        let (ahead, count) = (Ahead::default(), made.clone());
        ahead.start("ahead", 0, move || {
            thread::sleep(Duration::from_millis(20));
            count.fetch_add(1, Ordering::Relaxed)
        });
        drop(ahead);
        assert_eq!(made.load(Ordering::Relaxed), 1);
    }
}
