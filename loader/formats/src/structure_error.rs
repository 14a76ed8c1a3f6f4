//! [`StructureError`]: what can be wrong with files of structures.

use std::io;
use std::path::PathBuf;

/// Structures that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StructureError {
    /// The file cannot be read: not there, truncated, not gzip.
    #[error("{}, line {line}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The line at which reading failed, from 1.
        line: u64,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A line is not what it must be.
    #[error("{}, line {line}: {found:?} is not {expected}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What must be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// The file ends within a structure.
    #[error("{} ends at line {line}, atom {found} of the {expected} atoms of {name:?}", .path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// The last line.
        line: u64,
        /// The structure.
        name: String,
        /// Atoms that the structure says to have.
        expected: usize,
        /// Atoms found.
        found: usize,
    },
    /// A file of targets does not belong to the structures.
    #[error("{}, line {line}: {what} {found:?}, the structure has {expected:?}", .path.display())]
    Target {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column that disagrees.
        what: &'static str,
        /// What the structure has.
        expected: String,
        /// What the file has.
        found: String,
    },
    /// A file of targets has more or fewer rows than there are structures.
    #[error("{} has {found} rows, expected one for each of {expected} structures", .path.display())]
    Rows {
        /// The file.
        path: PathBuf,
        /// Structures.
        expected: usize,
        /// Rows.
        found: usize,
    },
    /// A file of targets has no such column.
    #[error("{} has no column {column:?}, only {}", .path.display(), .available.join(", "))]
    Column {
        /// The file.
        path: PathBuf,
        /// The column asked for.
        column: String,
        /// Columns of the file.
        available: Vec<String>,
    },
    /// An array of a npz file is missing or is not what it must be.
    #[error("{}: array {array:?} {problem}", .path.display())]
    Array {
        /// The file.
        path: PathBuf,
        /// The array.
        array: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}
