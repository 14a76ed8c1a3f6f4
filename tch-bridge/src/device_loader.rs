//! [`DeviceLoader`]: batches as tensors, copied to a device while the step before computes.

use crate::delivery::{Casts, Delivery};
use crate::ffi::tensor_over;
use crate::tensor_batch::About;
use crate::upload::{Ready, Upload};
use crate::{BridgeError, Event, Stream, TensorBatch};
use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError, bounded};
use graphpack_loader::{Batch, Layout, panic_message};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use tch::{Device, Kind};

/// Turns an iterator of batches, such as an [`Epoch`](graphpack_loader::Epoch), into one of [`TensorBatch`]es on a device.
///
/// ```
/// use graphpack_loader::{Loader, molecules};
/// use graphpack_tch::{DeviceLoader, device};
/// use tch::Kind;
///
/// let device = device("cpu")?; // or cuda, cuda:N, cuda:rank
/// let loader = Loader::new(molecules::generate(1, 100)).batch_graphs(16).narrow_indices().build()?;
/// for batch in DeviceLoader::new(loader.epoch(0), device).wide_indices().cast("x", Kind::Float) {
///     let batch = batch?;
///     assert_eq!((batch.edge_index().kind(), batch.get("x")?.kind()), (Kind::Int64, Kind::Float));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// On CUDA a thread takes batches from the iterator and copies them on a stream of its own, a number of them [ahead](Self::ahead); from
/// [`Pinned`](crate::Pinned) memory where the loader has it, else through pinned memory of this loader. A batch is handed over on the
/// stream that is current then: what is given to that stream afterwards finds the batch complete, and its memory is written again only when
/// all of that is done that was given to that stream before the batch and all views of it were dropped. Who uses a batch on
/// another stream must order the two by [`Event`](crate::Event)s. An error ends the batches; dropping the loader stops and joins the
/// thread.
///
/// On the CPU there is neither thread nor copy: tensors lie in the memory of the batches, except for arrays that are cast.
pub struct DeviceLoader<I> {
    state: State<I>,
    device: Device,
    casts: Casts,
    ahead: usize,
    /// Whether a thread copies; on the CPU only in tests.
    copies: bool,
    waited: Duration,
}

/// What the thread sends.
type Arrived = Result<Ready, BridgeError>;

enum State<I> {
    /// Nothing was asked for yet, or the device is the CPU.
    Here(I, Option<Arc<Delivery>>),
    Ahead(Receiver<Arrived>, JoinHandle<()>),
    Ended,
}

