//! [`Pinned`]: memory for batches that a GPU can fetch from without the CPU.

use graphpack_loader::{Arena, Memory, MemoryError};
use tch::{Device, Kind, Tensor};

/// Page-locked memory, from libtorch. Needs CUDA: call [`device`](crate::device) first.
///
/// ```no_run
/// use graphpack_loader::{Loader, molecules};
///
/// let device = graphpack_tch::device("cuda")?;
/// let loader = Loader::new(molecules::generate(1, 100)).memory(graphpack_tch::Pinned).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Pinned;

/// A byte tensor that nobody else has.
struct PinnedBytes {
    tensor: Tensor,
    bytes: usize,
}

impl Memory for Pinned {
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Arena>, MemoryError> {
        let tensor = Tensor::f_zeros([bytes as i64], (Kind::Uint8, Device::Cpu))
            .and_then(|tensor| tensor.f_pin_memory(Device::Cuda(0)));
        match tensor {
            Ok(tensor) => Ok(Box::new(PinnedBytes { tensor, bytes })),
            Err(error) => Err(MemoryError { bytes, source: Box::new(error) }),
        }
    }
}

impl Arena for PinnedBytes {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the tensor has `bytes` initialised bytes, lives as long as self, and nobody else has it.
        unsafe { std::slice::from_raw_parts(self.tensor.data_ptr().cast::<u8>(), self.bytes) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and self is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.tensor.data_ptr().cast::<u8>(), self.bytes) }
    }
}
