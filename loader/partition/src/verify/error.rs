//! [`VerifyError`]: parts that are not those of a graph.

use graphpack_loader::{Cause, ErrorKind};
use std::path::{Path, PathBuf};

/// Parts that are not those of a graph, or cannot be compared with it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum VerifyError {
    #[error("{}: {what} is {found}, expected {expected}", .path.display())]
    Differs { path: PathBuf, what: String, expected: String, found: String },
    #[error(
        "{}: no original ids: expected node_map.npy, orig_nids.dgl in the folders of parts, or an assignment",
        .path.display()
    )]
    NoOwners { path: PathBuf },
}

impl Cause for VerifyError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Format
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Differs { path, .. } | Self::NoOwners { path, .. } => Some(path),
        }
    }
}
