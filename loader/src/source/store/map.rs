//! [`Map`]: a memory-mapped file, which the system reads when its bytes are needed.
#![allow(
    unsafe_code,
    reason = "mapping a file is only sound as long as nobody changes it, which is checked as far as can be"
)]

use memmap2::Mmap;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A mapped file, and its size and time of change when it was opened.
#[derive(Debug)]
pub(super) struct Map {
    path: PathBuf,
    file: File,
    bytes: Mmap,
    opened: (u64, Option<SystemTime>),
}

impl Map {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
        }
        // SAFETY: the bytes are only read, through slices of u8, for which any value is valid. A file that shrinks
        // while it is mapped is found by `check` before and after each batch; what lies between ends in a bus error,
        // not in a wrong read.
        let bytes = unsafe { Mmap::map(&file)? };
        Ok(Self { path: path.to_owned(), opened: state(&metadata), file, bytes })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Errors unless the file still has the size and the time of change that it had when it was opened.
    pub(super) fn check(&self) -> Result<(), Changed> {
        let now = self.file.metadata().map(|metadata| state(&metadata));
        match now {
            Ok(now) if now == self.opened => Ok(()),
            Ok(now) => Err(Changed { path: self.path.clone(), opened: self.opened.0, now: now.0 }),
            Err(_) => Err(Changed { path: self.path.clone(), opened: self.opened.0, now: 0 }),
        }
    }
}

fn state(metadata: &Metadata) -> (u64, Option<SystemTime>) {
    (metadata.len(), metadata.modified().ok())
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
