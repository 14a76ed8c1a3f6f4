//! [`Pinned`]: memory for batches that a GPU can read without the CPU.

use crate::ffi::pinned;
use crate::{BridgeError, Error};
use graphpack_loader::BoxError;
use graphpack_loader::memory::{Arena, Memory};
use std::ptr::NonNull;
use tch::Tensor;

/// Page-locked memory of the host, from libtorch: copies from it to a CUDA device do not wait.
///
/// ```no_run
/// use graphpack_loader::{Loader, Options, molecules};
/// use graphpack_tch::Pinned;
///
/// let device = graphpack_tch::device("cuda:1")?; // before anything else with CUDA
/// let loader = Loader::new(molecules::generate(1, 100), Options::default().memory(Pinned))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Pinned;

/// A byte tensor with a single owner.
struct PinnedBytes {
    /// Owns the memory.
    _tensor: Tensor,
    data: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the pointer is to the memory of the tensor, which may be used on any thread.
unsafe impl Send for PinnedBytes {}

// SAFETY: what is shared between threads is the memory, as a slice; the tensor is only dropped, by its single owner.
unsafe impl Sync for PinnedBytes {}

impl Memory for Pinned {
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Arena>, BoxError> {
        let zeros = || -> Result<Tensor, Error> {
            // The arena is read as a whole, gaps between arrays included.
            Ok(pinned(bytes.max(1)).map_err(BridgeError::cannot("allocate page-locked memory"))?.f_zero_()?)
        };
        let tensor = zeros()?;
        match NonNull::new(tensor.data_ptr().cast::<u8>()) {
            Some(data) => Ok(Box::new(PinnedBytes { _tensor: tensor, data, bytes })),
            None => Err("libtorch gave no memory".into()),
        }
    }
}

impl Arena for PinnedBytes {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the tensor has `bytes` initialised bytes from `data` on, lives as long as self, and has no other
        // owner.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.bytes) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and self is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr(), self.bytes) }
    }
}
