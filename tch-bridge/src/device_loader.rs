//! [`DeviceLoader`]: batches as tensors, copied to a device while the step before computes.

use crate::delivery::{Casts, Delivery};
use crate::ffi::tensor_over;
use crate::tensor_batch::About;
use crate::upload::{Ready, Upload};
use crate::{BridgeError, Stream, TensorBatch};
use crossbeam_channel::{Receiver, bounded};
use graphpack_loader::{Batch, Layout};
use std::any::Any;
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
    waited: Duration,
}

enum State<I> {
    /// Nothing was asked for yet, or the device is the CPU.
    Here(I, Option<Arc<Delivery>>),
    Ahead(Receiver<Result<Ready, BridgeError>>, JoinHandle<()>),
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
        Self { state, device, casts: Casts::default(), ahead: 2, waited: Duration::ZERO }
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

    /// Time spent in `next` so far.
    pub fn waited(&self) -> Duration {
        self.waited
    }

    fn begin(&mut self, batches: I) -> Result<(), BridgeError> {
        let Device::Cuda(_) = self.device else { return Err(BridgeError::Device(self.device)) };
        let side = Stream::new(self.device)?;
        let upload = Upload::new(self.device, Some(side), self.casts.clone(), self.ahead);
        // One more is in the hands of the thread.
        let (sender, receiver) = bounded(self.ahead - 1);
        let work = move || {
            let error = match catch_unwind(AssertUnwindSafe(|| {
                let _guard = side.enter()?;
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
                Err(panic) => BridgeError::Panic(message(&*panic)),
            };
            // Nobody listens where the loader was dropped.
            let _ = sender.send(Err(error));
        };
        let thread = Builder::new().name("graphpack-upload".into()).spawn(work).map_err(BridgeError::Thread)?;
        self.state = State::Ahead(receiver, thread);
        Ok(())
    }

    fn take(&mut self) -> Option<Result<TensorBatch, BridgeError>> {
        if self.device != Device::Cpu {
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
                let batch = batches.next()?;
                Some(batch.map_err(Into::into).and_then(|batch| here(batch, delivery, &self.casts)))
            }
            State::Ahead(ready, _) => ready.recv().ok().map(|ready| hand_over(ready?, self.device)),
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
        let start = Instant::now();
        let item = self.take();
        if !matches!(item, Some(Ok(_))) {
            self.state = end(std::mem::replace(&mut self.state, State::Ended));
        }
        self.waited += start.elapsed();
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

/// What a panic says.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}
