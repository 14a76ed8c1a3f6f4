//! [`DglError`]: a file in one of DGL's formats that cannot be read or written.

use crate::PartError;
use graphpack_loader::{FileError, IoError};
use std::path::PathBuf;

/// A file in one of DGL's formats that cannot be read or written.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum DglError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] IoError),
    /// A file of features cannot be read, or changed while it was.
    #[error(transparent)]
    File(Box<FileError>),
    /// The file ends too early.
    #[error("{}, byte {offset}: {what} needs {expected} bytes, the file has {found} more", .path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Its position in the file.
        offset: u64,
        /// What does not fit.
        what: &'static str,
        /// Number of bytes that it needs.
        expected: u64,
        /// Number of bytes left.
        found: u64,
    },
    /// Something in the file is wrong.
    #[error("{}, byte {offset}: {what} is {found}, expected {expected}", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Its position in the file.
        offset: u64,
        /// What is wrong.
        what: &'static str,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// A key of a partition's JSON file is missing or wrong.
    #[error("{}: {key} is {found}, expected {expected}", .path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// The key, preceded by those around it: `part-0.part_graph`.
        key: String,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// There is no such part.
    #[error("{} has no part {part}, only {parts}", .path.display())]
    NoPart {
        /// The file.
        path: PathBuf,
        /// The part asked for.
        part: usize,
        /// Number of parts.
        parts: usize,
    },
    /// Nodes, edges or features disagree with the partition.
    #[error("{}: {source}", .path.display())]
    Part {
        /// The file.
        path: PathBuf,
        /// How they disagree.
        #[source]
        source: PartError,
    },
}

graphpack_core::debug_is_display!(DglError);

impl From<FileError> for DglError {
    fn from(error: FileError) -> Self {
        Self::File(Box::new(error))
    }
}
