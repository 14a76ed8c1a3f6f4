//! [`Bytes`]: read-only bytes in memory, in huge pages where they help, or in a mapped file; [`MappedFile`]: any mapped
//! file.
#![allow(unsafe_code, reason = "whoever maps a file promises that nobody changes it")]

use super::pages::{PAGE, Pages};
use super::read_at::{FileState, open_regular};
use crate::error::{Error, file_error};
use memmap2::{Mmap, MmapMut};
use std::cell::RefCell;
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// From this number of bytes on, memory is allocated in huge pages if the system has them.
const LARGE: usize = 4 << 20;

/// Read-only bytes as a [`Store`](crate::Store) keeps its columns: in memory, in huge pages where they are large, or in
/// a mapped file. Your own source keeps its rows in them to be as fast. They may lie at any address, aligned or not.
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

    /// Errors if some of the bytes are of a mapped file and not as they were written. Each page is compared once.
    pub(super) fn check(&self, range: Range<usize>) -> Result<(), Error> {
        match &self.0 {
            Place::File { map, array, start, .. } => map.compare(*array, start + range.start, &self.as_slice()[range]),
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

/// A mapped file, and its state when it was opened.
#[derive(Debug)]
pub(super) struct Map {
    path: PathBuf,
    bytes: Mmap,
    state: FileState,
    /// Arrays in it that have checksums.
    pages: Vec<Pages>,
}

impl Map {
    /// Maps `file`, which need not stay open.
    ///
    /// # Safety
    ///
    /// As long as the map is in use, nobody truncates the file or writes to it.
    pub(super) unsafe fn new(path: &Path, file: &File, state: FileState, pages: Vec<Pages>) -> io::Result<Self> {
        // SAFETY: the caller promises that the bytes stay as they are.
        let bytes = unsafe { Mmap::map(file)? };
        Ok(Self { path: path.to_owned(), state, bytes, pages })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Errors unless the file still has the size and the time of change that it had when it was opened.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.state.check(&self.path, fs::metadata(&self.path).and_then(FileState::from_metadata))
    }

    /// Compares the pages that some bytes of array number `array` are of with their checksums, unless they were before.
    pub(super) fn compare(&self, array: usize, start: usize, bytes: &[u8]) -> Result<(), Error> {
        thread_local! {
            static ROOM: RefCell<Vec<u8>> = RefCell::new(vec![0; PAGE as usize]);
        }
        let fetch = |offset: u64, into: &mut [u8]| {
            into.copy_from_slice(&self.bytes[offset as usize..offset as usize + into.len()]);
            Ok(true)
        };
        let pages = self.pages.get(array).filter(|pages| pages.unchecked(start as u64, bytes.len()).is_some());
        let Some(pages) = pages else { return Ok(()) };
        ROOM.with_borrow_mut(|room| pages.check(&self.path, start as u64, bytes, room, fetch)).map(|_| ())
    }
}

/// A memory-mapped file of any format: the system reads its bytes when they are needed and forgets them when memory is
/// short. A source of your own reads rows from it. [`SharedFile`](crate::store::SharedFile) is for files that others
/// may write to.
#[derive(Clone, Debug)]
pub struct MappedFile(Arc<Map>);

impl MappedFile {
    /// Maps a file, which need not stay open.
    ///
    /// # Safety
    ///
    /// As long as any copy of this is in use, nobody truncates the file or writes to it, and its disk does not fail. If
    /// it is truncated, the system ends the process with SIGBUS; if it is written to, the program is undefined.
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        // SAFETY: what the caller promises.
        unsafe { Self::of(path, &open_regular(path).map_err(file_error(path))?) }
    }

    /// Maps an open file, which may be closed afterwards. Errors name `path`, where [`check`](Self::check) looks for
    /// changes. A file without a name, which no other process can open, needs no check.
    ///
    /// # Safety
    ///
    /// As for [`open`](Self::open). A file without a name is safe once this process no longer writes to it.
    pub unsafe fn of(path: impl AsRef<Path>, file: &File) -> Result<Self, Error> {
        let path = path.as_ref();
        // SAFETY: what the caller promises.
        let map = || unsafe { Map::new(path, file, FileState::of(file)?, Vec::new()) };
        Ok(Self(Arc::new(map().map_err(file_error(path))?)))
    }

    /// All bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    /// Errors if the file changed since it was mapped: for a source to ask before and after it reads.
    pub fn check(&self) -> Result<(), Error> {
        self.0.check()
    }
}

/// Bytes that the processor reads at once.
const LINE: usize = 64;

/// Hints to the processor that `bytes` will be read soon; nothing else changes. A source in memory may call it in
/// [`Source::prepare`](crate::Source::prepare).
///
/// Reading graphs in random order mostly waits for memory: with a hint one graph ahead, 100,000 graphs of QM9's sizes
/// take 0.64 of the time.
#[inline]
pub fn will_read(bytes: &[u8]) {
    // Over slices: a loop over offsets is unrolled, and with eight hints in a row the same graphs take 1.3 times as
    // long.
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch changes nothing that a program can see, whatever the address; this one is of a slice.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}
