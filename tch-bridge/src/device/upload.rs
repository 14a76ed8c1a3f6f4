//! [`UploadThread`]: takes batches from an iterator and copies them to a device ahead of the step; [`Upload`]: one copy
//! after the other, on a stream of its own; [`Observed`]: the statistics of the iterator right after each.

use super::casts::Casts;
use super::delivery::{Counting, Delivery};
use super::memory::{InUse, Leases, Reader};
use crate::ffi::{copy, is_pinned, pinned};
use crate::tensor_batch::split;
use crate::{BridgeError, Error, Event, Stream, StreamGuard, TensorBatch};
use crossbeam_channel::{Receiver, TryRecvError, bounded};
use graphpack_loader::extend::{panic_message, report_of};
use graphpack_loader::memory::Layout;
use graphpack_loader::report::{Report, Stats};
use graphpack_loader::{Batch, Epoch};
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle, sleep};
use std::time::{Duration, Instant};
use tch::{Device, Tensor};

/// Number of layouts whose deliveries are remembered.
const MOST_DELIVERIES: usize = 64;
/// Time between two looks at whether a copy is done.
const PAUSE: Duration = Duration::from_micros(50);

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

/// Copies batches to a device, on a stream of its own.
struct Upload {
    /// None on the CPU, where only tests copy.
    side: Option<Stream>,
    casts: Casts,
    /// The most copies that may be begun and not done.
    ahead: usize,
    leases: Leases,
    deliveries: Vec<Arc<Delivery>>,
    counting: Counting,
    /// The memory that copies read, in the order in which they were begun.
    in_flight: VecDeque<InUse<Host>>,
    /// Pinned memory that no copy reads.
    idle: Vec<Tensor>,
}

/// Memory of the host that a copy reads.
enum Host {
    /// The loader's, which is pinned.
    Batch(Tensor),
    /// Pinned memory of [`Upload`].
    Staging(Tensor),
}

/// A batch whose copy was begun.
struct Ready {
    batch: TensorBatch,
    /// Done when the batch is on the device.
    copied: Option<Event>,
    reader: Reader,
}

impl Ready {
    /// Lets the current stream of the device wait for the copy, and makes it the one that reads the batch.
    fn hand_over(self, device: Device) -> Result<TensorBatch, Error> {
        if let Some(copied) = &self.copied {
            let stream = Stream::current(device)?;
            copied.block(stream)?;
            // It was empty: only this sets it.
            let _ = self.reader.set(stream);
        }
        Ok(self.batch)
    }
}

impl Upload {
    fn new(device: Device, casts: Casts, ahead: usize) -> Result<Self, Error> {
        let side = match device {
            Device::Cpu => None,
            device => Some(Stream::for_copies(device)?),
        };
        Ok(Self {
            side,
            casts,
            ahead,
            leases: Leases::new(device, side),
            deliveries: Vec::new(),
            counting: Counting::on(device),
            in_flight: VecDeque::new(),
            idle: Vec::new(),
        })
    }

    /// Makes the stream for copies this thread's current one.
    fn enter(&self) -> Result<Option<StreamGuard>, Error> {
        self.side.map(Stream::enter).transpose()
    }

    /// Begins to copy a batch. The stream for copies must be current.
    fn begin(&mut self, batch: Batch) -> Result<Ready, Error> {
        let delivery = self.delivery(batch.layout())?;
        let (host, info) = split(batch)?;
        let (device, reader) = self.leases.lend(delivery.bytes())?;
        let host = self.pinned(host)?;
        let (Host::Batch(bytes) | Host::Staging(bytes)) = &host;
        let begun = delivery.deliver(bytes, &device, info.real(), &mut self.counting);
        // Also where `deliver` failed halfway: the copies that it began still read this memory.
        let read = InUse::by(self.side, host);
        begun?;
        self.in_flight.push_back(read?);
        let copied = self.side.map(Event::record).transpose()?;
        self.finish(self.ahead)?;
        Ok(Ready { batch: TensorBatch::on_device(delivery, device, info)?, copied, reader })
    }

    /// Waits until no more than `left` copies are in flight, and releases the memory of those that are done.
    fn finish(&mut self, left: usize) -> Result<(), Error> {
        while let Some(oldest) = self.in_flight.front_mut() {
            if oldest.is_done()? {
                if let Some(Host::Staging(memory)) = oldest.release()? {
                    self.idle.push(memory);
                }
                self.in_flight.pop_front();
            } else if self.in_flight.len() > left {
                // Waiting for the event itself would keep a core busy.
                sleep(PAUSE);
            } else {
                break;
            }
        }
        Ok(())
    }

