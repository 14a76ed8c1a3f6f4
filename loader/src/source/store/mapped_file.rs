//! [`MappedFile`]: the bytes of a file, which the system reads when they are needed.

use super::FileError;
use super::file_state::FileState;
use super::map::Map;
use crate::error::IoError;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// The bytes of a file of any format, which the system reads when they are needed and forgets when memory is short. A
/// source of your own reads rows from it.
///
/// The file must not be truncated, and its disk must not fail, as long as it is in use: the system then ends the process
/// with SIGBUS.
#[derive(Clone, Debug)]
pub struct MappedFile(Arc<Map>);

impl MappedFile {
    /// Maps a file, which need not stay open.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        Self::of(path, &File::open(path).map_err(IoError::at(path))?)
    }

    /// Maps a file that is open, and need not stay so. `path` is what errors name, and what [`check`](Self::check) looks at;
    /// a file without a name, for this process alone, needs no check.
    pub fn of(path: impl AsRef<Path>, file: &File) -> Result<Self, FileError> {
        let path = path.as_ref();
        let map = || Map::new(path, file, FileState::of(file)?);
        Ok(Self(Arc::new(map().map_err(IoError::at(path))?)))
    }

    /// All bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    /// Errors if the file changed since it was mapped: for [`Source::check`](crate::Source::check).
    pub fn check(&self) -> Result<(), FileError> {
        self.0.check()
    }
}
