//! [`Upload`]: a thread that makes the tensors of batches before they are asked for.

use super::{BurnBatch, BurnError};
use burn_core::data::dataset::DatasetError;
use burn_core::tensor::Device;
use graphpack_loader::{Batch, LoadError, panic_message};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{Builder, JoinHandle};

type Item = Result<BurnBatch, DatasetError>;

/// A thread that makes the tensors of batches before they are asked for. Dropping it stops and joins the thread.
pub(super) struct Upload {
    /// Both are taken only when dropped.
    ready: Option<Receiver<Item>>,
    thread: Option<JoinHandle<()>>,
}

impl Upload {
    /// Starts to make tensors; `ahead` batches, at least 1, are begun before they are asked for.
    pub(super) fn start<I>(mut items: Tensors<I>, ahead: usize) -> Result<Self, BurnError>
    where
        I: Iterator<Item = Result<Batch, LoadError>> + Send + 'static,
    {
        // The thread holds one more batch.
        let (sender, receiver) = sync_channel(ahead - 1);
        let work = move || {
            // burn panics where a device fails.
            let made = catch_unwind(AssertUnwindSafe(|| {
                while let Some(item) = items.next() {
                    // What is deferred until there is more to do would be done when the training asks for it.
                    let item = item.and_then(|batch| items.device.flush().map(|()| batch).map_err(DatasetError::new));
                    if sender.send(item).is_err() {
                        break;
                    }
                }
            }));
            if let Err(panic) = made {
                // Nobody listens after the epoch was dropped.
                let _ = sender.send(Err(DatasetError::new(BurnError::Panic(panic_message(&*panic)))));
            }
        };
        let thread = Builder::new().name("graphpack-upload".into()).spawn(work).map_err(BurnError::Thread)?;
        Ok(Self { ready: Some(receiver), thread: Some(thread) })
    }
}

impl Iterator for Upload {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        self.ready.as_ref()?.recv().ok()
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        // The thread ends when it cannot send any more.
        drop(self.ready.take());
        if let Some(thread) = self.thread.take() {
            // It catches its panics.
            let _ = thread.join();
        }
    }
}

/// Batches as tensors. An error is the last item.
pub(super) struct Tensors<I> {
    /// None after an error.
    pub(super) batches: Option<I>,
    pub(super) device: Device,
    pub(super) narrow: bool,
}

impl<I: Iterator<Item = Result<Batch, LoadError>>> Iterator for Tensors<I> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let item = match self.batches.as_mut()?.next()? {
            Ok(batch) => BurnBatch::on(batch, &self.device, self.narrow).map_err(DatasetError::new),
            Err(error) => Err(DatasetError::new(error)),
        };
        if item.is_err() {
            self.batches = None;
        }
        Some(item)
    }
}
