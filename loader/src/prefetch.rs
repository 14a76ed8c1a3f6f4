//! [`Prefetch`]: worker threads that make batches ahead of the consumer, in order and in bounded memory.

use crate::LoadError;
use crossbeam_channel::{Receiver, bounded};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

/// Makes item `step`.
pub(crate) type Produce<T> = dyn Fn(usize) -> Result<T, LoadError> + Send + Sync;

/// Items `start..end` of `produce`, made by `workers` threads. Worker w makes items w, w + workers, ... into a channel of its own and
/// the consumer reads the channels in turn: the order is fixed and no more than `depth + workers` items wait.
pub(crate) struct Prefetch<T> {
    produce: Arc<Produce<T>>,
    /// Empty without workers; then the consumer makes the items itself.
    channels: Vec<Receiver<Result<T, LoadError>>>,
    threads: Vec<JoinHandle<()>>,
    start: usize,
    next: usize,
    end: usize,
    /// What kept the workers from being started; the first item.
    failed: Option<LoadError>,
}

impl<T: Send + 'static> Prefetch<T> {
    pub(crate) fn new(produce: Arc<Produce<T>>, (start, end): (usize, usize), workers: usize, depth: usize) -> Self {
        let mut this =
            Self { produce, channels: Vec::new(), threads: Vec::new(), start, next: start, end, failed: None };
        let workers = workers.min(end.saturating_sub(start));
        for worker in 0..workers {
            // The depth is shared out; a worker without a share still holds the item it is about to hand over.
            let share = depth / workers + usize::from(worker < depth % workers);
            // A channel allocates all its places at once.
            let share = share.min((end - start).div_ceil(workers));
            let (sender, receiver) = bounded(share);
            let produce = this.produce.clone();
            let work = move || {
                for step in (start + worker..end).step_by(workers) {
                    let item = guarded(&*produce, step);
                    let failed = item.is_err();
                    if sender.send(item).is_err() || failed {
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
        let mut this = Self::new(Arc::new(unreachable), (0, 0), 0, 0);
        this.failed = Some(error);
        this
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

/// Turns a panic into an error.
fn guarded<T>(produce: &Produce<T>, step: usize) -> Result<T, LoadError> {
    catch_unwind(AssertUnwindSafe(|| produce(step))).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(LoadError::Panic { step, message: message.unwrap_or_else(|| "of a type that is not text".into()) })
    })
}
