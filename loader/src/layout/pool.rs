//! [`Pool`]: the memory of batches that are done, for batches to come.

use super::{Arena, Memory, MemoryError};
use std::sync::{Arc, Mutex, PoisonError};

/// Arenas that no batch uses at the moment. It never holds more than were in flight at once.
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

    /// At least `bytes` bytes: a used arena if there is one, else a new one; its contents are arbitrary.
    pub(crate) fn take(&self, bytes: usize) -> Result<Box<dyn Arena>, MemoryError> {
        let (idle, bytes) = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.largest = idle.largest.max(bytes);
            (idle.arenas.pop(), idle.largest)
        };
        // One that is too small gives way to one that is not.
        if let Some(arena) = idle.filter(|arena| arena.bytes().len() >= bytes) {
            return Ok(arena);
        }
        let mut arena = self.memory.allocate(bytes)?;
        let found = arena.bytes_mut();
        if found.len() < bytes || found.as_ptr().align_offset(8) != 0 {
            let source = format!(
                "the memory given has {} bytes at {:p}, not aligned to 8 or too few",
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