impl<I, E> DeviceLoader<I>
where
    I: Iterator<Item = Result<Batch, E>> + Send + 'static,
    E: Into<BridgeError>,
{
    /// The batches of an iterator, on a device from [`device`](crate::device).
    pub fn new(batches: I, device: Device) -> Self {
        let state = State::Here(batches, None);
        Self { state, device, casts: Casts::default(), ahead: 2, copies: device != Device::Cpu, waited: Duration::ZERO }
    }

    /// How many batches are on the device, or on their way to it, before they are asked for (default 2, at least 1).
    #[must_use]
    pub fn ahead(mut self, batches: usize) -> Self {
        self.ahead = batches.max(1);
        self
    }

    /// Field `name` becomes `kind` on the device. What is narrow in the data set travels narrow.
    #[must_use]
    pub fn cast(mut self, name: &str, kind: Kind) -> Self {
        self.casts.fields.push((name.to_owned(), kind));
        self
    }

    /// `edge_index`, `batch` and `ptr` become int64 on the device, for
    /// [narrow indices](graphpack_loader::LoaderBuilder::narrow_indices).
    #[must_use]
    pub fn wide_indices(mut self) -> Self {
        self.casts.wide_indices = true;
        self
    }

    /// How long the training waited for batches so far: on the CPU the time spent in `next`, on CUDA the part of it in which the stream had
    /// nothing to do. While it has, `next` blocks so that the CPU does not run far ahead, and that costs nothing.
    pub fn waited(&self) -> Duration {
        self.waited
    }

    fn begin(&mut self, batches: I) -> Result<(), BridgeError> {
        let side = match self.device {
            Device::Cpu => None,
            device => Some(Stream::for_copies(device)?),
        };
        let upload = Upload::new(self.device, side, self.casts.clone(), self.ahead);
        // One more is in the hands of the thread.
        let (sender, receiver) = bounded(self.ahead - 1);
        let work = move || {
            let error = match catch_unwind(AssertUnwindSafe(|| {
                let _guard = side.map(Stream::enter).transpose()?;
                let mut upload = upload;
                for batch in batches {
                    let batch = batch.map_err(Into::into)?;
                    if sender.send(Ok(upload.begin(batch)?)).is_err() {
                        break;
                    }
                }
                Ok(())
            })) {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error,
                Err(panic) => BridgeError::Panic(panic_message(&*panic)),
            };
            // Nobody listens where the loader was dropped.
            let _ = sender.send(Err(error));
        };
        let thread = Builder::new().name("graphpack-upload".into()).spawn(work).map_err(BridgeError::Thread)?;
        self.state = State::Ahead(receiver, thread);
        Ok(())
    }

    fn take(&mut self) -> Option<Result<TensorBatch, BridgeError>> {
        if self.copies {
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Here(batches, _) => match self.begin(batches) {
                    Ok(()) => {}
                    Err(error) => return Some(Err(error)),
                },
                other => self.state = other,
            }
        }
        match &mut self.state {
            State::Here(batches, delivery) => {
                let start = Instant::now();
                let batch = batches.next();
                self.waited += start.elapsed();
                Some(batch?.map_err(Into::into).and_then(|batch| here(batch, delivery, &self.casts)))
            }
            State::Ahead(ready, _) => {
                let (ready, waited) = receive(ready, self.device);
                self.waited += waited;
                Some(ready?.and_then(|ready| hand_over(ready, self.device)))
            }
            State::Ended => None,
        }
    }
}

impl<I, E> Iterator for DeviceLoader<I>
where
    I: Iterator<Item = Result<Batch, E>> + Send + 'static,
    E: Into<BridgeError>,
{
    type Item = Result<TensorBatch, BridgeError>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.take();
        if !matches!(item, Some(Ok(_))) {
            self.state = end(std::mem::replace(&mut self.state, State::Ended));
        }
        item
    }
}

impl<I> Drop for DeviceLoader<I> {
    fn drop(&mut self) {
        self.state = end(std::mem::replace(&mut self.state, State::Ended));
    }
}

/// Stops and joins the thread, if there is one.
fn end<I>(state: State<I>) -> State<I> {
    if let State::Ahead(ready, thread) = state {
        drop(ready);
        // It catches its panics.
        let _ = thread.join();
    }
    State::Ended
}

/// The tensors of a batch where it is.
fn here(batch: Batch, known: &mut Option<Arc<Delivery>>, casts: &Casts) -> Result<TensorBatch, BridgeError> {
    let is = |layout: &Arc<Layout>| Arc::ptr_eq(layout, batch.layout());
    let delivery = match known {
        Some(known) if is(known.layout()) => known.clone(),
        _ => known.insert(Arc::new(Delivery::new(batch.layout().clone(), casts)?)).clone(),
    };
    let about = About::of(&batch);
    TensorBatch::on_cpu(delivery, tensor_over(batch.into_memory()).map_err(BridgeError::Blob)?, about)
}

