//! [`Map`]: a memory-mapped file, which the system reads when its bytes are needed.
#![allow(
    unsafe_code,
    reason = "mapping a file is only sound as long as nobody changes it, which is checked as far as can be"
)]

use super::FileError;
use super::file_state::FileState;
use memmap2::Mmap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A mapped file, and its state when it was opened.
#[derive(Debug)]
pub(super) struct Map {
    path: PathBuf,
    bytes: Mmap,
    state: FileState,
}

impl Map {
    /// Maps `file`, which need not stay open.
    pub(super) fn new(path: &Path, file: &File, state: FileState) -> io::Result<Self> {
        // SAFETY: the bytes are only read, through slices of u8, for which any value is valid, and every number that is
        // used as a place is compared with the rows there are where it is used, not before. A file that changes while
        // it is mapped is found by `check` before and after each batch; one that shrinks in between ends in a bus
        // error, not in a wrong read.
        let bytes = unsafe { Mmap::map(file)? };
        Ok(Self { path: path.to_owned(), state, bytes })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn state(&self) -> &FileState {
        &self.state
    }

    /// Errors unless the file still has the size and the time of change that it had when it was opened.
    pub(super) fn check(&self) -> Result<(), FileError> {
        self.state.check(&self.path, fs::metadata(&self.path).and_then(FileState::from_metadata))
    }
}
