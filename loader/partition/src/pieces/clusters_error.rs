//! [`ClustersError`]: why parts cannot be graphs of a loader.

use super::FeatureError;
use crate::PartError;
use crate::dgl::DglError;

/// Parts that cannot be graphs of a loader.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ClustersError {
    /// The graph has several types.
    #[error(
        "the partition has {nodes} types of nodes and {edges} types of edges, clusters have one of each: make the graph homogeneous before it is cut (LargeGraph::to_homogeneous, dgl.to_homogeneous), with the type as a feature"
    )]
    Types {
        /// Types of nodes.
        nodes: usize,
        /// Types of edges.
        edges: usize,
    },
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
        "{what} {id} of the HALO of part {part} belongs to part {owner}, which was not given: give all parts, or ask for clusters without HALO"
    )]
    Missing {
        /// The part.
        part: usize,
        /// `node` or `edge`.
        what: &'static str,
        /// Its global id.
        id: i64,
        /// The part that owns it.
        owner: usize,
    },
    /// The original ids are for another graph.
    #[error("original ids of {found} nodes, the partition has {expected}")]
    Ids {
        /// Number of nodes of the partition.
        expected: usize,
        /// Number of ids given.
        found: usize,
    },
    /// There are more nodes or edges than batches can number.
    #[error("{count} {what}, at most {} can be in a cluster or in the clusters together", i32::MAX)]
    TooLarge {
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
}

graphpack_core::debug_is_display!(ClustersError);
