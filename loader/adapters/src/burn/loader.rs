//! [`BurnLoader`]: a graphpack loader as burn's `DataLoader`.

use super::BurnBatch;
use super::upload::{Tensors, Upload};
use burn_core::data::dataloader::{DataLoader, DataLoaderIterator, Progress};
use burn_core::data::dataset::DatasetError;
use burn_core::tensor::Device;
use graphpack_loader::{Epoch, Loader, LoaderState, ResumeError, Source};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A graphpack loader as burn's `DataLoader`: each `iter` gives the next epoch, in its own order if the loader
/// shuffles.
///
/// A thread takes batches from the loader and copies them to the device, a number of batches [ahead](Self::ahead) of
/// the training; nothing is ever read back. An error is an `Err` in place of its batch and ends the epoch. Dropping the
/// iterator stops and joins the thread.
///
/// ```
/// use burn_core::data::dataloader::DataLoader;
/// use burn_core::tensor::Device;
/// use graphpack_adapters::BurnLoader;
/// use graphpack_loader::{Loader, molecules};
///
/// let loader = Loader::new(molecules::generate(1, 100)).batch_graphs(16).shuffle(42).build()?;
/// let loader = BurnLoader::new(loader, Device::flex());
/// for _epoch in 0..2 {
///     for batch in loader.iter() {
///         let batch = batch?;
///         assert_eq!(batch.int("x")?.dims(), [batch.shape().nodes(), 9]);
///         assert_eq!(batch.int("edge_index")?.dims(), [2, batch.shape().edges()]);
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BurnLoader<S> {
    loader: Arc<Loader<S>>,
    device: Device,
    ahead: usize,
    narrow: bool,
    /// The epoch that `iter` gives next.
    next: AtomicU64,
    /// Where in that epoch it begins, if not with the first batch, and the batches that are left; for one `iter`.
    within: Mutex<Option<(LoaderState, usize)>>,
    /// The batches of each epoch that it gives; may reach beyond the end of the epoch.
    part: Range<usize>,
}

impl<S: Source + 'static> BurnLoader<S> {
    /// All batches of `loader`, as tensors on `device`, from epoch 0 on.
    pub fn new(loader: Loader<S>, device: Device) -> Self {
        let (loader, next, within) = (Arc::new(loader), AtomicU64::new(0), Mutex::new(None));
        Self { loader, device, ahead: 2, narrow: false, next, within, part: 0..usize::MAX }
    }

    /// Number of batches that are on the device, or on their way to it, before they are asked for: 2 by default. With 0
    /// there is no thread, and tensors are made when they are asked for.
    #[must_use]
    pub fn ahead(self, batches: usize) -> Self {
        Self { ahead: batches, ..self }
    }

    /// Gives 64-bit numbers 32 bits on any device, as [`BurnBatch::narrow`]: half the bytes to copy, and the dtypes that
    /// burn's own tensors have by default.
    #[must_use]
    pub fn narrow(self) -> Self {
        Self { narrow: true, ..self }
    }

    /// Lets the next `iter` give epoch `epoch`, to continue a training.
    #[must_use]
    pub fn starting_at(self, epoch: u64) -> Self {
        Self { next: AtomicU64::new(epoch), within: Mutex::new(None), ..self }
    }

    /// Lets the next `iter` give the rest of an epoch, after the batch whose [`state`](crate::BatchInfo::state) this is,
    /// and the following ones whole epochs. Errors if the state belongs to other data, limits, batching, plan, seed or
    /// version.
    pub fn resume(self, state: &LoaderState) -> Result<Self, ResumeError> {
        let left = self.loader.resume(state)?.size_hint().1.unwrap_or(0);
        Ok(Self { next: AtomicU64::new(state.epoch()), within: Mutex::new(Some((state.clone(), left))), ..self })
    }

    /// The batches of an epoch that it gives.
    fn part(&self, epoch: u64) -> Range<usize> {
        let batches = self.loader.batches(epoch);
        self.part.start.min(batches)..self.part.end.min(batches)
    }

    fn epoch(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// A loader of the same batches from the next epoch on.
    fn again(&self) -> Self {
        let (loader, device, next) = (self.loader.clone(), self.device.clone(), AtomicU64::new(self.epoch()));
        let within = Mutex::new(self.within().clone());
        Self { loader, device, ahead: self.ahead, narrow: self.narrow, next, within, part: self.part.clone() }
    }

    /// Where in the next epoch it begins.
    fn within(&self) -> MutexGuard<'_, Option<(LoaderState, usize)>> {
        self.within.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first `total` batches of an epoch as tensors.
    fn items(&self, mut epoch: Epoch, total: usize) -> Items {
        // An epoch that cannot be planned has no batches; its error comes in place of the first.
        if total == 0 {
            return Box::new(
                epoch.next().and_then(Result::err).into_iter().flat_map(|error| one(DatasetError::new(error))),
            );
        }
        let (device, narrow) = (self.device.clone(), self.narrow);
        let tensors = Tensors { batches: Some(epoch.take(total)), device, narrow };
        if self.ahead == 0 {
            return Box::new(tensors);
        }
        match Upload::start(tensors, self.ahead) {
            Ok(upload) => Box::new(upload),
            Err(error) => one(DatasetError::new(error)),
        }
    }

    /// The next epoch, and the number of its batches that are given.
    fn begin(&self) -> Result<(Epoch, usize), ResumeError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if let Some((state, left)) = self.within().take() {
            return Ok((self.loader.resume(&state)?, left));
        }
        let part = self.part(number);
        Ok((self.loader.epoch_from(number, part.start), part.len()))
    }
}

