//! [`Folder`]: where parts are written, and what is temporary there.

use super::DispatchError;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder that was empty. What is temporary in it is removed when it is dropped; all of it, if [`Folder::keep`] was not called.
pub(super) struct Folder {
    path: PathBuf,
    existed: bool,
    keep: bool,
}

impl Folder {
    pub(super) fn claim(path: &Path) -> Result<Self, DispatchError> {
        let io = |source| DispatchError::Io { path: path.to_owned(), source };
        let existed = path.is_dir();
        fs::create_dir_all(path).map_err(io)?;
        if fs::read_dir(path).map_err(io)?.next().is_some() {
            return Err(io(io::Error::new(io::ErrorKind::AlreadyExists, "the folder is not empty")));
        }
        let folder = Self { path: path.to_owned(), existed, keep: false };
        let temporary = temporary(path);
        fs::create_dir(&temporary).map_err(|source| DispatchError::Io { path: temporary, source })?;
        Ok(folder)
    }

    /// All is written.
    pub(super) fn keep(&mut self) {
        self.keep = true;
    }
}

/// Where files are until parts are written.
pub(super) fn temporary(folder: &Path) -> PathBuf {
    folder.join("dispatch.tmp")
}

/// What cannot be removed stays; there is a more important error then.
impl Drop for Folder {
    fn drop(&mut self) {
        if self.keep {
            let _ = fs::remove_dir_all(temporary(&self.path));
            return;
        }
        if !self.existed {
            let _ = fs::remove_dir_all(&self.path);
            return;
        }
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let path = entry.path();
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
    }
}
