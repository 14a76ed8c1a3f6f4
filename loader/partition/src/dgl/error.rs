//! [`DglError`]: a file in one of DGL's formats that cannot be read or written.

use graphpack_loader::extend::Cause;
use graphpack_loader::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// A file in one of DGL's formats that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DglError {
    #[error("{}, byte {offset}: {what} needs {expected} bytes, the file has {found} more", .path.display())]
    Truncated { path: PathBuf, offset: u64, what: &'static str, expected: u64, found: u64 },
    #[error("{}, byte {offset}: {what} is {found}, expected {expected}", .path.display())]
    Format { path: PathBuf, offset: u64, what: &'static str, expected: String, found: String },
    #[error("{}: {key} is {found}, expected {expected}", .path.display())]
    Key { path: PathBuf, key: String, expected: String, found: String },
    #[error("{} has no part {part}, only {parts}", .path.display())]
    NoPart { path: PathBuf, part: usize, parts: usize },
    #[error("{}: {source}", .path.display())]
    Part { path: PathBuf, source: Error },
}

impl Cause for DglError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoPart { .. } => ErrorKind::Options,
            Self::Part { source, .. } => source.kind(),
            _ => ErrorKind::Format,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Truncated { path, .. }
            | Self::Format { path, .. }
            | Self::Key { path, .. }
            | Self::NoPart { path, .. }
            | Self::Part { path, .. } => Some(path),
        }
    }
}
