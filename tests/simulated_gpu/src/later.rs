//! [`Later`]: reads of a batch that a stream is given now, and that are checked after it has done them.

use graphpack_tch::{Error, TensorBatch};
use tch::{Device, Tensor};

/// Copies of all arrays of a batch, on its device.
pub struct Later {
    step: u64,
    copies: Vec<(String, Tensor)>,
}

impl Later {
    /// Gives the copies to the current stream; returns without waiting.
    pub fn read(batch: &TensorBatch) -> Result<Self, Error> {
        let read = |name: &String| {
            let array = batch.get(name)?;
            let mut copy = array.f_empty_like()?;
            copy.copy_(array);
            Ok((name.clone(), copy))
        };
        let arrays = batch.layout().arrays().iter().map(|array| &array.name);
        Ok(Self { step: batch.step(), copies: arrays.map(read).collect::<Result<_, Error>>()? })
    }

    /// Panics unless the reads equal `expected`, batches on the CPU, one by one, and there is at least one.
    #[track_caller]
    pub fn check_all(reads: &[Self], expected: &[TensorBatch]) {
        assert!(!reads.is_empty() && reads.len() == expected.len(), "{} reads of {}", reads.len(), expected.len());
        reads.iter().zip(expected).for_each(|(read, expected)| read.check(expected));
    }

    /// Panics unless the read equals `expected`, a batch on the CPU. Waits for the current stream, which must be the
    /// one of [`read`](Self::read).
    #[track_caller]
    pub fn check(&self, expected: &TensorBatch) {
        assert_eq!(self.step, expected.step());
        for (name, copy) in &self.copies {
            let (found, expected) = (copy.to_device(Device::Cpu), expected.get(name).expect("all batches have it"));
            assert_eq!(found.kind(), expected.kind(), "{name}");
            assert!(found.equal(expected), "{name} of step {} is not what the loader wrote", self.step);
        }
    }
}
