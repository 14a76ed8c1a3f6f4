//! [`Pool`]: recycles the memory of dropped batches for later ones.

use super::{Arena, Memory, MemoryError};
use std::sync::{Arc, Mutex, PoisonError};

/// Holds the arenas that no batch uses at the moment, at most as many as were in use at once.
pub(crate) struct Pool {
    memory: Arc<dyn Memory>,
    idle: Mutex<Idle>,
}

struct Idle {
    arenas: Vec<Box<dyn Arena>>,
    /// Bytes of the largest batch so far; batches of several shapes share arenas of this size.
    largest: usize,
}

impl Pool {
    pub(crate) fn new(memory: Arc<dyn Memory>) -> Self {
        Self { memory, idle: Mutex::new(Idle { arenas: Vec::new(), largest: 0 }) }
    }

    /// Returns an arena of at least `bytes` bytes, recycled if possible, otherwise new. Its contents are arbitrary.
    pub(crate) fn take(&self, bytes: usize) -> Result<Box<dyn Arena>, MemoryError> {
        let (idle, bytes) = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.largest = idle.largest.max(bytes);
            (idle.arenas.pop(), idle.largest)
        };
        // An arena that is too small is dropped and replaced.
        if let Some(arena) = idle.filter(|arena| arena.bytes().len() >= bytes) {
            return Ok(arena);
        }
        let mut arena = self.memory.allocate(bytes)?;
        let found = arena.bytes_mut();
        if found.len() < bytes || found.as_ptr().align_offset(8) != 0 {
            let source = format!(
                "the allocator returned {} bytes at {:p}: too few, or not aligned to 8 bytes",
                found.len(),
                found.as_ptr()
            );
            return Err(MemoryError { bytes, source: source.into() });
        }
        Ok(arena)
    }

    pub(crate) fn put(&self, arena: Box<dyn Arena>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).arenas.push(arena);
    }
}
