//! [`Dispatched`]: the result of a run; [`Progress`]: what a run reports while it works.

use std::path::PathBuf;

/// What a run wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dispatched {
    /// The JSON file of the partition.
    pub config: PathBuf,
    /// Number of nodes of all types.
    pub nodes: usize,
    /// Number of edges of all types.
    pub edges: usize,
    /// Number of edges whose ends are in different parts.
    pub edge_cut: u64,
    /// Number of parts that an earlier run had written, and that this one kept.
    pub kept: usize,
}

/// What a rank of this process has done since the last report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// Read a number of edges.
    Edges(usize),
    /// Read a number of rows of features.
    Rows(usize),
    /// Wrote a part.
    Part,
}
