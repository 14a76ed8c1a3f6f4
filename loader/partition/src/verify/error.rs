//! [`VerifyError`]: parts that are not those of a graph.

use crate::dgl::DglError;
use crate::{AssignmentError, AssignmentFileError, ChunkedError, DispatchError};
use graphpack_loader::IoError;
use std::path::PathBuf;

/// Parts that are not those of a graph, or cannot be compared with it.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A file cannot be read.
    #[error(transparent)]
    Io(#[from] IoError),
    /// Something in a file of the partition differs from the graph.
    #[error("{}: {what} is {found}, expected {expected}", .path.display())]
    Differs {
        /// The file.
        path: PathBuf,
        /// What differs: the array, the row, and which node or edge that is.
        what: String,
        /// What the graph has.
        expected: String,
        /// What the file has.
        found: String,
    },
    /// Nothing says which node of the graph a node of a part is.
    #[error(
        "{}: no original ids: expected node_map.npy, orig_nids.dgl in the folders of parts, or an assignment",
        .path.display()
    )]
    NoOwners {
        /// The JSON file of the partition.
        path: PathBuf,
    },
    /// The graph cannot be read.
    #[error(transparent)]
    Chunked(#[from] ChunkedError),
    /// A file of the partition is damaged, or contradicts the JSON file.
    #[error(transparent)]
    Dgl(#[from] DglError),
    /// The assignment is for another graph.
    #[error(transparent)]
    Assignment(#[from] AssignmentError),
    /// The assignment cannot be read.
    #[error(transparent)]
    AssignmentFile(#[from] AssignmentFileError),
    /// The nodes cannot be numbered.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
}

graphpack_core::debug_is_display!(VerifyError);
