//! [`Pool`]: the memory of batches that are done, for batches to come.

use crate::memory::{Arena, Memory, MemoryError};
use std::sync::{Arc, Mutex, PoisonError};

/// Arenas of one size that no batch uses at the moment. It never holds more than were in flight at once.
pub(crate) struct Pool {
    memory: Arc<dyn Memory>,
    bytes: usize,
    idle: Mutex<Vec<Box<dyn Arena>>>,
}

impl Pool {
    pub(crate) fn new(memory: Arc<dyn Memory>, bytes: usize) -> Self {
        Self { memory, bytes, idle: Mutex::new(Vec::new()) }
    }

    /// A used arena if there is one, else a new one; its contents are arbitrary.
    pub(crate) fn take(&self) -> Result<Box<dyn Arena>, MemoryError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(arena) = idle {
            return Ok(arena);
        }
        let mut arena = self.memory.allocate(self.bytes)?;
        let found = arena.bytes_mut();
        if found.len() < self.bytes || found.as_ptr().align_offset(8) != 0 {
            let source = format!(
                "the memory given has {} bytes at {:p}, not aligned to 8 or too few",
                found.len(),
                found.as_ptr()
            );
            return Err(MemoryError { bytes: self.bytes, source: source.into() });
        }
        Ok(arena)
    }

    pub(crate) fn put(&self, arena: Box<dyn Arena>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(arena);
    }
}
