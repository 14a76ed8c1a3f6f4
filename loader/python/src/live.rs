//! [`Live`]: the batches of an epoch, which end before the interpreter does, whichever thread ends them.

use graphpack_loader::report::Stats;
use graphpack_loader::{Epoch, Error};
use pyo3::prelude::*;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use std::{mem, process, thread};

/// Epochs that may not have ended.
static ALL: Mutex<Vec<Weak<Live>>> = Mutex::new(Vec::new());

/// How many epochs threads are ending now, and a signal for when one has ended.
static ENDING: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

/// Counts an epoch that is ending, until its workers have been joined.
struct Ending;

impl Ending {
    fn new() -> Self {
        *ENDING.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self
    }

    fn wait_for_all() {
        let count = ENDING.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(ENDING.1.wait_while(count, |count| *count > 0));
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        *ENDING.0.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ENDING.1.notify_all();
    }
}

/// An epoch whose workers are joined, by its drop, before it no longer counts.
struct Ended {
    epoch: Epoch,
    _ending: Ending,
}

/// Where the time of an epoch went, and what its batches are without.
#[derive(Clone)]
pub(crate) struct Figures {
    pub(crate) stats: Stats,
    /// Number of edges beyond the margin.
    pub(crate) left_out: u64,
    /// Number of graphs that could not be loaded, and the errors of the first of them.
    pub(crate) failed: u64,
    pub(crate) failures: Vec<String>,
}

thread_local! {
    /// Whether this thread makes a batch itself, with the lock of its epoch.
    static MAKES: Cell<bool> = const { Cell::new(false) };
}

/// Sets the flag back, after a panic, too.
struct Reset(bool);

impl Drop for Reset {
    fn drop(&mut self) {
        MAKES.set(self.0);
    }
}

/// Whether a map or a source asks, which an epoch calls while it is locked, or waits for.
pub(crate) fn is_called_by_an_epoch() -> bool {
    MAKES.get() || thread::current().name().is_some_and(|name| name.starts_with("graphpack-"))
}

/// The batches of an epoch, until it has ended.
pub(crate) struct Live {
    batches: Mutex<Option<Epoch>>,
    /// Whether a map or a source closed the epoch: its consumer then ends it.
    closed: AtomicBool,
    /// The figures of the epoch once it has ended.
    last: Mutex<Option<Figures>>,
    /// The process whose threads make the batches: a fork has none of them.
    process: u32,
}

impl Live {
    pub(crate) fn new(batches: Epoch) -> Arc<Self> {
        let this = Arc::new(Self {
            batches: Mutex::new(Some(batches)),
            closed: AtomicBool::new(false),
            last: Mutex::default(),
            process: process::id(),
        });
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|live| live.strong_count() > 0);
        all.push(Arc::downgrade(&this));
        this
    }

    /// Whether the threads that make the batches are those of this process.
    pub(crate) fn is_here(&self) -> bool {
        process::id() == self.process
    }

    fn lock(&self) -> MutexGuard<'_, Option<Epoch>> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `on` with the epoch.
    pub(crate) fn with<T>(&self, on: impl FnOnce(&mut Option<Epoch>) -> T) -> T {
        let mut batches = self.lock();
        let _reset = Reset(MAKES.replace(true));
        on(&mut batches)
    }

    /// Asks the consumer to end the epoch.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked the consumer to end the epoch.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Joins the workers, which may wait for the GIL: the caller must not hold it. Does nothing in a fork, where the
    /// lock may be held by a thread that is not there.
    pub(crate) fn stop(&self) {
        if !self.is_here() {
            return;
        }
        drop(self.take());
    }

    /// Takes the epoch out, whose figures stay. The lock is open again before its workers are joined.
    fn take(&self) -> Option<Ended> {
        let mut batches = self.lock();
        let epoch = batches.take()?;
        // Before the lock is open: who finds no epoch must find that one is ending.
        let ended = Ended { epoch, _ending: Ending::new() };
        drop(batches);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(figures(&ended.epoch));
        Some(ended)
    }

    /// Ends an epoch that was closed. Returns the first error among what its workers have made.
    pub(crate) fn end(&self) -> Option<Error> {
        let mut ended = self.take()?;
        let epoch = &mut ended.epoch;
        while epoch.stats().workers > 0 && epoch.wait(Duration::ZERO) {
            if let Err(error) = epoch.next()? {
                return Some(error);
            }
        }
        None
    }

    /// The figures so far, or until the epoch ended. Errors with the reason if nobody can say them here.
    pub(crate) fn figures(&self) -> Result<Figures, &'static str> {
        if !self.is_here() {
            return Err("the epoch belongs to the process that was forked, which has its figures");
        }
        let batches = match self.batches.try_lock() {
            Ok(batches) => batches,
            // Its consumer may be waiting for who asks.
            Err(_) if is_called_by_an_epoch() => {
                return Err("stats: a map or a source of the epoch asks while its consumer waits for a batch");
            }
            Err(_) => self.lock(),
        };
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        batches.as_ref().map(figures).or_else(last).ok_or("the epoch was never begun")
    }
}

fn figures(epoch: &Epoch) -> Figures {
    let (stats, report) = (epoch.stats(), epoch.report());
    Figures { stats, left_out: report.left_out(), failed: report.failed(), failures: report.failures().to_vec() }
}

impl Drop for Live {
    fn drop(&mut self) {
        if !self.is_here() {
            // Joining threads that a fork does not have would wait for ever.
            mem::forget(self.batches.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        }
        self.stop();
    }
}

/// Ends all epochs. The interpreter calls it before it ends, after which a worker that asks for the GIL would end the
/// process.
#[pyfunction]
pub(crate) fn end_all(py: Python<'_>) {
    py.detach(|| {
        let all = mem::take(&mut *ALL.lock().unwrap_or_else(PoisonError::into_inner));
        all.iter().filter_map(Weak::upgrade).for_each(|live| live.stop());
        Ending::wait_for_all();
    });
}
