//! [`ClustersError`]: why parts cannot be graphs of a loader.

use graphpack_loader::extend::Cause;
use graphpack_loader::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// Parts that cannot be graphs of a loader.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClustersError {
    #[error("part {part}: {source}")]
    Part { part: usize, source: Error },
    #[error("part {part} was given twice")]
    Twice { part: usize },
    #[error("part {part} has feature {feature} {found}, part {first} has it {expected}")]
    Differs { part: usize, first: usize, feature: String, expected: String, found: String },
    #[error(
        "part {part} has nodes or edges of part {owner} in its HALO, which was not given: give all parts, or ask for clusters without HALO"
    )]
    Missing { part: usize, owner: usize },
    #[error("original ids of {found} nodes of type {node_type}, the partition has {expected}")]
    Ids { node_type: String, expected: usize, found: usize },
    #[error("original ids are to be read from files, but the parts are in memory: give the ids (NodeIds::Original)")]
    NoFiles,
    #[error("part {part} has {count} {what}, at most {} can be in a cluster", i32::MAX)]
    TooLarge { part: usize, what: &'static str, count: usize },
    #[error("{} was changed while it was in use", .path.display())]
    Changed { path: PathBuf },
}

impl Cause for ClustersError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Part { source, .. } => source.kind(),
            Self::TooLarge { .. } => ErrorKind::TooLarge,
            Self::Changed { .. } => ErrorKind::File,
            _ => ErrorKind::Data,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Part { source, .. } => source.path(),
            Self::Changed { path, .. } => Some(path),
            _ => None,
        }
    }
}
