//! [`FileState`]: the size and modification time of a file. If they differ later, the file has changed;
//! [`open_regular`]: opens a file that has such a state.

use super::FileError;
use crate::error::Error;
use crate::fingerprint::mix;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// The size of a file and the time of its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileState {
    pub(super) bytes: u64,
    changed: Option<SystemTime>,
}

/// Opens a regular file. Errors if it is something else, before that is opened: a pipe would wait for a writer.
pub(super) fn open_regular(path: &Path) -> io::Result<File> {
    FileState::from_metadata(fs::metadata(path)?)?;
    File::open(path)
}

impl FileState {
    /// The state of a file now. Errors if it is a folder or a device.
    pub(super) fn of(file: &File) -> io::Result<Self> {
        Self::from_metadata(file.metadata()?)
    }

    pub(super) fn from_metadata(metadata: Metadata) -> io::Result<Self> {
        if !metadata.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "expected a file, found something else, such as a folder or a pipe",
            ));
        }
        Ok(Self { bytes: metadata.len(), changed: metadata.modified().ok() })
    }

    /// Returns `hash` with the state mixed in.
    pub(super) fn mix(&self, hash: u64) -> u64 {
        let since = self.changed.and_then(|changed| changed.duration_since(SystemTime::UNIX_EPOCH).ok());
        mix(mix(hash, self.bytes), since.map_or(0, |since| since.as_nanos() as u64))
    }

    /// Errors unless the state `now` is still this one.
    pub(super) fn check(&self, path: &Path, now: io::Result<Self>) -> Result<(), Error> {
        match now {
            Ok(now) if now == *self => Ok(()),
            now => {
                let now = now.map_or(0, |now| now.bytes);
                Err(FileError::Changed { path: path.to_owned(), opened: self.bytes, now }.into())
            }
        }
    }
}
