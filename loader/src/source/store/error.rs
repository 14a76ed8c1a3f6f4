//! [`StoreError`]: why columns do not make a store.

use crate::layout::{ArrayError, SchemaError};

/// Columns do not make a store, because they contradict each other.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Sets, fields and indices do not make a schema.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The size of a graph has not a number of rows for each set.
    #[error("graph {graph} has {found:?} rows, expected a number for each of {expected:?}")]
    Size {
        /// The graph.
        graph: usize,
        /// Its size.
        found: Vec<usize>,
        /// The sets.
        expected: Vec<String>,
    },
    /// A graph needs more memory than there is.
    #[error("graph {graph} has {size:?} rows, more than memory can address")]
    TooLarge {
        /// The graph.
        graph: usize,
        /// Its size.
        size: Vec<usize>,
    },
    /// A graph was not written, or does not fit the schema.
    #[error("graph {graph}: {problem}")]
    Write {
        /// The graph.
        graph: usize,
        /// What is wrong.
        problem: String,
    },
    /// There are not offsets for each set.
    #[error("found {found} lists of offsets, expected one for each of {expected:?}")]
    Sets {
        /// The sets.
        expected: Vec<String>,
        /// Lists found.
        found: usize,
    },
    /// The columns are not those of the schema.
    #[error("found the columns {found:?}, expected {expected:?} with the levels, dtypes and widths of the schema")]
    Fields {
        /// The fields of the schema.
        expected: Vec<String>,
        /// The columns.
        found: Vec<String>,
    },
    /// The indices are not those of the schema.
    #[error("found {found} indices, expected {expected:?}")]
    Indices {
        /// The indices of the schema.
        expected: Vec<String>,
        /// Indices found.
        found: usize,
    },
    /// An index has too few or too many columns.
    #[error("index {index:?} has {found} columns, expected {expected}")]
    Columns {
        /// The index.
        index: String,
        /// Columns in the schema.
        expected: usize,
        /// Columns found.
        found: usize,
    },
    /// Two sets have offsets for different numbers of graphs.
    #[error("the offsets of {first} have {expected} entries, those of {other} {found}")]
    Graphs {
        /// The first set.
        first: String,
        /// Its entries.
        expected: usize,
        /// The other set.
        other: String,
        /// Its entries.
        found: usize,
    },
    /// Offsets do not start with 0.
    #[error("the offsets of {name} must start with 0, found {}", .found.map_or("none".into(), |first| first.to_string()))]
    Start {
        /// The set.
        name: String,
        /// Their first entry.
        found: Option<u64>,
    },
    /// Offsets descend, or leave a graph with more than 2^32 - 1 rows.
    #[error("the offsets of {name} go from {from} to {to} at graph {graph}")]
    Offsets {
        /// The set.
        name: String,
        /// The graph.
        graph: usize,
        /// Their entry for the graph, where the graph's rows start.
        from: u64,
        /// The entry after it, where they end.
        to: u64,
    },
    /// A column of a field is too short or too long.
    #[error("column {field:?} has {found} values, expected {rows} rows x {width}")]
    Values {
        /// Name of the field.
        field: String,
        /// Rows that the offsets require.
        rows: usize,
        /// Values per row.
        width: usize,
        /// Values found.
        found: usize,
    },
    /// A column of an index is too short or too long.
    #[error("column {field:?} has {found} rows, expected {expected}")]
    Rows {
        /// Name of the index.
        field: String,
        /// Rows that the offsets require.
        expected: usize,
        /// Rows found.
        found: usize,
    },
    /// A batch does not carry a field or index.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// The store has no such graph.
    #[error("there is no graph {graph}: the data set has {graphs} graphs, counted from 0")]
    Graph {
        /// The graph.
        graph: usize,
        /// Graphs of the data set.
        graphs: usize,
    },
    /// An index has no inverses, or there is no such index.
    #[error(
        "there is no index {index:?} with two columns into one set; the indices are {}", .available.join(", ")
    )]
    Inverse {
        /// The index asked for.
        index: String,
        /// The indices that there are.
        available: Vec<String>,
    },
    /// Graphs that are written after others have other sets and indices, or a field of another kind.
    #[error("{what}: expected {expected} as in the graphs before, found {found}")]
    Other {
        /// The field, or `sets and indices`.
        what: String,
        /// What the graphs before have.
        expected: String,
        /// What these have.
        found: String,
    },
    /// Rows in a mapped file are not as they were written.
    #[error("{problem}")]
    Damaged {
        /// The file and the rows.
        problem: String,
    },
    /// A part has other fields than the first part.
    #[error("part {part} has other fields than the first")]
    Parts {
        /// The part.
        part: usize,
    },
    /// An index has an entry for a row that its graph does not have.
    #[error("entry {entry} in column {column} of {index:?} of graph {graph} is {row}, but the graph has {rows} {set}")]
    Row {
        /// The index.
        index: String,
        /// The graph.
        graph: usize,
        /// The column.
        column: usize,
        /// The entry, counted within the graph.
        entry: usize,
        /// The entry, counted over all graphs.
        place: usize,
        /// Its value.
        row: i64,
        /// The set that the column points into.
        set: String,
        /// Rows of this set in the graph.
        rows: u32,
    },
}

graphpack_core::debug_is_display!(StoreError);
