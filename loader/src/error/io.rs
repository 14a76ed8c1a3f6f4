//! [`IoError`]: an error of reading or writing a file, with the path of the file.

use std::io;
use std::path::{Path, PathBuf};

/// A file cannot be read or written.
#[derive(thiserror::Error)]
#[error("{}: {source}", .path.display())]
pub struct IoError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

impl IoError {
    /// Returns a function for `map_err` that adds `path` to an `io::Error`.
    pub fn at(path: &(impl AsRef<Path> + ?Sized)) -> impl Fn(io::Error) -> Self {
        |source| Self { path: path.as_ref().to_owned(), source }
    }
}

graphpack_core::debug_is_display!(IoError);
