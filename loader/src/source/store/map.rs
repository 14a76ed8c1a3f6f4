//! [`Map`]: a memory-mapped file, which the system reads when its bytes are needed.
#![allow(
    unsafe_code,
    reason = "mapping a file is only sound as long as nobody changes it, which is checked as far as can be"
)]

use memmap2::Mmap;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A mapped file, and its state when it was opened.
#[derive(Debug)]
pub(super) struct Map {
    path: PathBuf,
    bytes: Mmap,
    state: State,
}

impl Map {
    /// Maps `file`, which need not stay open.
    pub(super) fn new(path: &Path, file: &File, state: State) -> io::Result<Self> {
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

    /// Errors unless the file still has the size and the time of change that it had when it was opened.
    pub(super) fn check(&self) -> Result<(), Changed> {
        self.state.check(&self.path, fs::metadata(&self.path).and_then(State::from_metadata))
    }
}

/// The size of a file and the time of its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) bytes: u64,
    changed: Option<SystemTime>,
}

impl State {
    /// The state of a file now. Errors if it is a folder or a device.
    pub(super) fn of(file: &File) -> io::Result<Self> {
        Self::from_metadata(file.metadata()?)
    }

    fn from_metadata(metadata: Metadata) -> io::Result<Self> {
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
        }
        Ok(Self { bytes: metadata.len(), changed: metadata.modified().ok() })
    }

    /// Errors unless the state `now` is still this one.
    pub(super) fn check(&self, path: &Path, now: io::Result<Self>) -> Result<(), Changed> {
        match now {
            Ok(now) if now == *self => Ok(()),
            now => Err(Changed { path: path.to_owned(), opened: self.bytes, now: now.map_or(0, |now| now.bytes) }),
        }
    }
}

/// A file was changed while it was in use.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} was changed while it was in use: it had {opened} bytes, now {now}", .path.display())]
pub struct Changed {
    path: PathBuf,
    opened: u64,
    now: u64,
}

graphpack_core::debug_is_display!(Changed);