impl<S: Source + 'static> DataLoader<BurnBatch> for BurnLoader<S> {
    fn iter<'a>(&'a self) -> Box<dyn DataLoaderIterator<BurnBatch> + 'a> {
        let (items, total) = match self.begin() {
            Ok((epoch, total)) => (self.items(epoch, total), total),
            Err(error) => (one(DatasetError::new(error)), 0),
        };
        Box::new(BurnEpoch { items, done: 0, total })
    }

    /// Number of batches of the next epoch, or of what is left of it.
    fn num_items(&self) -> usize {
        let left = self.within().as_ref().map(|&(_, left)| left);
        left.unwrap_or_else(|| self.part(self.epoch()).len())
    }

    /// The same loader on another device, from the next epoch on; the two then count epochs separately.
    fn to_device(&self, device: &Device) -> Arc<dyn DataLoader<BurnBatch>> {
        Arc::new(Self { device: device.clone(), ..self.again() })
    }

    /// Batches `start` to `end` of each epoch, from the next epoch on; the two loaders then count epochs separately. A
    /// slice begins with whole epochs, also of a loader that was resumed.
    fn slice(&self, start: usize, end: usize) -> Arc<dyn DataLoader<BurnBatch>> {
        let within = |batch: usize| self.part.start.saturating_add(batch).min(self.part.end);
        let part = within(start)..within(end.max(start));
        Arc::new(Self { part, within: Mutex::new(None), ..self.again() })
    }
}

type Items = Box<dyn Iterator<Item = Result<BurnBatch, DatasetError>> + Send>;

fn one(error: DatasetError) -> Items {
    Box::new(std::iter::once(Err(error)))
}

/// One epoch, or a part of it.
struct BurnEpoch {
    items: Items,
    /// Batches that were given, not those that were made ahead.
    done: usize,
    total: usize,
}

impl Iterator for BurnEpoch {
    type Item = Result<BurnBatch, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.items.next()?;
        self.done += usize::from(item.is_ok());
        Some(item)
    }
}

impl DataLoaderIterator<BurnBatch> for BurnEpoch {
    fn progress(&self) -> Progress {
        Progress::new(self.done, self.total, Some("batches".to_owned()))
    }
}
