//! [`BatchMemory`]: the memory of a batch, which its loader recycles.

use crate::layout::{Arena, MemoryError, Pool, Recycled, Size};
use std::sync::Arc;

/// The memory of a [`Batch`](crate::Batch). Dropping it, on any thread, returns it to the loader.
pub struct BatchMemory {
    /// `None` only while it is dropped.
    arena: Option<Box<dyn Arena>>,
    /// The size of each real graph.
    sizes: Vec<Size>,
    /// Number of bytes of the arrays; the arena may have more.
    bytes: usize,
    pool: Arc<Pool>,
}

impl BatchMemory {
    /// Takes memory for a batch of `bytes` bytes and at most `graphs` graphs from `pool`; its contents are arbitrary.
    pub(super) fn take(pool: &Arc<Pool>, bytes: usize, graphs: usize) -> Result<Self, MemoryError> {
        let Recycled { arena, sizes } = pool.take(bytes, graphs)?;
        Ok(Self { arena: Some(arena), sizes, bytes, pool: pool.clone() })
    }

    /// All arrays, to read; [`BatchInfo::layout`](crate::BatchInfo::layout) says where each lies.
    pub fn bytes(&self) -> &[u8] {
        self.arena.as_ref().map_or(&[], |arena| &arena.bytes()[..self.bytes])
    }

    /// All arrays, to write. The memory is not cleared before the next batch is written into it.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.parts().0
    }

    /// The size of each real graph.
    pub fn sizes(&self) -> &[Size] {
        &self.sizes
    }

    /// The arrays, and the list of the sizes of the graphs, to write.
    pub(super) fn parts(&mut self) -> (&mut [u8], &mut Vec<Size>) {
        let Self { arena, sizes, bytes, .. } = self;
        (arena.as_mut().map_or(&mut [], |arena| &mut arena.bytes_mut()[..*bytes]), sizes)
    }
}

impl Drop for BatchMemory {
    fn drop(&mut self) {
        if let Some(arena) = self.arena.take() {
            self.pool.put(Recycled { arena, sizes: std::mem::take(&mut self.sizes) });
        }
    }
}
