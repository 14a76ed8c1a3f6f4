//! [`DglError`]: files of DGL's that cannot be read or written.

use crate::PartError;
use std::io;
use std::path::PathBuf;

/// A file in one of DGL's formats that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DglError {
    /// The file cannot be read or written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file ends too early.
    #[error("{}, byte {offset}: {what} needs {expected} bytes, the file has {found} more", .path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Where it starts.
        offset: u64,
        /// What does not fit.
        what: &'static str,
        /// Bytes that it has, at least.
        expected: u64,
        /// Bytes that are left.
        found: u64,
    },
    /// Something in the file is not what it must be.
    #[error("{}, byte {offset}: {what} is {found}, expected {expected}", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Where it starts.
        offset: u64,
        /// What is wrong.
        what: &'static str,
        /// What must be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A key of a partition's JSON file is missing or is not what it must be.
    #[error("{}: {key} is {found}, expected {expected}", .path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// The key, with those around it: `part-0.part_graph`.
        key: String,
        /// What it must be.
        expected: String,
        /// What it is.
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
    /// Nodes, edges or features do not belong to the partition.
    #[error("{}: {source}", .path.display())]
    Part {
        /// The file.
        path: PathBuf,
        /// How they disagree.
        #[source]
        source: PartError,
    },
}
