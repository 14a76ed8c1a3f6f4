//! [`StoreError`]: why columns do not make a store; [`FileError`]: why a file of a store cannot be read or written.

use crate::error::{Cause, Error, ErrorKind};
use safetensors::SafeTensorError;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Columns do not make a store, because they contradict each other.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("graph {graph} has {found:?} rows, expected a number for each of {expected:?}")]
    Size { graph: usize, found: Vec<usize>, expected: Vec<String> },
    #[error("graph {graph} has {size:?} rows, more than memory can address")]
    TooLarge { graph: usize, size: Vec<usize> },
    #[error("graph {graph}: {problem}")]
    Write { graph: usize, problem: String },
    #[error("found {found} lists of offsets, expected one for each of {expected:?}")]
    Sets { expected: Vec<String>, found: usize },
    #[error("found the columns {found:?}, expected {expected:?} with the levels, dtypes and widths of the schema")]
    Fields { expected: Vec<String>, found: Vec<String> },
    #[error("found {found} indices, expected {expected:?}")]
    Indices { expected: Vec<String>, found: usize },
    #[error("index {index:?} has {found} columns, expected {expected}")]
    Columns { index: String, expected: usize, found: usize },
    #[error("index {index:?} has columns of {found:?} rows, expected {expected} of {set} in each")]
    Entries { index: String, set: String, expected: usize, found: Vec<usize> },
    #[error("the offsets of {first} have {expected} entries, those of {other} {found}")]
    Graphs { first: String, expected: usize, other: String, found: usize },
    #[error("the offsets of {name} must start with 0, found {}", .found.map_or("none".into(), |first| first.to_string()))]
    Start { name: String, found: Option<u64> },
    #[error("the offsets of {name} go from {from} to {to} at graph {graph}")]
    Offsets { name: String, graph: usize, from: u64, to: u64 },
    #[error("column {field:?} has {found} values, expected {rows} rows x {width}")]
    Values { field: String, rows: usize, width: usize, found: usize },
    #[error("column {field:?} has {found} rows, expected {expected}")]
    Rows { field: String, expected: usize, found: usize },
    #[error("there is no graph {graph}: the data set has {graphs} graphs, counted from 0")]
    Graph { graph: usize, graphs: usize },
    #[error("{what}: expected {expected} as in the graphs before, found {found}")]
    Other {
        what: String,
        /// The first of the graphs before that are so.
        graph: u64,
        expected: String,
        found: String,
    },
    #[error(
        "field {field:?} has NaN, values that graphs lack: expected {mask:?} to say so, as bools of graphs, found \
         another field of this name"
    )]
    Mask { field: String, mask: String },
    #[error("{field:?} of graph {graph}: expected a code below {labels}, its number of labels, found {found}")]
    Code { field: String, graph: usize, labels: usize, found: i64 },
    #[error("part {part}, counted from 0, has {found:?}, expected {expected:?} of the same kinds, as the first has")]
    Parts { part: usize, expected: Vec<String>, found: Vec<String> },
    #[error("entry {entry} in column {column} of {index:?} of graph {graph} is {row}, but the graph has {rows} {set}")]
    Row { index: String, graph: usize, column: usize, entry: usize, row: i64, set: String, rows: u32 },
}

impl Cause for StoreError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::TooLarge { .. } => ErrorKind::TooLarge,
            _ => ErrorKind::Data,
        }
    }

    fn graph(&self) -> Option<u64> {
        match *self {
            Self::Size { graph, .. }
            | Self::TooLarge { graph, .. }
            | Self::Write { graph, .. }
            | Self::Offsets { graph, .. }
            | Self::Graph { graph, .. }
            | Self::Code { graph, .. }
            | Self::Row { graph, .. } => Some(graph as u64),
            Self::Other { graph, .. } => Some(graph),
            _ => None,
        }
    }
}

/// A file of a store that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("{}: {expected} bytes at offset {offset} cannot be read: {source}", .path.display())]
    Read { path: PathBuf, offset: u64, expected: usize, source: io::Error },
    #[error("{}: expected {expected} bytes at offset {offset}, found {found}: the file was truncated", .path.display())]
    Truncated { path: PathBuf, offset: u64, expected: usize, found: usize },
    #[error(
        "{} was changed while it was in use: {}", .path.display(),
        if opened == now { format!("it was written to, and has {now} bytes as before") }
        else { format!("it had {opened} bytes, now {now}") }
    )]
    Changed { path: PathBuf, opened: u64, now: u64 },
    #[error("{} is not a whole safetensors file: {source}", .path.display())]
    Format { path: PathBuf, source: SafeTensorError },
    #[error("{}: metadata \"graphpack\": {source}", .path.display())]
    Metadata { path: PathBuf, source: serde_json::Error },
    #[error("{} has no tensor {tensor:?}", .path.display())]
    Missing { path: PathBuf, tensor: String },
    #[error("{}: tensor {tensor:?} is {found}, expected {expected}", .path.display())]
    Tensor { path: PathBuf, tensor: String, expected: String, found: String },
    #[error("{}: {source}", .path.display())]
    Store { path: PathBuf, source: Error },
    #[error("{}: {source}", .path.display())]
    Refused { path: PathBuf, source: Error },
    #[error(
        "{}: tensor {tensor:?} is damaged: its checksum is {found:08x}, expected {expected:08x}, over bytes {bytes:?} of \
         the file", .path.display()
    )]
    Damaged { path: PathBuf, tensor: String, bytes: Range<u64>, expected: u32, found: u32 },
    #[error("{}: checksums of version {found}, this library reads version {expected}", .path.display())]
    Version { path: PathBuf, expected: u32, found: u32 },
    #[error("{}: {problem}", .path.display())]
    Index { path: PathBuf, problem: String },
}

impl Cause for FileError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Read { .. } | Self::Changed { .. } => ErrorKind::File,
            // The file is as it must be.
            Self::Refused { source, .. } => source.kind(),
            _ => ErrorKind::Format,
        }
    }

    fn graph(&self) -> Option<u64> {
        match self {
            Self::Store { source, .. } | Self::Refused { source, .. } => source.graph(),
            _ => None,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Read { path, .. }
            | Self::Truncated { path, .. }
            | Self::Changed { path, .. }
            | Self::Format { path, .. }
            | Self::Metadata { path, .. }
            | Self::Missing { path, .. }
            | Self::Tensor { path, .. }
            | Self::Store { path, .. }
            | Self::Refused { path, .. }
            | Self::Damaged { path, .. }
            | Self::Version { path, .. }
            | Self::Index { path, .. } => Some(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FileError;

    #[test]
    fn a_file_of_the_same_length_is_said_to_be_written_to() {
        let error = |now| FileError::Changed { path: "file".into(), opened: 100, now }.to_string();
        assert!(error(100).ends_with("it was written to, and has 100 bytes as before"), "{}", error(100));
        assert!(error(90).ends_with("it had 100 bytes, now 90"), "{}", error(90));
    }
}
