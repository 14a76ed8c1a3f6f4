//! [`SlotError`]: why rows of a graph cannot be written or read.

use super::arrays::no_bool;
use super::{Dtype, Schema};
use crate::error::{Cause, Error, ErrorKind, listed};

/// What a source or a map wrote does not fit the schema or the size of the graph.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SlotError {
    #[error("there is no field or index {field}; there {}", listed(.available))]
    Field { field: String, available: Vec<String> },
    #[error("field {field:?} has dtype {expected}, found {found}")]
    Dtype { field: String, expected: Dtype, found: Dtype },
    #[error("field {field:?} has {rows} x {width} values for this graph, found {found}")]
    Length { field: String, rows: usize, width: usize, found: usize },
    #[error("field {field:?} of the graph was not written")]
    Missing { field: String },
    #[error("{field:?} of the graph is written twice, expected once")]
    Twice { field: String },
    #[error("index {index:?} has {expected} columns, found {found}")]
    Columns { index: String, expected: usize, found: usize },
    #[error("the columns of index {index:?} have {rows} entries each for this graph, found columns of {found:?}")]
    Entries { index: String, rows: usize, found: Vec<usize> },
    #[error(
        "{field:?} of the graph is not written: its last values were refused with an error, and no others were set"
    )]
    Refused { field: String },
    #[error(
        "map {map:?} asks for field {field:?}, which batches do not carry: expected it among the fields of the options"
    )]
    MapField { map: String, field: String },
    #[error(
        "map {map:?} changes {input:?}, from which {set:?} were made: expected the map before what makes them (connect, \
         triplets or line_graphs)"
    )]
    MadeFrom { map: String, input: String, set: String },
    #[error("field {field:?} is bool: expected bytes 0 and 1, found {found}")]
    Bool { field: String, found: u8 },
    #[error("{field:?} has {labels} labels: expected a code below {labels}, found {found}")]
    Code { field: String, labels: usize, found: i64 },
    #[error("entry {entry} in column {column} of {index:?} is {row}, but the graph has {rows} {set}")]
    Row { index: String, column: usize, entry: usize, row: i64, set: String, rows: u32 },
    #[error(
        "field {field:?} has NaN for some numbers of the graph, but its mask says only whether the graph has the field: expected a mask of each number (Store::with_masks)"
    )]
    Nan { field: String },
    #[error(
        "{written:?} is written already: expected shrink of {set:?} before anything of {set:?}, or an index into it, is set"
    )]
    Written { set: String, written: String },
    #[error("there is no set {set:?}; there {}", listed(.available))]
    Set { set: String, available: Vec<String> },
    #[error("batches do not carry {index:?}, so it is not known which rows refer to those that are dropped")]
    NotCarried { index: String },
    #[error("{index:?} of the graph refers to row {row} of {set}, which is dropped")]
    Dropped { index: String, row: i64, set: String },
    #[error("the graph has {found} {set}, more than the {planned} that were planned")]
    Rows { set: String, planned: u32, found: usize },
}

impl Cause for SlotError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Field { .. } | Self::Missing { .. } | Self::MapField { .. } => ErrorKind::Missing,
            _ => ErrorKind::Data,
        }
    }
}

impl SlotError {
    /// The error that there is no set of this name.
    pub(crate) fn no_set(set: &str, schema: &Schema) -> Error {
        Self::Set { set: set.to_owned(), available: schema.sets().to_vec() }.into()
    }

    /// The error that not all `bytes` of a field are bools.
    pub(super) fn bools(field: &str, bytes: &[u8]) -> Error {
        Self::Bool { field: field.to_owned(), found: no_bool(bytes) }.into()
    }
}
