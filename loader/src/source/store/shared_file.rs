//! [`SharedFile`]: a file that others may write to, read by position.

use super::file_state::{FileState, open_regular};
use super::handles::Handles;
use super::read_at::read_at;
use crate::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file of any format that others may write to, read by position. A source of your own copies rows from it.
///
/// It is open while it is read and kept open as long as a process has few files open, as those of
/// [`StoreFiles`](crate::StoreFiles).
#[derive(Clone, Debug)]
pub struct SharedFile(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    state: FileState,
    handles: Handles,
}

impl SharedFile {
    /// Opens a file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref().to_owned();
        let state = open_regular(&path).and_then(|file| FileState::of(&file)).map_err(Error::at(&path))?;
        Ok(Self(Arc::new(Shared { path, state, handles: Handles::new(1) })))
    }

    /// Number of bytes when it was opened.
    pub fn bytes(&self) -> u64 {
        self.0.state.bytes
    }

    /// Reads bytes from `offset` on. Errors if the file has fewer.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Error> {
        let Shared { path, handles, .. } = &*self.0;
        handles.with(0, path, |file| read_at(file, path, offset, into))
    }

    /// Errors if the file changed since it was opened: for a source to ask before and after it reads.
    pub fn check(&self) -> Result<(), Error> {
        let Shared { path, state, .. } = &*self.0;
        state.check(path, fs::metadata(path).and_then(FileState::from_metadata))
    }
}