    /// How batches of a layout come to the device.
    fn delivery(&mut self, layout: &Arc<Layout>) -> Result<Arc<Delivery>, Error> {
        if let Some(known) = self.deliveries.iter().find(|known| Arc::ptr_eq(known.layout(), layout)) {
            return Ok(known.clone());
        }
        let new = Arc::new(Delivery::new(layout.clone(), &self.casts)?);
        // Each outlier that gets a batch of its own has a layout of its own.
        if self.deliveries.len() == MOST_DELIVERIES {
            self.deliveries.remove(0);
        }
        self.deliveries.push(new.clone());
        Ok(new)
    }

    /// The bytes in pinned memory, without a copy if they are in it already.
    fn pinned(&mut self, bytes: Tensor) -> Result<Host, Error> {
        if self.side.is_none() || is_pinned(&bytes).map_err(BridgeError::cannot("allocate page-locked memory"))? {
            return Ok(Host::Batch(bytes));
        }
        let length = bytes.numel();
        let room = match self.idle.iter().position(|idle| idle.numel() >= length) {
            Some(position) => self.idle.swap_remove(position),
            None => {
                // Too small: freed, so that it does not pile up.
                self.idle.pop();
                pinned(length).map_err(BridgeError::cannot("allocate page-locked memory"))?
            }
        };
        let part = room.f_narrow(0, 0, length as i64)?;
        copy(&part, &bytes).map_err(BridgeError::cannot("copy a batch"))?;
        Ok(Host::Staging(room))
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        // Waits for the copies.
        self.in_flight.clear();
        if let Some(side) = self.side {
            side.give_back();
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
        Self::ask(batches, |report| report_of(report, batch))
    }

    fn ask<I: 'static>(batches: &I, report: impl FnOnce(&Report) -> Report) -> Self {
        let now = Instant::now();
        match (batches as &dyn Any).downcast_ref::<Epoch>() {
            Some(epoch) => {
                let stats = epoch.stats();
                let begun = now.checked_sub(stats.elapsed).unwrap_or(now);
                Self { number: epoch.number(), stats, report: report(epoch.report()), begun }
            }
            None => Self { number: 0, stats: Stats::default(), report: Report::default(), begun: now },
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

#[cfg(test)]
mod tests {
    use super::Upload;
    use crate::device::casts::Casts;
    use graphpack_loader::{Dtype, Loader, Options, Order, molecules};
    use std::collections::HashSet;
    use tch::{Device, Kind};

    /// As on a device, but without streams: every copy is done when `begin` returns.
    #[test]
    fn batches_arrive_whole_in_memory_that_is_used_again() {
        let options = Options::graphs(16).index(Dtype::I32).order(Order::Shuffled).seed(1);
        let loader = Loader::new(molecules::generate(3, 200), options).expect("molecules fit");
        let mut casts = Casts::default();
        casts.field("y", Kind::Double);
        casts.wide_indices();
        let mut upload = Upload::new(Device::Cpu, casts, 2).expect("the CPU has no streams");
        let mut addresses = HashSet::new();
        let mut steps = 0;
        let mut kept = None;
        for (batch, same) in loader.epoch(0).zip(loader.epoch(0)) {
            let (batch, same) = (batch.expect("nothing fails"), same.expect("nothing fails"));
            let ready = upload.begin(batch).and_then(|ready| ready.hand_over(Device::Cpu)).expect("nothing fails");
            assert_eq!((ready.real(), ready.step(), ready.state()), (same.real(), same.step(), same.state()));
            let edges: Vec<i64> = same.get::<i32>("edge_index").expect("narrow").iter().map(|&n| n.into()).collect();
            assert_eq!(
                Vec::<i64>::try_from(ready.edge_index().expect("it is there").reshape(-1)).expect("int64"),
                edges
            );
            let targets: Vec<f64> = same.get::<i64>("y").expect("y is a field").iter().map(|&n| n as f64).collect();
            let found = ready.get("y").expect("y is a field").reshape(-1);
            assert_eq!(Vec::<f64>::try_from(found).expect("float64"), targets);
            addresses.insert(ready.get("x").expect("x is a field").data_ptr());
            // The next step still holds a view of this batch.
            kept = Some(ready.get("x").expect("x is a field").narrow(0, 0, 1));
            steps += 1;
        }
        assert!(kept.is_some());
        assert!(steps > 5 && addresses.len() == 2, "{steps} steps in {} places", addresses.len());
    }
}
