//! [`Memory`]: where the bytes of batches live.

use std::error::Error;

/// Allocates the memory that batches are written into. The default is [`Heap`]; `graphpack-tch` brings pinned memory.
pub trait Memory: Send + Sync {
    /// Allocates at least `bytes` zeroed bytes, aligned to at least 8.
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Arena>, MemoryError>;
}

/// The memory of one batch, which holds all its arrays one after the other. Several threads may read it at once.
pub trait Arena: Send + Sync + 'static {
    /// All bytes, to read.
    fn bytes(&self) -> &[u8];
    /// All bytes, to write.
    fn bytes_mut(&mut self) -> &mut [u8];
}

/// The memory for a batch cannot be allocated.
#[derive(thiserror::Error)]
#[error("cannot allocate {bytes} bytes for a batch: {source}")]
pub struct MemoryError {
    /// Bytes requested.
    pub bytes: usize,
    /// The reason.
    #[source]
    pub source: Box<dyn Error + Send + Sync>,
}

graphpack_core::debug_is_display!(MemoryError);

/// Allocates batches on the heap.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap;

/// Words of 8 bytes, so that every dtype is aligned.
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
