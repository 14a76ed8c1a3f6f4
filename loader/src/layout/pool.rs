//! [`Pool`]: recycles the memory of dropped batches for later ones.

use super::{Arena, Memory, Size};
use crate::error::BoxError;
use std::sync::{Arc, Mutex, PoisonError};

/// Holds arenas that no batch uses at the moment.
pub(crate) struct Pool {
    memory: Arc<dyn Memory>,
    /// The most arenas to hold: a consumer that kept all batches of an epoch gives back more than the next one needs.
    most: usize,
    idle: Mutex<Idle>,
}

/// What a batch needs: memory for its arrays, and for the sizes of its graphs.
pub(crate) struct Recycled {
    pub(crate) arena: Box<dyn Arena>,
    pub(crate) sizes: Vec<Size>,
}

struct Idle {
    arenas: Vec<Recycled>,
    /// Bytes, and graphs, of the largest batch so far; batches of several shapes share memory of this size.
    largest: (usize, usize),
}

impl Pool {
    pub(crate) fn new(memory: Arc<dyn Memory>, most: usize) -> Self {
        Self { memory, most, idle: Mutex::new(Idle { arenas: Vec::new(), largest: (0, 0) }) }
    }

    /// Makes memory large enough for a batch of `bytes` bytes and `graphs` graphs from the first batch on.
    pub(crate) fn at_least(&self, bytes: usize, graphs: usize) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.largest = (idle.largest.0.max(bytes), idle.largest.1.max(graphs));
    }

    /// Returns an arena of at least `bytes` bytes and a list with room for the sizes of `graphs` graphs, recycled if
    /// possible, otherwise new. Their contents are arbitrary.
    pub(crate) fn take(&self, bytes: usize, graphs: usize) -> Result<Recycled, MemoryError> {
        let (idle, (bytes, graphs)) = {
            self.at_least(bytes, graphs);
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            (idle.arenas.pop(), idle.largest)
        };
        // An arena that is too small is dropped and replaced.
        if let Some(recycled) = idle.filter(|idle| idle.arena.bytes().len() >= bytes) {
            return Ok(recycled);
        }
        let mut arena = self.memory.allocate(bytes).map_err(|source| MemoryError { bytes, source })?;
        let found = arena.bytes_mut();
        if found.len() < bytes || found.as_ptr().align_offset(8) != 0 {
            let source = format!(
                "the allocator returned {} bytes at {:p}: too few, or not aligned to 8 bytes",
                found.len(),
                found.as_ptr()
            );
            return Err(MemoryError { bytes, source: source.into() });
        }
        Ok(Recycled { arena, sizes: Vec::with_capacity(graphs) })
    }

    pub(crate) fn put(&self, recycled: Recycled) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.arenas.len() < self.most {
            return idle.arenas.push(recycled);
        }
        drop(idle);
        // Freed here, when nobody waits for the lock.
        drop(recycled);
    }
}

/// The memory for a batch cannot be allocated.
#[derive(Debug, thiserror::Error)]
#[error("cannot allocate {bytes} bytes for a batch: {source}")]
pub(crate) struct MemoryError {
    bytes: usize,
    source: BoxError,
}
