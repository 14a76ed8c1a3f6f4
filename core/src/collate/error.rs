//! [`CollateError`]: why there is no layout, or a graph cannot be written.

use super::Dtype;

/// A layout, its memory or a graph cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CollateError {
    /// There is no such layout.
    #[error("{problem}")]
    Layout {
        /// What is wrong.
        problem: &'static str,
    },
    /// The memory is too small or not aligned.
    #[error("expected {expected} bytes of memory, aligned to 8, found {found} at address {address}")]
    Memory {
        /// Bytes of the batch.
        expected: usize,
        /// Bytes of the memory.
        found: usize,
        /// Address of the memory.
        address: usize,
    },
    /// The batch has too few rows left of a set, or graphs.
    #[error("the batch has room for {left} more {of} beside padding, found {wanted}")]
    Full {
        /// Name of the set, or `graphs`.
        of: &'static str,
        /// Rows of the graph, or 1.
        wanted: u32,
        /// Rows or graphs that are left, without those for padding.
        left: u32,
    },
    /// The id of a graph is negative, as those of padding are.
    #[error("expected a graph id of at least 0, found {found}")]
    Id {
        /// The id.
        found: i64,
    },
    /// There is no field or no index at this position.
    #[error("expected a position below {count}, found {position}")]
    Position {
        /// The position.
        position: usize,
        /// Number of fields, or of indices.
        count: usize,
    },
    /// There is another number of something: sets of a size, columns of an index, values of a field.
    #[error("{of} has {expected} {what}, found {found}")]
    Count {
        /// Name of the field or index, or what else it is of.
        of: &'static str,
        /// What is counted.
        what: &'static str,
        /// The number that belongs there.
        expected: usize,
        /// The number that was given.
        found: usize,
    },
    /// Values have another dtype than their field.
    #[error("field {name:?} has dtype {expected}, found {found}")]
    Dtype {
        /// Name of the field.
        name: &'static str,
        /// Its dtype.
        expected: Dtype,
        /// That of the values.
        found: Dtype,
    },
    /// More entries of an index point to a row than batches hold as its [`Neighbours`](super::Neighbours).
    #[error("row {row} has {found} neighbours in {name:?}, expected at most {most}")]
    Neighbours {
        /// Name of the index.
        name: &'static str,
        /// The row of the graph.
        row: usize,
        /// The most neighbours.
        most: u32,
        /// The neighbours of the row.
        found: usize,
    },
    /// An index has an entry for a row that the graph does not have.
    #[error("entry {entry} in column {column} of {name:?} is {found}, but the graph has {rows} {set}")]
    Row {
        /// Name of the index.
        name: &'static str,
        /// Column of the index.
        column: usize,
        /// The entry, counted from 0.
        entry: usize,
        /// The row that it is for.
        found: i64,
        /// Rows of the graph.
        rows: u32,
        /// Name of their set.
        set: &'static str,
    },
}

crate::debug_is_display::debug_is_display!(CollateError);
