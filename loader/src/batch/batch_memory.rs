//! [`BatchMemory`]: the memory of a batch, which its loader recycles.

use crate::layout::{Arena, MemoryError, Pool};
use std::sync::Arc;

/// The memory of a [`Batch`](crate::Batch). Dropping it, on any thread, returns it to the loader.
pub struct BatchMemory {
    /// `None` only while it is dropped.
    arena: Option<Box<dyn Arena>>,
    /// Number of bytes of the arrays; the arena may have more.
    bytes: usize,
    pool: Arc<Pool>,
}

impl BatchMemory {
    /// Takes memory for a batch of `bytes` bytes from `pool`; its contents are arbitrary.
    pub(super) fn take(pool: &Arc<Pool>, bytes: usize) -> Result<Self, MemoryError> {
        Ok(Self { arena: Some(pool.take(bytes)?), bytes, pool: pool.clone() })
    }

    /// All arrays, to read; [`Batch::layout`](crate::Batch::layout) says where each lies.
    pub fn bytes(&self) -> &[u8] {
        self.arena.as_ref().map_or(&[], |arena| &arena.bytes()[..self.bytes])
    }

    /// All arrays, to write. The memory is not cleared before the next batch is written into it.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.arena.as_mut().map_or(&mut [], |arena| &mut arena.bytes_mut()[..self.bytes])
    }
}

impl Drop for BatchMemory {
    fn drop(&mut self) {
        if let Some(arena) = self.arena.take() {
            self.pool.put(arena);
        }
    }
}
