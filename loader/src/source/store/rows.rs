//! [`Rows`]: the rows of neighbouring graphs of a file, as read from it.

use crate::layout::MAX_SETS;

/// The rows of neighbouring graphs: those of the first field, then those of the next one, and after all fields those of
/// each column of each index.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The first graph, counted within its file.
    pub(super) graph: usize,
    /// The first row of each set, and at the end `graph` again, for fields of graphs.
    pub(super) first: [usize; MAX_SETS + 1],
    /// Where the rows of each column start in `bytes`.
    pub(super) starts: Vec<usize>,
    /// Only the first bytes are in use, so that no memory is cleared for each reading.
    pub(super) bytes: Vec<u8>,
}

impl Rows {
    /// Memory for `columns` columns of together this many bytes.
    pub(super) fn with_capacity(columns: usize, bytes: usize) -> Self {
        let (mut rows, starts) = (Self::default(), Vec::with_capacity(columns));
        rows.starts = starts;
        rows.bytes.reserve_exact(bytes);
        rows
    }
}
