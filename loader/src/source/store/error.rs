//! [`StoreError`]: why columns do not make a store.

use crate::error::{Cause, ErrorKind};

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
    #[error(
        "there is no index {index:?} with two columns into one set; the indices are {}", .available.join(", ")
    )]
    Inverse { index: String, available: Vec<String> },
    #[error("{what}: expected {expected} as in the graphs before, found {found}")]
    Other { what: String, expected: String, found: String },
    #[error("part {part} has other fields than the first")]
    Parts { part: usize },
    #[error("entry {entry} in column {column} of {index:?} of graph {graph} is {row}, but the graph has {rows} {set}")]
    Row { index: String, graph: usize, column: usize, entry: usize, place: usize, row: i64, set: String, rows: u32 },
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
            | Self::Row { graph, .. } => Some(graph as u64),
            _ => None,
        }
    }
}
