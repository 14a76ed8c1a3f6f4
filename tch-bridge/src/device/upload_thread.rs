//! [`UploadThread`]: takes batches from an iterator and copies them to a device ahead of the step; [`Observed`]: the
//! statistics of the iterator right after each.

use super::casts::Casts;
use super::upload::{Ready, Upload};
use crate::{BridgeError, Error, Event, Stream, TensorBatch};
use crossbeam_channel::{Receiver, TryRecvError, bounded};
use graphpack_loader::cause::panic_message;
use graphpack_loader::report::{Report, Stats};
use graphpack_loader::{Batch, Epoch};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use tch::Device;

/// A thread that takes batches from an iterator and copies them to a device ahead of the step. Dropping it stops and
/// joins the thread.
pub(crate) struct UploadThread {
    device: Device,
    /// Both are taken only when dropped.
    ready: Option<Receiver<Arrived<Ready>>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread sends: batches, then at most one error.
type Arrived<B> = Result<(B, Observed), Error>;

impl UploadThread {
    /// Starts to copy; `ahead` batches, at least 1, are begun before they are asked for.
    pub(crate) fn start<I, E>(batches: I, device: Device, casts: Casts, ahead: usize) -> Result<Self, Error>
    where
        I: Iterator<Item = Result<Batch, E>> + Send + 'static,
        E: Into<Error>,
    {
        let upload = Upload::new(device, casts, ahead)?;
        // The thread holds one more batch.
        let (sender, receiver) = bounded(ahead - 1);
        let work = move || {
            let error = match catch_unwind(AssertUnwindSafe(|| {
                let _guard = upload.enter()?;
                // Dropped before the guard.
                let (mut upload, mut batches) = (upload, batches);
                while let Some(batch) = batches.next() {
                    let batch = batch.map_err(Into::into)?;
                    let observed = Observed::of_batch(&batches, &batch);
                    if sender.send(Ok((upload.begin(batch)?, observed))).is_err() {
                        break;
                    }
                }
                Ok(())
            })) {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error,
                Err(panic) => BridgeError::Panic(panic_message(&*panic)).into(),
            };
            // Nobody listens after the loader was dropped.
            let _ = sender.send(Err(error));
        };
        let thread = Builder::new().name("graphpack-upload".into()).spawn(work).map_err(BridgeError::Thread)?;
        Ok(Self { device, ready: Some(receiver), thread: Some(thread) })
    }

    /// Waits for the next batch and lets the current stream wait for its copy. Also returns for how much of the waiting
    /// the stream was idle.
    pub(crate) fn next(&self) -> (Option<Arrived<TensorBatch>>, Duration) {
        let (arrived, idle) = self.receive();
        let hand_over = |(ready, observed): (Ready, _)| Ok((ready.hand_over(self.device)?, observed));
        (arrived.map(|arrived| arrived.and_then(hand_over)), idle)
    }

    fn receive(&self) -> (Option<Arrived<Ready>>, Duration) {
        let Some(ready) = &self.ready else { return (None, Duration::ZERO) };
        match ready.try_recv() {
            Ok(arrived) => return (Some(arrived), Duration::ZERO),
            Err(TryRecvError::Disconnected) => return (None, Duration::ZERO),
            Err(TryRecvError::Empty) => {}
        }
        let stream = Stream::current(self.device);
        let last = stream.as_ref().ok().and_then(|&stream| Event::record_timed(stream).ok());
        let begun = Instant::now();
        let arrived = ready.recv().ok();
        let waited = begun.elapsed();
        // If the stream cannot be asked, all of the time counts.
        let idle = last.and_then(|last| idle_since(&last, stream.ok()?).ok()).unwrap_or(waited);
        (arrived, idle.min(waited))
    }
}

/// For how long a stream has had nothing to do. `last` was the last that it was given.
fn idle_since(last: &Event, stream: Stream) -> Result<Duration, Error> {
    if !last.query()? {
        return Ok(Duration::ZERO);
    }
    // The device's clock says when the last work was done. An idle stream does this at once.
    let now = Event::record_timed(stream)?;
    now.synchronize()?;
    last.until(&now)
}

impl Drop for UploadThread {
    fn drop(&mut self) {
        // The thread ends when it cannot send any more.
        drop(self.ready.take());
        if let Some(thread) = self.thread.take() {
            // It catches its panics.
            let _ = thread.join();
        }
    }
}

/// What an epoch said about itself right after it gave a batch. It travels with the batch, since the epoch may be on
/// another thread, and ahead of the training.
#[derive(Debug)]
pub(crate) struct Observed {
    number: u64,
    stats: Stats,
    report: Report,
    begun: Instant,
}

impl Observed {
    /// Asks an [`Epoch`] about all of its batches so far; other iterators have nothing to say.
    pub(crate) fn of<I: 'static>(batches: &I) -> Self {
        Self::ask(batches, Report::clone)
    }

    /// Asks about one batch alone: all of them would be copied for each.
    pub(crate) fn of_batch<I: 'static>(batches: &I, batch: &Batch) -> Self {
        Self::ask(batches, |report| report.of_batch(batch))
    }

    fn ask<I: 'static>(batches: &I, report: impl FnOnce(&Report) -> Report) -> Self {
        match (batches as &dyn Any).downcast_ref::<Epoch>() {
            Some(epoch) => Self {
                number: epoch.number(),
                stats: epoch.stats(),
                report: report(epoch.report()),
                begun: epoch.begun(),
            },
            None => Self { number: 0, stats: Stats::default(), report: Report::default(), begun: Instant::now() },
        }
    }

    /// Adds what was said about the next batch.
    pub(crate) fn add(&mut self, next: Self) {
        self.stats = next.stats;
        self.report += next.report;
    }

    /// The statistics as of now, for a training that has waited for `waited`.
    pub(crate) fn stats(&self, waited: Duration) -> Stats {
        let mut stats = self.stats;
        (stats.elapsed, stats.waited) = (self.begun.elapsed(), waited);
        stats
    }

    /// The number of the epoch.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// How long the epoch's consumer had waited for it.
    pub(crate) fn waited(&self) -> Duration {
        self.stats.waited
    }

    pub(crate) fn report(&self) -> &Report {
        &self.report
    }
}
