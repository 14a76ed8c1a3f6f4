//! [`TensorLoader`]: a loader whose epochs are tensors on a device; [`DeviceLoader`]: one of these epochs, whose batches
//! are copied while the step before computes.

use super::Pinned;
use super::casts::Casts;
use super::delivery::Delivery;
use super::upload::{Observed, UploadThread};
use crate::tensor_batch::split;
use crate::{Error, TensorBatch};
use graphpack_loader::report::{Report, Stats};
use graphpack_loader::{Batch, Data, Dtype, Epoch, Loader, Options, State};
use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tch::{Device, Kind};

/// A [`Loader`] whose epochs are tensors on a device: the device and the casts are said once, not for each epoch. It
/// derefs to its loader, which knows plan, shapes and states.
///
/// ```
/// use graphpack_loader::{State, Options, Order, molecules};
/// use graphpack_tch::{TensorLoader, device};
/// use tch::Kind;
///
/// let options = Options::graphs(16).order(Order::Shuffled).seed(42);
/// let loader = TensorLoader::new(molecules::generate(1, 200), options, device("cpu")?)?.cast("x", Kind::Float);
/// let mut saved: Option<State> = None; // or read from a file
/// for epoch in loader.epochs(saved.as_ref())?.take_while(|epoch| epoch.number() < 2) {
///     for batch in epoch {
///         let batch = batch?;
///         assert_eq!(batch.get("x")?.size(), [batch.shape().nodes() as i64, 9]);
///         saved = Some(batch.state());
///     }
/// }
/// assert_eq!(saved.map(|state| state.epoch()), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// With CUDA, batches lie in [`Pinned`] memory, unless the options name [another](field@Options::memory), and are
/// copied [ahead](Self::ahead) of the step. Indices are always int64 tensors: with
/// [int32](field@Options::index) in the options, half the bytes are copied, and widened on the device.
pub struct TensorLoader {
    loader: Loader,
    device: Device,
    casts: Casts,
    ahead: usize,
}

impl TensorLoader {
    /// Plans the batches of `data`, as [`Loader::new`] does, for a device from [`device`](crate::device()).
    pub fn new(data: impl Into<Data>, mut options: Options, device: Device) -> Result<Self, Error> {
        if device.is_cuda() && options.memory.is_none() {
            options.memory = Some(Arc::new(Pinned));
        }
        let mut casts = Casts::default();
        if options.index == Dtype::I32 {
            casts.wide_indices();
        }
        Ok(Self { loader: Loader::new(data, options)?, device, casts, ahead: 2 })
    }

    /// Casts field `name` to `kind` on the device, as [`DeviceLoader::cast`] does. The first batch is an error if there
    /// is no such field.
    #[must_use]
    pub fn cast(mut self, name: &str, kind: Kind) -> Self {
        self.casts.field(name, kind);
        self
    }

    /// Number of batches that are on the device before they are asked for, as [`DeviceLoader::ahead`] says.
    #[must_use]
    pub fn ahead(mut self, batches: usize) -> Self {
        self.ahead = batches;
        self
    }

    /// Returns the batches of epoch `epoch`.
    pub fn epoch(&self, epoch: u64) -> DeviceLoader<Epoch> {
        self.on_device(self.loader.epoch(epoch))
    }

    /// Returns the rest of the epoch that `state` was taken in. Errors as [`Loader::resume`] does.
    pub fn resume(&self, state: &State) -> Result<DeviceLoader<Epoch>, Error> {
        Ok(self.on_device(self.loader.resume(state)?))
    }

    /// Returns the epochs of a run, one after the other, without end, as [`Loader::epochs`] does.
    pub fn epochs<'a>(
        &'a self,
        from: Option<&State>,
    ) -> Result<impl Iterator<Item = DeviceLoader<Epoch>> + use<'a>, Error> {
        Ok(self.loader.epochs(from)?.map(|epoch| self.on_device(epoch)))
    }

    fn on_device(&self, epoch: Epoch) -> DeviceLoader<Epoch> {
        let mut batches = DeviceLoader::new(epoch, self.device).ahead(self.ahead);
        batches.casts = self.casts.clone();
        batches
    }
}

