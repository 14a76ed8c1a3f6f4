//! [`Memory`]: where the bytes of batches live.

use std::error::Error;

/// Gives the memory that batches are collated into. The heap is the default; the bridge to libtorch has pinned memory.
pub trait Memory: Send + Sync {
    /// `bytes` zeroed bytes, aligned to at least 8.
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Arena>, MemoryError>;
}

/// The memory of one batch: all its arrays, one after the other.
pub trait Arena: Send + 'static {
    /// The bytes.
    fn bytes(&self) -> &[u8];
    /// The bytes, to be written.
    fn bytes_mut(&mut self) -> &mut [u8];
}

/// Memory for a batch cannot be had.
#[derive(Debug, thiserror::Error)]
#[error("cannot allocate {bytes} bytes for a batch: {source}")]
pub struct MemoryError {
    /// Bytes asked for.
    pub bytes: usize,
    /// Why not.
    #[source]
    pub source: Box<dyn Error + Send + Sync>,
}

/// Batches on the heap.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap;

/// Words, so that every dtype is aligned.
struct Words(Vec<u64>);

impl Memory for Heap {
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Arena>, MemoryError> {
        let words = bytes.div_ceil(8);
        let mut memory = Vec::new();
        memory.try_reserve_exact(words).map_err(|source| MemoryError { bytes, source: Box::new(source) })?;
        memory.resize(words, 0);
        Ok(Box::new(Words(memory)))
    }
}

impl Arena for Words {
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}
