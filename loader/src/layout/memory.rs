//! [`Memory`]: where the bytes of batches live; [`Pool`]: recycles those of dropped batches for later ones.

use super::Size;
use crate::error::BoxError;
use std::sync::{Arc, Mutex, PoisonError};

/// Allocates the memory that batches are written into. The default is [`Heap`]; `graphpack-tch` brings pinned memory.
///
/// ```
/// use graphpack_loader::BoxError;
/// use graphpack_loader::memory::{Arena, Heap, Memory};
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// /// Counts the bytes of all batches. A loader asks for new ones only until it recycles those it has.
/// #[derive(Default)]
/// struct Counted(AtomicUsize);
///
/// impl Memory for Counted {
///     fn allocate(&self, bytes: usize) -> Result<Box<dyn Arena>, BoxError> {
///         self.0.fetch_add(bytes, Ordering::Relaxed);
///         Heap.allocate(bytes)
///     }
/// }
/// # assert!(Counted::default().allocate(100)?.bytes().len() >= 100);
/// # Ok::<(), BoxError>(())
/// ```
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
        let mut arena = self.memory.allocate(bytes).map_err(|why| MemoryError { bytes, why })?;
        let found = arena.bytes_mut();
        if found.len() < bytes || found.as_ptr().align_offset(8) != 0 {
            let why = format!(
                "the allocator returned {} bytes at {:p}: too few, or not aligned to 8 bytes",
                found.len(),
                found.as_ptr()
            );
            return Err(MemoryError { bytes, why: why.into() });
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
#[error("cannot allocate {bytes} bytes for a batch: {why}")]
pub(crate) struct MemoryError {
    bytes: usize,
    why: BoxError,
}
