//! [`ClustersError`]: why parts cannot be graphs of a loader.

use super::FeatureError;
use crate::dgl::DglError;
use crate::{GraphError, PartError};
use graphpack_loader::{FileError, SchemaError};
use std::path::PathBuf;

/// Parts that cannot be graphs of a loader.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ClustersError {
    /// Edges end at a type of nodes that the partition does not have.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// There are too many types, or two are one set.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A part contradicts the book or itself.
    #[error("part {part}: {source}")]
    Part {
        /// Its number.
        part: usize,
        /// How.
        source: PartError,
    },
    /// A part was given twice.
    #[error("part {part} was given twice")]
    Twice {
        /// Its number.
        part: usize,
    },
    /// Two parts have different features.
    #[error("part {part} has feature {feature} {found}, part {first} has it {expected}")]
    Differs {
        /// The part.
        part: usize,
        /// The first part given, with which all are compared.
        first: usize,
        /// Name of the feature.
        feature: String,
        /// Elements and width in the first part.
        expected: String,
        /// Elements and width in this part.
        found: String,
    },
    /// The HALO of a part belongs to a part that was not given.
    #[error(
        "part {part} has nodes or edges of part {owner} in its HALO, which was not given: give all parts, or ask for clusters without HALO"
    )]
    Missing {
        /// The part.
        part: usize,
        /// The part that owns them.
        owner: usize,
    },
    /// The original ids are for another graph.
    #[error("original ids of {found} nodes of type {node_type}, the partition has {expected}")]
    Ids {
        /// The type of nodes.
        node_type: String,
        /// Number of nodes of the partition.
        expected: usize,
        /// Number of ids given.
        found: usize,
    },
    /// Original ids were asked for from files, and the parts are in memory.
    #[error("original ids are to be read from files, but the parts are in memory: give the ids (NodeIds::Original)")]
    NoFiles,
    /// There are more nodes or edges than batches can number.
    #[error("part {part} has {count} {what}, at most {} can be in a cluster", i32::MAX)]
    TooLarge {
        /// The part.
        part: usize,
        /// `nodes` or `edges`.
        what: &'static str,
        /// Their number.
        count: usize,
    },
    /// A feature cannot be a field of a batch.
    #[error("part {part}: {source}")]
    Feature {
        /// The part.
        part: usize,
        /// Why.
        source: FeatureError,
    },
    /// A file cannot be read.
    #[error(transparent)]
    Dgl(#[from] DglError),
    /// A file cannot be mapped.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file is not what it was when it was opened.
    #[error("{} was changed while it was in use", .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
}

graphpack_core::debug_is_display!(ClustersError);
