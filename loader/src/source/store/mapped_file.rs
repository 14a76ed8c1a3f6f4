//! [`MappedFile`]: the bytes of a file, which the system reads when they are needed.
#![allow(unsafe_code, reason = "whoever maps a file promises that nobody changes it")]

use super::file_state::{FileState, open_regular};
use super::map::Map;
use crate::error::Error;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// A memory-mapped file of any format: the system reads its bytes when they are needed and forgets them when memory is
/// short. A source of your own reads rows from it. [`SharedFile`](crate::SharedFile) is for files that others may write to.
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
        unsafe { Self::of(path, &open_regular(path).map_err(Error::at(path))?) }
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
        Ok(Self(Arc::new(map().map_err(Error::at(path))?)))
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