/// Waits for a batch; also returns for how much of that time the current stream had nothing to do.
fn receive(ready: &Receiver<Arrived>, device: Device) -> (Option<Arrived>, Duration) {
    match ready.try_recv() {
        Ok(arrived) => return (Some(arrived), Duration::ZERO),
        Err(TryRecvError::Disconnected) => return (None, Duration::ZERO),
        Err(TryRecvError::Empty) => {}
    }
    // Where nothing can be known of the stream, all of the time counts.
    let busy = Stream::current(device).and_then(Event::record).ok();
    while let Some(busy) = &busy {
        if busy.query().unwrap_or(true) {
            break;
        }
        match ready.recv_timeout(PAUSE) {
            Ok(arrived) => return (Some(arrived), Duration::ZERO),
            Err(RecvTimeoutError::Disconnected) => return (None, Duration::ZERO),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
    let idle = Instant::now();
    (ready.recv().ok(), idle.elapsed())
}

/// Between two looks at whether the stream still has something to do.
const PAUSE: Duration = Duration::from_micros(50);

/// Makes the current stream wait for a batch.
fn hand_over(ready: Ready, device: Device) -> Result<TensorBatch, BridgeError> {
    if let Some(copied) = &ready.copied {
        let stream = Stream::current(device)?;
        copied.block(stream)?;
        // Nobody else sets it.
        let _ = ready.reader.set(stream);
    }
    Ok(ready.batch)
}

#[cfg(test)]
mod tests {
    use super::DeviceLoader;
    use crate::BridgeError;
    use graphpack_loader::{Batch, Epoch, LoadError, Loader, molecules};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tch::{Device, Kind};

    type Item = Result<Batch, LoadError>;

    fn epoch() -> (Loader<graphpack_loader::Store>, Epoch) {
        let loader = Loader::new(molecules::generate(3, 300)).batch_graphs(16).narrow_indices().workers(2);
        let loader = loader.build().expect("molecules fit");
        let epoch = loader.epoch(0);
        (loader, epoch)
    }

    /// As on a device: a thread that copies, but without streams.
    fn copied<I: Iterator<Item = Item> + Send + 'static>(batches: I) -> DeviceLoader<I> {
        let mut loader = DeviceLoader::new(batches, Device::Cpu);
        loader.copies = true;
        loader
    }

    #[test]
    fn copied_batches_are_those_of_the_loader_however_far_ahead() {
        for ahead in [1, 2, 5, 1000] {
            let (loader, epoch) = epoch();
            let mut batches = copied(epoch).ahead(ahead).wide_indices().cast("x", Kind::Double);
            let mut held = Vec::new();
            for expected in DeviceLoader::new(loader.epoch(0), Device::Cpu).wide_indices().cast("x", Kind::Double) {
                let (expected, found) = (expected.expect("nothing fails"), batches.next().expect("as many"));
                let found = found.expect("nothing fails");
                for name in ["x", "edge_attr", "edge_index", "batch", "ptr", "edge_mask"] {
                    assert!(found.get(name).expect("it is there").equal(expected.get(name).expect("it is there")));
                }
                // All at once: memory that is held is not given out again.
                held.push((found, expected));
            }
            assert!(batches.next().is_none() && batches.next().is_none());
            assert!(held.iter().all(|(found, expected)| found.batch().equal(expected.batch())));
        }
    }

    #[test]
    fn errors_and_panics_arrive_in_order_and_end_the_batches() {
        let failures: [fn() -> Item; 2] =
            [|| Err(LoadError::Panic { step: 3, message: "the disk is gone".into() }), || panic!("out of graphs")];
        for (failure, expected) in failures.into_iter().zip(["the disk is gone", "out of graphs"]) {
            let mut batches = copied(epoch().1.take(3).chain(std::iter::once_with(failure)).chain(epoch().1));
            for _ in 0..3 {
                assert!(batches.next().is_some_and(|batch| batch.is_ok()));
            }
            let error = batches.next().expect("an error").err().expect("the fourth fails");
            assert!(error.to_string().contains(expected), "{error}");
            assert!(matches!(error, BridgeError::Load(_) | BridgeError::Panic(_)));
            assert!(batches.next().is_none());
        }
    }

    #[test]
    fn dropping_it_at_any_moment_ends_the_thread() {
        for taken in [0, 1, 4] {
            let seen = Arc::new(AtomicUsize::new(0));
            let count = seen.clone();
            // More than could be copied.
            let endless = (0..).flat_map(|_| epoch().1).inspect(move |_| {
                count.fetch_add(1, Ordering::Relaxed);
            });
            let mut batches = copied(endless);
            for _ in 0..taken {
                assert!(batches.next().is_some_and(|batch| batch.is_ok()));
            }
            drop(batches);
            let after = seen.load(Ordering::Relaxed);
            assert!(after <= taken + 4, "{after} batches were made for {taken}");
            assert_eq!(Arc::strong_count(&seen), 1, "the thread has ended");
        }
    }
}
