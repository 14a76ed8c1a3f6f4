//! [`Bytes`]: read-only bytes in memory or in a mapped file.

use super::map::Map;
use memmap2::{Mmap, MmapMut};
use std::sync::Arc;

/// From this number of bytes on, memory is allocated in huge pages if the system has them.
const LARGE: usize = 4 << 20;

/// Bytes that a store keeps. They need no alignment: columns are copied, numbers are read byte by byte.
#[derive(Clone, Debug)]
pub(super) enum Bytes {
    Heap(Vec<u8>),
    /// Huge pages. Graphs in random order touch a page each: with pages of 4 KiB, half of the reading time goes into
    /// finding pages.
    Huge(Arc<Mmap>),
    File {
        map: Arc<Map>,
        start: usize,
        len: usize,
    },
}

impl Bytes {
    pub(super) fn new(bytes: &[u8]) -> Self {
        huge(bytes).map_or_else(|| Self::Heap(bytes.to_vec()), |pages| Self::Huge(Arc::new(pages)))
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Heap(bytes) => bytes,
            Self::Huge(pages) => pages,
            Self::File { map, start, len } => &map.bytes()[*start..*start + *len],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.as_slice().len()
    }
}

/// Copies `bytes` into huge pages; `None` if there are too few bytes or memory cannot be mapped.
fn huge(bytes: &[u8]) -> Option<Mmap> {
    if bytes.len() < LARGE {
        return None;
    }
    let mut pages = MmapMut::map_anon(bytes.len()).ok()?;
    #[cfg(target_os = "linux")]
    // Kernels without huge pages refuse; the memory then has ordinary pages.
    let _ = pages.advise(memmap2::Advice::HugePage);
    pages.copy_from_slice(bytes);
    pages.make_read_only().ok()
}
