//! [`Dispatched`]: what was written; [`Progress`]: what is said on the way.

use std::path::PathBuf;

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dispatched {
    /// The JSON file of the partition.
    pub config: PathBuf,
    /// Nodes of all types.
    pub nodes: usize,
    /// Edges of all types.
    pub edges: usize,
    /// Edges whose ends are in different parts.
    pub edge_cut: u64,
}

/// Something has been done by a rank of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// So many more edges were read.
    Edges(usize),
    /// So many more rows of features were read.
    Rows(usize),
    /// A part was written.
    Part,
}