impl Deref for TensorLoader {
    type Target = Loader;

    fn deref(&self) -> &Loader {
        &self.loader
    }
}

/// Turns an iterator of batches, such as an [`Epoch`](graphpack_loader::Epoch), into one of [`TensorBatch`]es on a
/// device.
///
/// ```
/// use graphpack_loader::{Dtype, Loader, Options, molecules};
/// use graphpack_tch::{DeviceLoader, device};
/// use tch::Kind;
///
/// let device = device("cpu")?; // or cuda, cuda:N, cuda:rank
/// let loader = Loader::new(molecules::generate(1, 100), Options::graphs(16).index(Dtype::I32))?;
/// for batch in DeviceLoader::new(loader.epoch(0), device).wide_indices().cast("x", Kind::Float) {
///     let batch = batch?;
///     assert_eq!((batch.edge_index()?.kind(), batch.get("x")?.kind()), (Kind::Int64, Kind::Float));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// On CUDA a thread takes batches from the iterator and copies them on a stream of its own, a number of batches
/// [ahead](Self::ahead). It copies from the batch itself if the loader uses [`Pinned`](crate::Pinned) memory, otherwise
/// through pinned memory of its own.
///
/// A batch belongs to the stream that is current when `next` returns it: work given to that stream afterwards finds the
/// batch complete. The memory of a batch is written again only after the work that the stream had been given when the
/// batch and its last view were dropped. To use a batch on another stream, order the two streams by
/// [`Event`](crate::Event)s. An error ends the iteration; dropping the loader stops and joins the thread.
///
/// On the CPU there is neither thread nor copy: tensors lie in the memory of the batches, except for arrays that are
/// cast.
pub struct DeviceLoader<I> {
    batches: Batches<I>,
    device: Device,
    casts: Casts,
    ahead: usize,
    /// Whether a thread copies; on the CPU only in tests.
    copies: bool,
    waited: Duration,
    /// As of the last batch that was returned.
    observed: Observed,
    /// How long the epoch was being planned before it came here.
    planned: Duration,
}

/// The queue to the training has a place for each from the start.
const MOST_AHEAD: usize = 4096;

enum Batches<I> {
    /// The device is the CPU, or nothing was asked for yet. With the delivery of the last batch.
    Here(I, Option<Arc<Delivery>>),
    Ahead(UploadThread),
    Ended,
}

impl<I, E> DeviceLoader<I>
where
    I: Iterator<Item = Result<Batch, E>> + Send + 'static,
    E: Into<Error>,
{
    /// The batches of an iterator, on a device from [`device`](crate::device()).
    pub fn new(batches: I, device: Device) -> Self {
        let observed = Observed::of(&batches);
        Self {
            batches: Batches::Here(batches, None),
            device,
            casts: Casts::default(),
            ahead: 2,
            copies: device != Device::Cpu,
            waited: Duration::ZERO,
            planned: observed.waited(),
            observed,
        }
    }

    /// Number of batches that are on the device, or on their way to it, before they are asked for: 2 by default, at
    /// least 1 (0 is 1 here: only on the CPU is there no thread), at most 4096.
    #[must_use]
    pub fn ahead(mut self, batches: usize) -> Self {
        self.ahead = batches.clamp(1, MOST_AHEAD);
        self
    }

    /// Casts field `name` to `kind` on the device. It is copied in the type that it has in the data set, so narrow
    /// types save transfer. A cast to whole numbers must be to a type that has all values of the field's. One to
    /// floating point rounds, and what is too large for the type, as 70,000 for [`Kind::Half`], becomes infinite: to
    /// find it would wait for the device.
    #[must_use]
    pub fn cast(mut self, name: &str, kind: Kind) -> Self {
        self.casts.field(name, kind);
        self
    }

    /// Casts `edge_index`, `batch` and `ptr` to int64 on the device, for
    /// indices of [int32](field@graphpack_loader::Options::index).
    #[must_use]
    pub fn wide_indices(mut self) -> Self {
        self.casts.wide_indices();
        self
    }

    /// How long the training has waited for batches so far: on the CPU the time spent in `next`, on CUDA the part of it
    /// during which the stream was idle. While the stream is busy, a `next` that blocks costs nothing: it only keeps
    /// the CPU from running far ahead.
    pub fn waited(&self) -> Duration {
        self.waited
    }

    fn take(&mut self) -> Option<Result<TensorBatch, Error>> {
        if self.copies {
            self.batches = match std::mem::replace(&mut self.batches, Batches::Ended) {
                Batches::Here(batches, _) => {
                    match UploadThread::start(batches, self.device, self.casts.clone(), self.ahead) {
                        Ok(thread) => Batches::Ahead(thread),
                        Err(error) => return Some(Err(error)),
                    }
                }
                other => other,
            };
        }
        let (item, waited) = match &mut self.batches {
            Batches::Here(batches, delivery) => {
                let start = Instant::now();
                let batch = batches.next();
                let waited = start.elapsed();
                if let Some(Ok(batch)) = &batch {
                    self.observed.add(Observed::of_batch(batches, batch));
                }
                (batch.map(|batch| here(batch.map_err(Into::into)?, delivery, &self.casts)), waited)
            }
            Batches::Ahead(thread) => {
                let (item, waited) = thread.next();
                let item = item.map(|item| {
                    let (batch, observed) = item?;
                    self.observed.add(observed);
                    Ok(batch)
                });
                (item, waited)
            }
            Batches::Ended => (None, Duration::ZERO),
        };
        self.waited += waited;
        item
    }
}

