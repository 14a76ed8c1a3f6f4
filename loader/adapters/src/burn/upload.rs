//! [`Upload`]: a thread that makes the tensors of batches before they are asked for.

use super::{BurnBatch, BurnError};
use burn_core::data::dataset::DatasetError;
use burn_core::tensor::Device;
use graphpack_loader::extend::panic_message;
use graphpack_loader::{Batch, Error};
use std::any::Any;
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
    pub(super) fn start<I>(items: Tensors<I>, ahead: usize) -> Result<Self, BurnError>
    where
        I: Iterator<Item = Result<Batch, Error>> + Send + 'static,
    {
        // The thread holds one more batch.
        let (sender, receiver) = sync_channel(ahead - 1);
        let work = move || {
            for item in items {
                if sender.send(item).is_err() {
                    break;
                }
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
            // Panics are items.
            let _ = thread.join();
        }
    }
}

/// Batches as tensors. An error or a panic is the last item.
pub(super) struct Tensors<I> {
    /// None after an error.
    pub(super) batches: Option<I>,
    pub(super) device: Device,
    pub(super) narrow: bool,
    /// Whether the device begins at once: what it defers until there is more to do would be done when the training asks
    /// for the batch.
    pub(super) flush: bool,
}

impl<I: Iterator<Item = Result<Batch, Error>>> Iterator for Tensors<I> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let Self { batches, device, narrow, flush } = self;
        let mut make = |batch: Result<Batch, Error>| -> Item {
            let batch = batch.map_err(DatasetError::new)?;
            let tensors = BurnBatch::on(batch, device, *narrow).map_err(DatasetError::new)?;
            if *flush {
                device.flush().map_err(DatasetError::new)?;
            }
            Ok(tensors)
        };
        let source = batches.as_mut()?;
        // burn panics where a device fails.
        let made = catch_unwind(AssertUnwindSafe(|| source.next().map(&mut make)));
        let panicked = |panic: Box<dyn Any + Send>| DatasetError::new(BurnError::Panic(panic_message(&*panic)));
        let item = made.unwrap_or_else(|panic| Some(Err(panicked(panic))));
        if !matches!(item, Some(Ok(_))) {
            *batches = None;
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::{Tensors, Upload};
    use burn_core::tensor::Device;
    use graphpack_loader::{Batch, Error};
    use std::iter::repeat_with;

    #[test]
    fn a_panic_is_the_last_item() {
        let tensors = || {
            let batches = repeat_with(|| -> Result<Batch, Error> { panic!("the device is lost") });
            Tensors { batches: Some(batches), device: Device::flex(), narrow: false, flush: true }
        };
        let ahead = Upload::start(tensors(), 1).expect("a thread starts");
        for mut items in [tensors().collect::<Vec<_>>(), ahead.collect()] {
            assert_eq!(items.len(), 1);
            let error = items.remove(0).expect_err("it panicked").to_string();
            assert_eq!(error, "the tensors of a batch could not be made: the device is lost");
        }
    }
}
