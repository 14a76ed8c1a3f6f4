//! [`SlotError`]: why a graph cannot be written into a batch.

use super::Dtype;
use crate::error::listed;

/// What a source or a map wrote does not fit the schema or the size of the graph.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SlotError {
    /// The schema has no such field or index.
    #[error("there is no field or index {field}; there {}", listed(.available))]
    Field {
        /// Its name in quotes, or its position in the call.
        field: String,
        /// Names of the fields, or of the indices.
        available: Vec<String>,
    },
    /// The values have another dtype than the field.
    #[error("field {field:?} has dtype {expected}, found {found}")]
    Dtype {
        /// Name of the field.
        field: String,
        /// Dtype in the schema.
        expected: Dtype,
        /// Dtype that was written.
        found: Dtype,
    },
    /// There are more or fewer values than the size of the graph requires.
    #[error("field {field:?} has {rows} x {width} values for this graph, found {found}")]
    Length {
        /// Name of the field or index.
        field: String,
        /// Rows that the graph has, or columns of an index.
        rows: usize,
        /// Values per row, or entries per column of an index.
        width: usize,
        /// Values that were written.
        found: usize,
    },
    /// A field or index was not written.
    #[error("field {field:?} of the graph was not written")]
    Missing {
        /// Its name.
        field: String,
    },
    /// A map asks for a field that batches do not carry.
    #[error(
        "map {map:?} asks for field {field:?}, which batches do not carry: expected it among the fields of the options"
    )]
    MapField {
        /// The name of the map.
        map: String,
        /// The name of the field.
        field: String,
    },
    /// A byte of a bool field is neither 0 nor 1.
    #[error("field {field:?} is bool: expected bytes 0 and 1, found {found}")]
    Bool {
        /// Name of the field.
        field: String,
        /// The first other byte.
        found: u8,
    },
    /// An index has an entry for a row that the graph does not have.
    #[error("entry {entry} in column {column} of {index:?} is {row}, but the graph has {rows} {set}")]
    Row {
        /// Name of the index.
        index: String,
        /// The column.
        column: usize,
        /// The entry, counted within the graph.
        entry: usize,
        /// Its value.
        row: i64,
        /// The set that the column points into.
        set: String,
        /// Rows of this set in the graph.
        rows: u32,
    },
    /// A set is to have fewer rows, but something of it is written already.
    #[error("{written:?} is written, expected that {set} gets fewer rows before")]
    Written {
        /// The set.
        set: String,
        /// The field or index.
        written: String,
    },
    /// The schema has no such set.
    #[error("there is no set {set:?}; there {}", listed(.available))]
    Set {
        /// The set asked for.
        set: String,
        /// The sets that there are.
        available: Vec<String>,
    },
    /// Rows of a set were dropped, but what refers to them is not known.
    #[error("batches do not carry {index:?}, so it is not known which rows refer to those that are dropped")]
    NotCarried {
        /// The index into the set.
        index: String,
    },
    /// An index of the graph itself refers to a row that was dropped.
    #[error("{index:?} of the graph refers to row {row} of {set}, which is dropped")]
    Dropped {
        /// The index.
        index: String,
        /// The row.
        row: i64,
        /// Its set.
        set: String,
    },
    /// A set got more rows than were planned.
    #[error("the graph has {found} {set}, more than the {planned} that were planned")]
    Rows {
        /// The set.
        set: String,
        /// Rows planned.
        planned: u32,
        /// Rows found.
        found: usize,
    },
}

graphpack_core::debug_is_display!(SlotError);

impl SlotError {
    /// The error that not all `bytes` of a field are bools.
    pub(super) fn bools(field: &str, bytes: &[u8]) -> Self {
        Self::Bool { field: field.to_owned(), found: no_bool(bytes) }
    }
}

/// The first byte that is not a bool.
pub(super) fn no_bool(bytes: &[u8]) -> u8 {
    bytes.iter().copied().find(|&byte| byte > 1).unwrap_or_default()
}
