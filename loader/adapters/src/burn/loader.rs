//! [`BurnLoader`]: a graphpack loader as burn's `DataLoader`.

use super::BurnBatch;
use burn_core::data::dataloader::{DataLoader, DataLoaderIterator, Progress};
use burn_core::data::dataset::DatasetError;
use burn_core::tensor::Device;
use graphpack_loader::{Epoch, Loader, Source};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A graphpack loader as burn's `DataLoader`: each `iter` gives the next epoch, in its own order if the loader
/// shuffles.
///
/// Items are batches. Every error is an `Err` in place of its batch; an error of the loader ends the epoch.
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
    /// The epoch that `iter` gives next.
    next: AtomicU64,
    /// The batches of each epoch that it gives; may reach beyond the end of the epoch.
    part: Range<usize>,
}

impl<S: Source + 'static> BurnLoader<S> {
    /// All batches of `loader`, as tensors on `device`, from epoch 0 on.
    pub fn new(loader: Loader<S>, device: Device) -> Self {
        Self { loader: Arc::new(loader), device, next: AtomicU64::new(0), part: 0..usize::MAX }
    }

    /// Lets the next `iter` give epoch `epoch`, to continue a training.
    #[must_use]
    pub fn starting_at(self, epoch: u64) -> Self {
        Self { next: AtomicU64::new(epoch), ..self }
    }

    /// The batches of an epoch that it gives.
    fn part(&self, epoch: u64) -> Range<usize> {
        let batches = self.loader.batches(epoch);
        self.part.start.min(batches)..self.part.end.min(batches)
    }

    fn epoch(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }
}

impl<S: Source + 'static> DataLoader<BurnBatch> for BurnLoader<S> {
    fn iter<'a>(&'a self) -> Box<dyn DataLoaderIterator<BurnBatch> + 'a> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let part = self.part(number);
        let epoch = self.loader.epoch_from(number, part.start);
        Box::new(BurnEpoch { epoch, device: self.device.clone(), done: 0, total: part.len() })
    }

    /// Number of batches of the next epoch.
    fn num_items(&self) -> usize {
        self.part(self.epoch()).len()
    }

    /// The same loader on another device, from the next epoch on; the two then count epochs separately.
    fn to_device(&self, device: &Device) -> Arc<dyn DataLoader<BurnBatch>> {
        let (loader, next) = (self.loader.clone(), AtomicU64::new(self.epoch()));
        Arc::new(Self { loader, device: device.clone(), next, part: self.part.clone() })
    }

    /// Batches `start` to `end` of each epoch, from the next epoch on; the two loaders then count epochs separately.
    fn slice(&self, start: usize, end: usize) -> Arc<dyn DataLoader<BurnBatch>> {
        let within = |batch: usize| self.part.start.saturating_add(batch).min(self.part.end);
        let part = within(start)..within(end.max(start));
        let (loader, next) = (self.loader.clone(), AtomicU64::new(self.epoch()));
        Arc::new(Self { loader, device: self.device.clone(), next, part })
    }
}

/// One epoch, or a part of it.
struct BurnEpoch {
    epoch: Epoch,
    device: Device,
    done: usize,
    total: usize,
}

impl Iterator for BurnEpoch {
    type Item = Result<BurnBatch, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        // An epoch that cannot be planned has no batches; its error comes in place of the first.
        if self.done == self.total && self.total > 0 {
            return None;
        }
        let batch = match self.epoch.next()? {
            Ok(_) if self.done == self.total => return None,
            Ok(batch) => BurnBatch::new(batch, &self.device).map_err(DatasetError::new),
            Err(error) => Err(DatasetError::new(error)),
        };
        self.done += usize::from(batch.is_ok());
        Some(batch)
    }
}

impl DataLoaderIterator<BurnBatch> for BurnEpoch {
    fn progress(&self) -> Progress {
        Progress::new(self.done, self.total, Some("batches".to_owned()))
    }
}
