//! [`Prefetch`]: worker threads that make batches ahead of the consumer, in order and in bounded memory.

#[cfg(all(test, shuttle))]
mod model;

use crate::error::{Error, LoadError};
#[cfg(not(shuttle))]
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
// Under `--cfg shuttle` (`cargo xtask model`) those of a model checker, which decides when each thread continues and so
// tries orders that a machine may never show.
#[cfg(shuttle)]
use shuttle::{
    sync::mpsc::{Receiver, SyncSender as Sender, TrySendError, sync_channel as bounded},
    thread::{Builder, JoinHandle, current},
};
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
#[cfg(not(shuttle))]
use std::thread::{Builder, JoinHandle, current};
use std::time::{Duration, Instant};

/// A function that makes item `step`. Once the flag is set nobody wants the item any more, and any error will do.
pub(crate) type Produce<T> = dyn Fn(usize, &AtomicBool) -> Result<T, Error> + Send + Sync;

/// An iterator over items that worker threads make ahead. Of W workers, worker w makes items w, w + W, w + 2 W and so
/// on and sends them through its own channel; the consumer reads the channels in turn. So the order is fixed, and at
/// most prefetch depth + W items exist that the consumer does not have yet.
pub(crate) struct Prefetch<T> {
    produce: Arc<Produce<T>>,
    /// One per worker. Without workers, the consumer makes the items itself.
    channels: Vec<Receiver<Result<T, Error>>>,
    threads: Vec<JoinHandle<()>>,
    /// Nanoseconds that the threads waited for room in their channels.
    waited: Arc<AtomicU64>,
    stopped: Arc<AtomicBool>,
    start: usize,
    next: usize,
    end: usize,
    /// Why the workers could not be started, which becomes the first item.
    failed: Option<Error>,
}

impl<T: Send + 'static> Prefetch<T> {
    pub(crate) fn new(produce: Arc<Produce<T>>, steps: Range<usize>, workers: usize, depth: usize) -> Self {
        let Range { start, end } = steps;
        let waited = Arc::new(AtomicU64::new(0));
        let mut this = Self {
            produce,
            channels: Vec::new(),
            threads: Vec::new(),
            waited: waited.clone(),
            stopped: Arc::default(),
            start,
            next: start,
            end,
            failed: None,
        };
        let workers = workers.min(end.saturating_sub(start));
        for worker in 0..workers {
            // The channels divide the depth among them. A channel without room still passes on one item at a time.
            let share = depth / workers + usize::from(worker < depth % workers);
            // A channel allocates all its places at once, so that it should not have more than there are items.
            let share = share.min((end - start).div_ceil(workers));
            let (sender, receiver) = bounded(share);
            let (produce, waited, stopped) = (this.produce.clone(), waited.clone(), this.stopped.clone());
            let work = move || {
                for step in (start + worker..end).step_by(workers) {
                    let item = guarded(&*produce, step, &stopped);
                    // An error ends the epoch: nobody wants the items after it.
                    let failed = item.is_err();
                    if !hand_over(&sender, item, &waited) || failed {
                        return;
                    }
                }
            };
            match Builder::new().name(format!("graphpack-{worker}")).spawn(work) {
                Ok(thread) => this.threads.push(thread),
                Err(error) => {
                    // `next` returns it at once, and stops the threads that were started.
                    this.failed = Some(LoadError::Thread(error).into());
                    break;
                }
            }
            this.channels.push(receiver);
        }
        this
    }

    /// Returns an iterator whose only item is `error`.
    pub(crate) fn failed(error: Error) -> Self {
        let unreachable = |step, _: &AtomicBool| Err(panicked(step, "the epoch has ended".into()));
        let mut this = Self::new(Arc::new(unreachable), 0..0, 0, 0);
        this.failed = Some(error);
        this
    }

    /// Number of worker threads.
    pub(crate) fn workers(&self) -> usize {
        self.channels.len()
    }

    /// How long the workers waited for the consumer, summed over workers.
    pub(crate) fn workers_waited(&self) -> Duration {
        Duration::from_nanos(self.waited.load(Ordering::Relaxed))
    }

    /// Number of items that the consumer has not got yet.
    pub(crate) fn remaining(&self) -> usize {
        self.end - self.next + usize::from(self.failed.is_some())
    }
}

#[cfg(not(shuttle))]
impl<T> Prefetch<T> {
    /// Waits until the next item is there, or the end, or until `timeout` has passed; returns false then.
    pub(crate) fn wait(&self, timeout: Duration) -> bool {
        if self.failed.is_some() || self.next == self.end || self.channels.is_empty() {
            return true;
        }
        let mut select = crossbeam_channel::Select::new();
        select.recv(&self.channels[(self.next - self.start) % self.channels.len()]);
        select.ready_timeout(timeout).is_ok()
    }
}

impl<T> Prefetch<T> {
    /// Stops and joins the workers and ends the iterator. Workers that wait to hand over an item see their channel
    /// closed, others the flag before their next graph.
    fn stop(&mut self) {
        self.next = self.end;
        // A worker may see it late; the closed channel ends it all the same.
        self.stopped.store(true, Ordering::Relaxed);
        self.channels.clear();
        // A source or a map may have had the epoch, and drop it on a worker, which cannot wait for itself.
        let own = current().id();
        for thread in self.threads.drain(..).filter(|thread| thread.thread().id() != own) {
            // Workers turn panics into errors, so that the result says nothing more.
            let _ = thread.join();
        }
    }
}

impl<T: Send + 'static> Iterator for Prefetch<T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.failed.take() {
            self.stop();
            return Some(Err(error));
        }
        if self.next == self.end {
            return None;
        }
        let step = self.next;
        self.next += 1;
        let item = match self.channels.len() {
            0 => guarded(&*self.produce, step, &self.stopped),
            workers => self.channels[(step - self.start) % workers]
                .recv()
                .unwrap_or_else(|_| Err(panicked(step, "the worker thread ended".into()))),
        };
        if item.is_err() {
            self.stop();
        }
        Some(item)
    }
}

impl<T> Drop for Prefetch<T> {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Sends `item` through the channel; returns false if the consumer has closed it. Adds the time that this waits for
/// room to `waited`.
fn hand_over<T>(sender: &Sender<T>, item: T, waited: &AtomicU64) -> bool {
    match sender.try_send(item) {
        Ok(()) => true,
        Err(TrySendError::Disconnected(_)) => false,
        Err(TrySendError::Full(item)) => {
            let begun = Instant::now();
            let taken = sender.send(item).is_ok();
            waited.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
            taken
        }
    }
}

fn panicked(step: usize, message: String) -> Error {
    LoadError::Panic { step, graph: None, message }.into()
}

/// Makes item `step`, turning a panic into an error.
fn guarded<T>(produce: &Produce<T>, step: usize, stopped: &AtomicBool) -> Result<T, Error> {
    LoadError::guard(step, &Cell::new(None), || produce(step, stopped))
}