/// The number of an [`Epoch`], and its statistics while it is iterated and afterwards.
impl DeviceLoader<Epoch> {
    /// The number of the epoch, from 0.
    pub fn number(&self) -> u64 {
        self.observed.number()
    }

    /// How much was handed over so far, and where the time went: as [`Epoch::stats`], of the batches that this
    /// returned, and with the time that the training [waited](Self::waited). Its `verdict()` says what to change.
    ///
    /// ```
    /// # use graphpack_loader::{Loader, Options, molecules};
    /// # use graphpack_tch::{DeviceLoader, device};
    /// # let loader = Loader::new(molecules::generate(1, 100), Options::graphs(16))?;
    /// let mut batches = DeviceLoader::new(loader.epoch(0), device("cpu")?);
    /// for batch in batches.by_ref() {
    ///     let batch = batch?; // train on it
    /// }
    /// println!("{}\n{}", batches.stats().verdict(), batches.report());
    /// # assert_eq!(batches.stats().batches, loader.batches(0)? as u64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stats(&self) -> Stats {
        self.observed.stats(self.planned + self.waited)
    }

    /// Shapes, shares of real rows, graphs per batch and collating time of the batches that this returned.
    pub fn report(&self) -> &Report {
        self.observed.report()
    }
}

impl<I, E> Iterator for DeviceLoader<I>
where
    I: Iterator<Item = Result<Batch, E>> + Send + 'static,
    E: Into<Error>,
{
    type Item = Result<TensorBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.take();
        if !matches!(item, Some(Ok(_))) {
            self.batches = Batches::Ended;
        }
        item
    }
}

/// The tensors of a batch in its own memory.
fn here(batch: Batch, known: &mut Option<Arc<Delivery>>, casts: &Casts) -> Result<TensorBatch, Error> {
    let delivery = match known {
        Some(known) if Arc::ptr_eq(known.layout(), batch.layout()) => known.clone(),
        _ => known.insert(Arc::new(Delivery::new(batch.layout().clone(), casts)?)).clone(),
    };
    let (bytes, info) = split(batch)?;
    TensorBatch::on_cpu(delivery, bytes, info)
}

#[cfg(test)]
mod tests {
    use super::DeviceLoader;
    use graphpack_loader::extend::file_error;
    use graphpack_loader::report::{Stats, Verdict};
    use graphpack_loader::{Batch, Dtype, Epoch, Error, ErrorKind, Loader, Options, molecules};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;
    use tch::{Device, Kind};

    type Item = Result<Batch, Error>;

    fn epoch() -> (Loader, Epoch) {
        let options = Options::graphs(16).index(Dtype::I32).workers(2);
        let loader = Loader::new(molecules::generate(3, 300), options).expect("molecules fit");
        let epoch = loader.epoch(0);
        (loader, epoch)
    }

