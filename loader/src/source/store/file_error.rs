//! [`FileError`]: why a file of a store cannot be read or written.

use super::StoreError;
use crate::error::IoError;
use safetensors::SafeTensorError;
use std::io;
use std::ops::Range;
use std::path::PathBuf;

/// A file of a store that cannot be read or written.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] IoError),
    /// Bytes of the file cannot be read.
    #[error("{}: {expected} bytes at offset {offset} cannot be read: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Where the bytes start in the file.
        offset: u64,
        /// Number of bytes.
        expected: usize,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file ends too early: it was truncated after it was opened.
    #[error("{}: expected {expected} bytes at offset {offset}, found {found}: the file was truncated", .path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Where the bytes start in the file.
        offset: u64,
        /// Number of bytes.
        expected: usize,
        /// Bytes that the file still has there.
        found: usize,
    },
    /// The file was changed after it was opened.
    #[error(
        "{} was changed while it was in use: {}", .path.display(),
        if opened == now { format!("it was written to, and has {now} bytes as before") }
        else { format!("it had {opened} bytes, now {now}") }
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// Its length when it was opened.
        opened: u64,
        /// Its length now; 0 if it is gone.
        now: u64,
    },
    /// The file is not a safetensors file, or is cut short.
    #[error("{} is not a whole safetensors file: {source}", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What the format's own check says.
        #[source]
        source: SafeTensorError,
    },
    /// The description of the fields in the file's metadata is not valid.
    #[error("{}: metadata \"graphpack\": {source}", .path.display())]
    Metadata {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// A tensor is missing.
    #[error("{} has no tensor {tensor:?}", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// Its name.
        tensor: String,
    },
    /// A tensor has a dtype or shape that cannot be used.
    #[error("{}: tensor {tensor:?} is {found}, expected {expected}", .path.display())]
    Tensor {
        /// The file.
        path: PathBuf,
        /// Its name.
        tensor: String,
        /// What it must be.
        expected: String,
        /// Its dtype and shape.
        found: String,
    },
    /// The tensors contradict each other.
    #[error("{}: {source}", .path.display())]
    Store {
        /// The file.
        path: PathBuf,
        /// How they disagree.
        #[source]
        source: StoreError,
    },
    /// A tensor is not what it was when the file was written.
    #[error(
        "{}: tensor {tensor:?} is damaged: its checksum is {found:08x}, expected {expected:08x}, over bytes {bytes:?} of \
         the file", .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Its name; `header` for what the file says about all tensors.
        tensor: String,
        /// Where the bytes are in the file.
        bytes: Range<u64>,
        /// The checksum that the file records.
        expected: u32,
        /// The checksum of the bytes.
        found: u32,
    },
    /// The file was written by a later version of this library, whose checksums are not understood.
    #[error("{}: checksums of version {found}, this library reads version {expected}", .path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version that is read.
        expected: u32,
        /// The version of the file.
        found: u32,
    },
    /// The index of a folder is not valid, or contradicts the files that it lists.
    #[error("{}: {problem}", .path.display())]
    Index {
        /// The index.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

graphpack_core::debug_is_display!(FileError);
