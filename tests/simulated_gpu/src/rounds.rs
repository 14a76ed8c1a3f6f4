//! [`Rounds`]: a training loop that holds some streams, takes batches until it would block, and begins again.

use crate::{Gpu, Later, Streams};
use graphpack_loader::Loader;
use graphpack_tch::{DeviceLoader, Error, TensorBatch};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tch::Device;

/// A training loop in rounds: each holds some streams, takes batches until it would block, and lets the streams go on.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// The device of the batches.
    pub device: Device,
    /// The argument of [`DeviceLoader::ahead`].
    pub ahead: usize,
    /// The streams that are held while the loop takes batches.
    pub held: Streams,
}

impl Rounds {
    /// Takes all batches of epoch 0, gives reads of each to the current stream and drops the batch at once. Panics if a
    /// read finds anything but its own batch.
    ///
    /// When a round begins, the device loader has taken `ahead` batches from the loader and copied all of them but
    /// perhaps the last. While some streams are held, up to `ahead` more copies may be begun, so the round takes `2 *
    /// ahead - 1` batches without blocking. It then waits until no thread or stream can do anything more, and only then
    /// lets the held streams go on.
    pub fn run(self, gpu: &Gpu, loader: &Loader) -> Result<(), Error> {
        let expected = DeviceLoader::new(loader.epoch(0), Device::Cpu).wide_indices();
        let expected = expected.collect::<Result<Vec<TensorBatch>, _>>()?;
        let pulled = Arc::new(AtomicUsize::new(0));
        let source = loader.epoch(0).inspect({
            let pulled = pulled.clone();
            move |_| {
                pulled.fetch_add(1, Ordering::SeqCst);
            }
        });
        let pulled = |least: usize| until(|| pulled.load(Ordering::SeqCst) >= least.min(expected.len()));
        let mut batches = DeviceLoader::new(source, self.device).wide_indices().ahead(self.ahead);
        let mut reads = Vec::new();
        let mut places = HashSet::new();
        while reads.len() < expected.len() {
            let mut take = self.ahead;
            if !reads.is_empty() {
                pulled(reads.len() + self.ahead);
                gpu.settle();
                take += self.ahead - 1;
            }
            let held = gpu.hold(self.device, self.held);
            for _ in 0..take.min(expected.len() - reads.len()) {
                let batch = batches.next().expect("as many batches as on the CPU")?;
                places.insert(batch.batch()?.data_ptr());
                reads.push(Later::read(&batch)?);
            }
            // The copy of the next batch is begun. If it or the loader writes memory too early, it does so now.
            pulled(reads.len() + 1);
            sleep(Duration::from_millis(2));
            gpu.settle();
            drop(held);
        }
        assert!(batches.next().is_none());
        Later::check_all(&reads, &expected);
        // Otherwise no memory was ever used again, and nothing could have been overwritten.
        assert!(places.len() < reads.len() / 2, "{} batches in {} places", reads.len(), places.len());
        Ok(())
    }
}

/// Waits until another thread has made `done` true.
fn until(done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it has not happened within 20 s");
        sleep(Duration::from_micros(100));
    }
}
