//! [`Prefetch`]: worker threads that make batches ahead of the consumer, in order and in bounded memory.

#[cfg(all(test, shuttle))]
mod model;

use super::sync::{Builder, JoinHandle, Receiver, Sender, TrySendError, bounded};
use crate::error::{LoadError, panic_message};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Makes item `step`.
pub(crate) type Produce<T> = dyn Fn(usize) -> Result<T, LoadError> + Send + Sync;

/// Items of `produce`, a range of them, made by `workers` threads. Worker w makes items w, w + workers, ... into a channel of its own and
/// the consumer reads the channels in turn: the order is fixed and no more than `depth + workers` items wait.
pub(crate) struct Prefetch<T> {
    produce: Arc<Produce<T>>,
    /// Empty without workers; then the consumer makes the items itself.
    channels: Vec<Receiver<Result<T, LoadError>>>,
    threads: Vec<JoinHandle<()>>,
    /// Nanoseconds that the threads waited for room.
    waited: Arc<AtomicU64>,
    start: usize,
    next: usize,
    end: usize,
    /// What kept the workers from being started; the first item.
    failed: Option<LoadError>,
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
            start,
            next: start,
            end,
            failed: None,
        };
        let workers = workers.min(end.saturating_sub(start));
        for worker in 0..workers {
            // The depth is shared out; a worker without a share still holds the item it is about to hand over.
            let share = depth / workers + usize::from(worker < depth % workers);
            // A channel allocates all its places at once.
            let share = share.min((end - start).div_ceil(workers));
            let (sender, receiver) = bounded(share);
            let (produce, waited) = (this.produce.clone(), waited.clone());
            let work = move || {
                for step in (start + worker..end).step_by(workers) {
                    let item = guarded(&*produce, step);
                    let failed = item.is_err();
                    if !hand_over(&sender, item, &waited) || failed {
                        return;
                    }
                }
            };
            match Builder::new().name(format!("graphpack-{worker}")).spawn(work) {
                Ok(thread) => this.threads.push(thread),
                Err(error) => {
                    this.failed = Some(LoadError::Thread(error));
                    break;
                }
            }
            this.channels.push(receiver);
        }
        this
    }

    /// Nothing but an error.
    pub(crate) fn failed(error: LoadError) -> Self {
        let unreachable = |step| Err(LoadError::Panic { step, message: "the epoch has ended".into() });
        let mut this = Self::new(Arc::new(unreachable), 0..0, 0, 0);
        this.failed = Some(error);
        this
    }

    /// Threads.
    pub(crate) fn workers(&self) -> usize {
        self.channels.len()
    }

    /// How long the threads waited for room, all together.
    pub(crate) fn workers_waited(&self) -> Duration {
        Duration::from_nanos(self.waited.load(Ordering::Relaxed))
    }

    /// Items that were not handed over yet.
    pub(crate) fn remaining(&self) -> usize {
        self.end - self.next + usize::from(self.failed.is_some())
    }
}

impl<T> Prefetch<T> {
    /// Ends the workers; nothing comes after. Those that wait to hand over an item see their channel closed.
    fn stop(&mut self) {
        self.next = self.end;
        self.channels.clear();
        for thread in self.threads.drain(..) {
            // Workers catch panics of sources, so that there is nothing to learn from the result.
            let _ = thread.join();
        }
    }
}

impl<T: Send + 'static> Iterator for Prefetch<T> {
    type Item = Result<T, LoadError>;

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
            0 => guarded(&*self.produce, step),
            workers => self.channels[(step - self.start) % workers]
                .recv()
                .unwrap_or_else(|_| Err(LoadError::Panic { step, message: "the worker thread ended".into() })),
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

/// Puts an item into a channel; false if nobody will take it. Time is only taken where there is no room.
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

/// Turns a panic into an error.
fn guarded<T>(produce: &Produce<T>, step: usize) -> Result<T, LoadError> {
    catch_unwind(AssertUnwindSafe(|| produce(step)))
        .unwrap_or_else(|panic| Err(LoadError::Panic { step, message: panic_message(&*panic) }))
}
