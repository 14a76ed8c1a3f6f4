//! [`ClustersError`]: why parts cannot be graphs of a loader; [`NeighboursError`]: why neighbourhoods cannot be drawn.

use super::FeatureError;
use crate::dgl::DglError;
use crate::{GraphError, PartError};
use graphpack_loader::{FileError, SchemaError};
use std::io;
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

/// Neighbourhoods that cannot be drawn.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum NeighboursError {
    /// The graph contradicts itself.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The parts contradict each other, or cannot be read.
    #[error(transparent)]
    Parts(#[from] ClustersError),
    /// The index cannot be written.
    #[error("{}: {source}", .path.display())]
    Scratch {
        /// The folder for it.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There are no fan-outs, or one is 0.
    #[error("fan-outs {fan_outs:?}, expected one for each hop, each at least 1")]
    FanOuts {
        /// The fan-outs given.
        fan_outs: Vec<u32>,
    },
    /// Fan-outs are given for a type of edges that does not exist, or not one for each hop.
    #[error("fan-outs {fan_outs:?} of edges {edges}, expected {expected}")]
    FanOutsOf {
        /// The name given.
        edges: String,
        /// The fan-outs given.
        fan_outs: Vec<u32>,
        /// What was expected.
        expected: String,
    },
    /// There is no such type of nodes, or none is named and there are several.
    #[error("roots are nodes of type {found:?}, expected one of {types:?}")]
    RootType {
        /// The type given.
        found: Option<String>,
        /// The types of nodes.
        types: Vec<String>,
    },
    /// A root is no node of the graph.
    #[error("root {place} is node {node} of type {kind}, expected {expected}")]
    Root {
        /// Its position in the list of roots.
        place: usize,
        /// The node.
        node: i64,
        /// The type of the roots.
        kind: String,
        /// Which ids there are, and of how many nodes.
        expected: String,
    },
    /// A node is given as a root twice.
    #[error("node {node} is root {place} and root {other}, expected once")]
    Twice {
        /// The node.
        node: i64,
        /// Its first position in the list.
        place: usize,
        /// Another position.
        other: usize,
    },
    /// There are more nodes of a type than batches can number, or more edges than 32 bits can.
    #[error("{count} {what}, at most {} nodes of a type and {} edges", i32::MAX, u32::MAX)]
    TooLarge {
        /// `nodes` or `edges`.
        what: &'static str,
        /// Their number.
        count: usize,
    },
    /// A feature cannot be a field of a batch.
    #[error(transparent)]
    Feature(#[from] FeatureError),
}

graphpack_core::debug_is_display!(NeighboursError);
