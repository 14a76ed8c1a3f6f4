//! [`Map`]: a memory-mapped file, which the system reads when its bytes are needed.
#![allow(unsafe_code, reason = "mapping a file is only sound as long as nobody changes it, which callers promise")]

use super::file_state::FileState;
use super::pages::{PAGE, Pages};
use crate::error::Error;
use memmap2::Mmap;
use std::cell::RefCell;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

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

    pub(super) fn state(&self) -> &FileState {
        &self.state
    }

    /// Errors unless the file still has the size and the time of change that it had when it was opened.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.state.check(&self.path, fs::metadata(&self.path).and_then(FileState::from_metadata))
    }

    /// Compares the pages that some bytes of array number `array` are of with their checksums, unless they were before.
    /// Pages of more than `most` bytes are passed over.
    pub(super) fn compare(&self, array: usize, start: usize, bytes: &[u8], most: u64) -> Result<(), Error> {
        thread_local! {
            static ROOM: RefCell<Vec<u8>> = RefCell::new(vec![0; PAGE as usize]);
        }
        let fetch = |offset: u64, into: &mut [u8]| {
            into.copy_from_slice(&self.bytes[offset as usize..offset as usize + into.len()]);
            Ok(true)
        };
        let pages = self.pages.get(array).filter(|pages| pages.unchecked(start as u64, bytes.len()).is_some());
        let Some(pages) = pages else { return Ok(()) };
        ROOM.with_borrow_mut(|room| pages.check(&self.path, (start as u64, bytes), most, room, fetch)).map(|_| ())
    }
}
