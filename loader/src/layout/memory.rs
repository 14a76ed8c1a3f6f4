//! [`Memory`]: where the bytes of batches live.

use crate::error::BoxError;

/// Allocates the memory that batches are written into. The default is [`Heap`]; `graphpack-tch` brings pinned memory.
pub trait Memory: Send + Sync {
    /// Allocates at least `bytes` zeroed bytes, aligned to at least 8.
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Arena>, BoxError>;
}

/// The memory of one batch, which holds all its arrays one after the other. Several threads may read it at once.
pub trait Arena: Send + Sync + 'static {
    /// All bytes, to read.
    fn bytes(&self) -> &[u8];
    /// All bytes, to write.
    fn bytes_mut(&mut self) -> &mut [u8];
}

/// Allocates batches on the heap.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap;

/// Words of 8 bytes, so that every dtype is aligned, from the first on that begins a cache line: JAX takes over arrays
/// that are aligned to 64 bytes, and copies others.
struct Words {
    words: Vec<u64>,
    first: usize,
}

/// Words of a cache line.
const LINE: usize = 8;

impl Memory for Heap {
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Arena>, BoxError> {
        let count = bytes.div_ceil(8);
        let mut words: Vec<u64> = Vec::new();
        words.try_reserve_exact(count + LINE - 1)?;
        let first = words.as_ptr().align_offset(8 * LINE).min(LINE - 1);
        words.resize(first + count, 0);
        Ok(Box::new(Words { words, first }))
    }
}

impl Arena for Words {
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words[self.first..])
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.words[self.first..])
    }
}