    /// A thread copies, as on a device, but without streams.
    fn copied<I: Iterator<Item = Item> + Send + 'static>(batches: I) -> DeviceLoader<I> {
        let mut loader = DeviceLoader::new(batches, Device::Cpu);
        loader.copies = true;
        loader
    }

    #[test]
    fn copied_batches_are_those_of_the_loader_however_far_ahead() {
        for ahead in [0, 1, 2, 5, 1000, usize::MAX] {
            let (loader, epoch) = epoch();
            let mut batches = copied(epoch).ahead(ahead).wide_indices().cast("x", Kind::Double);
            let mut held = Vec::new();
            for expected in DeviceLoader::new(loader.epoch(0), Device::Cpu).wide_indices().cast("x", Kind::Double) {
                let (expected, found) =
                    (expected.expect("nothing fails"), batches.next().expect("the loader has more batches"));
                let found = found.expect("nothing fails");
                for name in ["x", "edge_attr", "edge_index", "batch", "ptr", "edge_mask"] {
                    assert!(found.get(name).expect("it is there").equal(expected.get(name).expect("it is there")));
                }
                // All at once: memory that is held is not given out again.
                held.push((found, expected));
            }
            assert!(batches.next().is_none() && batches.next().is_none());
            for (found, expected) in held {
                assert!(found.get("batch").expect("it is there").equal(expected.get("batch").expect("it is there")));
            }
        }
    }

    #[test]
    fn statistics_are_those_of_the_batches_that_were_returned() {
        for copies in [false, true] {
            let (loader, mut epoch) = epoch();
            let mut batches = DeviceLoader::new(loader.epoch(0), Device::Cpu).ahead(3);
            batches.copies = copies;
            assert_eq!((batches.stats().batches, batches.stats().workers), (0, 2));
            let mut elapsed = Duration::ZERO;
            while let Some(batch) = batches.next() {
                drop(batch.expect("nothing fails"));
                drop(epoch.next().expect("as many").expect("nothing fails"));
                let [found, expected] = [batches.stats(), epoch.stats()];
                let counts = |stats: Stats| (stats.batches, stats.real, stats.rows, stats.bytes, stats.workers);
                assert_eq!(counts(found), counts(expected));
                assert_eq!(batches.report().shapes(), epoch.report().shapes());
                assert_eq!(batches.report().graphs_per_batch(), epoch.report().graphs_per_batch());
                assert!(found.waited >= batches.waited() && found.elapsed >= found.waited, "{found:?}");
                assert!(found.elapsed > elapsed);
                elapsed = found.elapsed;
            }
            let expected = loader.batches(0).expect("nothing fails") as u64;
            assert_eq!(batches.stats().batches, expected, "also after the last one");
            assert_ne!(batches.stats().verdict(), Verdict::Unknown);
        }
    }

    #[test]
    fn errors_and_panics_arrive_in_order_and_end_the_batches() {
        let gone: fn() -> Item = || Err(file_error("disk")(std::io::Error::other("the disk is gone")));
        let gone = (gone, ErrorKind::File, "the disk is gone");
        let panics: fn() -> Item = || panic!("out of graphs");
        let panics = (panics, ErrorKind::Load, "out of graphs");
        // Without a thread, a panic is the caller's own.
        for (copies, (failure, kind, expected)) in [(false, gone), (true, gone), (true, panics)] {
            let broken = epoch().1.take(3).chain(std::iter::once_with(failure)).chain(epoch().1);
            let mut batches = DeviceLoader::new(broken, Device::Cpu);
            batches.copies = copies;
            for _ in 0..3 {
                assert!(batches.next().is_some_and(|batch| batch.is_ok()));
            }
            let error = batches.next().expect("an error").err().expect("the fourth fails");
            assert!(error.kind() == kind && error.to_string().contains(expected), "{error}");
            assert!(batches.next().is_none());
        }
    }

    #[test]
    fn dropping_it_at_any_moment_ends_the_thread() {
        for taken in [0, 1, 4] {
            let seen = Arc::new(AtomicUsize::new(0));
            let count = seen.clone();
            // More batches than are ever copied.
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
