//! [`BurnLoader`]: a graphpack loader as burn's `DataLoader`.

use super::BurnBatch;
use super::upload::{Tensors, Upload};
use burn_core::data::dataloader::{DataLoader, DataLoaderIterator, Progress};
use burn_core::data::dataset::DatasetError;
use burn_core::tensor::Device;
use graphpack_loader::{Epoch, Error, Loader, State};
use std::ops::Range;
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
/// use graphpack_loader::{Loader, Options, Order, molecules};
///
/// let loader = Loader::new(molecules::generate(1, 100), Options::graphs(16).order(Order::Shuffled).seed(42))?;
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
pub struct BurnLoader {
    loader: Arc<Loader>,
    device: Device,
    ahead: usize,
    narrow: bool,
    /// The epoch that `iter` gives next, and the state after which it begins, if not with the first batch.
    next: Mutex<(u64, Option<State>)>,
    /// The batches of each epoch that it gives; may reach beyond the end of the epoch.
    part: Range<usize>,
}

impl BurnLoader {
    /// All batches of `loader`, as tensors on `device`, from epoch 0 on.
    pub fn new(loader: Loader, device: Device) -> Self {
        let (loader, next) = (Arc::new(loader), Mutex::new((0, None)));
        Self { loader, device, ahead: 2, narrow: false, next, part: 0..usize::MAX }
    }

    /// Number of batches that are on the device, or on their way to it, before they are asked for: 2 by default, all of
    /// an epoch at most. With 0 there is no thread, and tensors are made when they are asked for.
    #[must_use]
    pub fn ahead(self, batches: usize) -> Self {
        Self { ahead: batches, ..self }
    }

    /// Gives 64-bit numbers 32 bits on any device, as [`BurnBatch::narrow`]: half the bytes to copy, and the dtypes
    /// that burn's own tensors have by default.
    #[must_use]
    pub fn narrow(self) -> Self {
        Self { narrow: true, ..self }
    }

    /// Lets the next `iter` give epoch `epoch`, to continue a training.
    #[must_use]
    pub fn starting_at(self, epoch: u64) -> Self {
        Self { next: Mutex::new((epoch, None)), ..self }
    }

    /// Lets the next `iter` give the rest of an epoch, after the batch whose
    /// [`state`](graphpack_loader::BatchInfo::state) this is, and the following ones whole epochs. Loaders that burn
    /// splits this one into begin that epoch again: their batches have no order of which the state could say how many
    /// were seen. Errors if the state belongs to other data, limits, grouping, plan, seed or version.
    pub fn resume(self, state: &State) -> Result<Self, Error> {
        self.loader.batches_after(state)?;
        Ok(Self { next: Mutex::new((state.epoch(), Some(state.clone()))), ..self })
    }

    /// The part of an epoch of this number of batches that it gives.
    fn part_of(&self, batches: usize) -> Range<usize> {
        self.part.start.min(batches)..self.part.end.min(batches)
    }

    fn next(&self) -> MutexGuard<'_, (u64, Option<State>)> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A loader of the same batches from the next epoch on.
    fn again(&self) -> Self {
        let (loader, device, next) = (self.loader.clone(), self.device.clone(), Mutex::new(self.next().clone()));
        Self { loader, device, ahead: self.ahead, narrow: self.narrow, next, part: self.part.clone() }
    }

    /// The first `left` batches of an epoch as tensors.
    fn items(&self, epoch: Epoch, left: usize) -> Items {
        // More would only be empty places of the queue.
        let ahead = self.ahead.min(left);
        let (device, narrow, flush) = (self.device.clone(), self.narrow, ahead > 0);
        let tensors = Tensors { batches: Some(epoch.take(left)), device, narrow, flush };
        if ahead == 0 {
            return Box::new(tensors);
        }
        match Upload::start(tensors, ahead) {
            Ok(upload) => Box::new(upload),
            Err(error) => one(DatasetError::new(error)),
        }
    }

    /// The next epoch.
    fn begin(&self) -> Result<BurnEpoch, Error> {
        let (number, rest) = {
            let mut next = self.next();
            let begun = (next.0, next.1.take());
            next.0 = next.0.wrapping_add(1);
            begun
        };
        let part = match self.loader.batches(number) {
            Ok(batches) => self.part_of(batches),
            Err(error) => return Ok(failed(DatasetError::new(error))),
        };
        Ok(match rest {
            Some(state) => {
                let epoch = self.loader.resume(&state)?;
                let left = epoch.size_hint().1.unwrap_or(0);
                let done = part.len().saturating_sub(left);
                BurnEpoch { items: self.items(epoch, left), done, total: done + left }
            }
            None if part.is_empty() => BurnEpoch { items: Box::new(std::iter::empty()), done: 0, total: 0 },
            None => {
                let epoch = self.loader.epoch_from(&self.loader.state(number)?, part.start)?;
                BurnEpoch { items: self.items(epoch, part.len()), done: 0, total: part.len() }
            }
        })
    }
}

impl DataLoader<BurnBatch> for BurnLoader {
    fn iter<'a>(&'a self) -> Box<dyn DataLoaderIterator<BurnBatch> + 'a> {
        Box::new(self.begin().unwrap_or_else(|error| failed(DatasetError::new(error))))
    }

    /// Number of batches of the next epoch, those before the state of a resumed one included. 0 if it cannot be
    /// planned: the only item of the epoch is then the error.
    fn num_items(&self) -> usize {
        let epoch = self.next().0;
        self.loader.batches(epoch).map_or(0, |batches| self.part_of(batches).len())
    }

    /// The same loader on another device, from the next epoch on; the two then count epochs separately.
    fn to_device(&self, device: &Device) -> Arc<dyn DataLoader<BurnBatch>> {
        Arc::new(Self { device: device.clone(), ..self.again() })
    }

    /// Batches `start` to `end` of each epoch, from the next epoch on; the two loaders then count epochs separately. A
    /// slice begins with whole epochs, also of a loader that was resumed. One that reaches the end of the next epoch
    /// reaches the end of each: their numbers of batches may differ.
    fn slice(&self, start: usize, end: usize) -> Arc<dyn DataLoader<BurnBatch>> {
        let end = if start < end && end >= self.num_items() { usize::MAX } else { end };
        let within = |batch: usize| self.part.start.saturating_add(batch).min(self.part.end);
        let part = within(start)..within(end.max(start));
        let again = Self { part, ..self.again() };
        again.next().1 = None;
        Arc::new(again)
    }
}

type Items = Box<dyn Iterator<Item = Result<BurnBatch, DatasetError>> + Send>;

fn one(error: DatasetError) -> Items {
    Box::new(std::iter::once(Err(error)))
}

fn failed(error: DatasetError) -> BurnEpoch {
    BurnEpoch { items: one(error), done: 0, total: 0 }
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
