//! [`Rounds`]: a training loop that takes as many batches as it can while some streams are held, over and over.

use crate::{Gpu, Later, Streams};
use graphpack_loader::{Loader, Store};
use graphpack_tch::{BridgeError, DeviceLoader, TensorBatch};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tch::Device;

/// What a loop does.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// Where batches go.
    pub device: Device,
    /// As of [`DeviceLoader::ahead`].
    pub ahead: usize,
    /// Which streams begin nothing while the loop takes batches.
    pub held: Streams,
}

impl Rounds {
    /// Takes all batches of epoch 0, gives reads of each to the current stream and drops it at once. Panics if a read finds anything but its own
    /// batch.
    ///
    /// When a round begins, `ahead` batches were taken from the loader, and all but perhaps the last one copied. So many again can be taken
    /// while some streams are held, for `ahead` copies may be begun and not done. Then everything happens that can, and only then the streams go on.
    pub fn run(self, gpu: &Gpu, loader: &Loader<Store>) -> Result<(), BridgeError> {
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
                places.insert(batch.batch().data_ptr());
                reads.push(Later::read(&batch)?);
            }
            // The next one is begun; what it and the loader must not do yet they could do now.
            pulled(reads.len() + 1);
            sleep(Duration::from_millis(2));
            gpu.settle();
            drop(held);
        }
        assert!(batches.next().is_none());
        Later::check_all(&reads, &expected);
        // Else nothing could have been written over.
        assert!(places.len() < reads.len() / 2, "{} batches in {} places", reads.len(), places.len());
        Ok(())
    }
}

/// Waits for what another thread does.
fn until(done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it does not happen");
        sleep(Duration::from_micros(100));
    }
}
