//! [`Memory`]: where the bytes of batches live, and the pool that recycles them.

use std::any::Any;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

/// Gives the memory that batches are collated into. The heap is the default; the bridge to libtorch has pinned memory.
pub trait Memory: Send + Sync {
    /// `bytes` zeroed bytes, aligned to at least 8.
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Arena>, MemoryError>;
}

/// The memory of one batch: all its arrays, one after the other.
pub trait Arena: Send + Any {
    /// The bytes.
    fn bytes(&self) -> &[u8];
    /// The bytes, to be written.
    fn bytes_mut(&mut self) -> &mut [u8];
}

/// Memory for a batch cannot be had.
#[derive(Debug, thiserror::Error)]
#[error("cannot allocate {bytes} bytes for a batch")]
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
        idle.map_or_else(|| self.memory.allocate(self.bytes), Ok)
    }

    pub(crate) fn put(&self, arena: Box<dyn Arena>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(arena);
    }
}
