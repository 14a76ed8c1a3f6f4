//! [`Bytes`]: read-only bytes in memory or in a mapped file.

use super::map::Map;
use crate::error::Error;
use memmap2::{Mmap, MmapMut};
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// From this number of bytes on, memory is allocated in huge pages if the system has them.
const LARGE: usize = 4 << 20;

/// Read-only bytes as a [`Store`](crate::Store) keeps its columns: in memory, in huge pages where they are large, or in a
/// mapped file. Your own source keeps its rows in them to be as fast. They may lie at any address, aligned or not.
#[derive(Clone, Debug)]
pub struct Bytes(Place);

#[derive(Clone, Debug)]
enum Place {
    Heap(Vec<u8>),
    /// Huge pages. Graphs in random order touch a page each: with pages of 4 KiB, half of the reading time goes into
    /// finding pages.
    Huge(Arc<Mmap>),
    /// Of the array of the file with this number.
    File {
        map: Arc<Map>,
        array: usize,
        start: usize,
        len: usize,
    },
}

impl Bytes {
    /// Copies bytes.
    pub fn new(bytes: &[u8]) -> Self {
        Self::joined(&[bytes])
    }

    /// Copies pieces, one after the other.
    pub(super) fn joined(pieces: &[&[u8]]) -> Self {
        let copy = |mut into: &mut [u8]| {
            for piece in pieces {
                let (here, rest) = into.split_at_mut(piece.len());
                here.copy_from_slice(piece);
                into = rest;
            }
            Ok(())
        };
        let len = pieces.iter().map(|piece| piece.len()).sum();
        Self::filled(len, copy, |_| ()).unwrap_or_else(|()| Self(Place::Heap(pieces.concat())))
    }

    /// Returns bytes that `fill` writes, which are 0 before. Errors with what `failed` returns if there is no memory.
    pub(super) fn filled<E>(
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
        failed: impl FnOnce(io::Error) -> E,
    ) -> Result<Self, E> {
        if let Some(mut pages) = huge(len) {
            fill(&mut pages)?;
            let pages = pages.make_read_only().map_err(failed)?;
            return Ok(Self(Place::Huge(Arc::new(pages))));
        }
        let mut bytes = Vec::new();
        if let Err(error) = bytes.try_reserve_exact(len) {
            return Err(failed(io::Error::other(error)));
        }
        bytes.resize(len, 0);
        fill(&mut bytes)?;
        Ok(Self(Place::Heap(bytes)))
    }

    /// Some bytes of an array of a mapped file, which there must be.
    pub(super) fn of_file(map: Arc<Map>, array: usize, range: Range<usize>) -> Self {
        Self(Place::File { map, array, start: range.start, len: range.len() })
    }

    /// Errors if some of the bytes are of a mapped file and not as they were written. Each page is compared once,
    /// but for those of more than `most` bytes.
    pub(super) fn check(&self, range: Range<usize>, most: u64) -> Result<(), Error> {
        match &self.0 {
            Place::File { map, array, start, .. } => {
                map.compare(*array, start + range.start, &self.as_slice()[range], most)
            }
            _ => Ok(()),
        }
    }

    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        match &self.0 {
            Place::Heap(bytes) => bytes,
            Place::Huge(pages) => pages,
            Place::File { map, start, len, .. } => &map.bytes()[*start..*start + *len],
        }
    }

    /// Appends bytes in memory; bytes of a file or in huge pages are copied first.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if !matches!(self.0, Place::Heap(_)) {
            self.0 = Place::Heap(self.as_slice().to_vec());
        }
        if let Place::Heap(all) = &mut self.0 {
            all.extend_from_slice(bytes);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.as_slice().len()
    }
}

/// Returns memory in huge pages; `None` if that is too few bytes for them or memory cannot be mapped.
fn huge(bytes: usize) -> Option<MmapMut> {
    if bytes < LARGE {
        return None;
    }
    let pages = MmapMut::map_anon(bytes).ok()?;
    #[cfg(target_os = "linux")]
    // Kernels without huge pages refuse; the memory then has ordinary pages.
    let _ = pages.advise(memmap2::Advice::HugePage);
    Some(pages)
}
