//! [`FileError`]: files of stores that cannot be read or written.

use super::StoreError;
use safetensors::SafeTensorError;
use std::io;
use std::path::PathBuf;

/// A file of a store that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be read or written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file is no safetensors file, or not all of it is there.
    #[error("{} is not a whole safetensors file: {source}", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What the format's own check says.
        #[source]
        source: SafeTensorError,
    },
    /// What the file says of its fields is not JSON as it must be.
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
        expected: &'static str,
        /// Its dtype and shape.
        found: String,
    },
    /// Tensors do not belong together.
    #[error("{}: {source}", .path.display())]
    Store {
        /// The file.
        path: PathBuf,
        /// How they disagree.
        #[source]
        source: StoreError,
    },
    /// A tensor is not what it was when the file was written.
    #[error("{}: tensor {tensor:?} is damaged: its checksum is {found:08x}, written was {expected:08x}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Its name.
        tensor: String,
        /// The checksum in the file.
        expected: u32,
        /// That of the bytes.
        found: u32,
    },
    /// An index of shards is not as it must be.
    #[error("{}: {problem}", .path.display())]
    Index {
        /// The index.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}
