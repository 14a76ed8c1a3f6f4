//! Graphs too large for one batch: cut into parts, each of which is a graph like any other.
//!
//! | type | what it is |
//! |---|---|
//! | [`Array`] | numbers of one type and any shape, as files hold them |
//! | [`LargeGraph`] | one graph in memory: types of nodes and edges, features |
//! | [`Homogeneous`] | the same with one type of nodes and of edges, which batches have |
//! | [`Assignment`] | the part that owns each node: by chance, from files, or by METIS (`Metis`, feature `metis`) |
//! | [`Balance`] | what every part should have equally much of, and how good an assignment is |
//! | [`Cut`] | a graph, cut by an assignment: the book, the way back to original ids, and one part after the other |
//! | [`Dispatch`] | the same without having the graph in memory, by several threads or over MPI |
//! | [`EdgeList`] | a file with a line per edge |
//! | [`ChunkedGraph`], [`ChunkedWriter`] | a graph larger than memory, in DGL's Chunked Graph Format |
//! | [`PartitionBook`] | which part has which node and edge, by ranges of global ids |
//! | [`Part`] | the nodes and edges of one part, and the HALO around them |
//! | [`Clusters`] | parts as graphs of a [`Loader`](graphpack_loader::Loader) |
//! | [`ClusterGroups`] | several of them in one graph, drawn anew each epoch, with the edges between them (Cluster-GCN) |
//! | [`Neighbours`] | a sampled neighbourhood of each of some nodes as graphs of a loader (GraphSAGE) |
//!
//! Global ids count as DGL's do, part by part and in a part type by type; in a type as in the original graph, where DGL has no order.
//!
//! [`dgl`] reads and writes the files that DGL keeps parts in.

mod assignment;
mod assignment_files;
mod balance;
mod batches;
mod book;
mod chunked;
mod cut;
pub mod dgl;
mod dispatch;
mod edge_list;
mod fill;
mod homogeneous;
mod homogeneous_error;
mod in_edges;
mod large_graph;
#[cfg(feature = "metis")]
mod metis;
mod output_folder;
mod part;
mod part_check;
mod parts;
#[cfg(feature = "metis")]
mod repair;
#[cfg(feature = "metis")]
mod undirected;

pub use assignment::{Assignment, AssignmentError};
pub use assignment_files::AssignmentFileError;
pub use balance::{Balance, BalanceError, Quality};
pub use batches::{
    ClusterEpoch, ClusterGroups, ClusterGroupsError, ClusterOptions, Clusters, ClustersError, FeatureError,
    NeighbourEpoch, NeighbourOptions, Neighbours, NeighboursError,
};
pub use book::{PartitionBook, Place};
pub use chunked::{
    ChunkFormat, ChunkOptions, ChunkedEdges, ChunkedError, ChunkedFeature, ChunkedGraph, ChunkedNodes, ChunkedWriter,
    EdgeRange, EdgeRanges, EdgeSink, FeatureRanges, FeatureSink, UnlikeChunk, write_chunked,
};
pub use cut::{Cut, CutError};
#[cfg(feature = "mpi")]
pub use dispatch::MpiRanks;
pub use dispatch::{Dispatch, DispatchError, Dispatched, Progress};
pub use edge_list::EdgeList;
pub use fill::Fill;
pub use graphpack_formats::{Array, ArrayType, ShapeError};
pub use homogeneous::Homogeneous;
pub use homogeneous_error::{HomogeneousError, LeftOut};
pub use large_graph::{EdgeType, GraphError, LargeGraph, NodeType};
#[cfg(feature = "metis")]
pub use metis::{Metis, MetisError};
pub use output_folder::OutputFolder;
pub use part::Part;
pub use part_check::PartError;
pub use parts::Parts;
