//! [`BatchMemory`]: the memory of a batch, which goes back to its loader.

use crate::layout::{Arena, MemoryError, Pool};
use std::sync::Arc;

/// The memory of a [`Batch`](crate::Batch). It goes back to the loader when it is dropped, from whichever thread.
pub struct BatchMemory {
    /// Taken only when dropped.
    arena: Option<Box<dyn Arena>>,
    /// Bytes of the arrays; the arena may have more.
    bytes: usize,
    pool: Arc<Pool>,
}

impl BatchMemory {
    /// Takes memory for a batch of `bytes` bytes from a pool; its contents are arbitrary.
    pub(super) fn take(pool: &Arc<Pool>, bytes: usize) -> Result<Self, MemoryError> {
        Ok(Self { arena: Some(pool.take(bytes)?), bytes, pool: pool.clone() })
    }

    /// All arrays; [`Batch::layout`](crate::Batch::layout) says where.
    pub fn bytes(&self) -> &[u8] {
        self.arena.as_ref().map_or(&[], |arena| &arena.bytes()[..self.bytes])
    }

    /// All arrays, to be written. They are not cleared before the memory is used again.
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
