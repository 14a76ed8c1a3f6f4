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

mod assign;
mod chunked;
mod cut;
pub mod dgl;
mod dispatch;
mod file_name;
mod graph;
mod output_folder;
mod pieces;

pub use assign::{Assignment, AssignmentError, AssignmentFileError, Balance, BalanceError, Quality};
#[cfg(feature = "metis")]
pub use assign::{Metis, MetisError};
pub use chunked::{
    ChunkFormat, ChunkOptions, ChunkedEdges, ChunkedError, ChunkedFeature, ChunkedGraph, ChunkedNodes, ChunkedWriter,
    EdgeRange, EdgeRanges, EdgeSink, FeatureRanges, FeatureSink, UnlikeChunk, write_chunked,
};
pub use cut::{Cut, CutError, Location, Part, PartError, PartitionBook, Parts};
#[cfg(feature = "mpi")]
pub use dispatch::MpiRanks;
pub use dispatch::{Dispatch, DispatchError, Dispatched, Progress};
pub use graph::{EdgeList, EdgeType, Fill, GraphError, Homogeneous, HomogeneousError, LargeGraph, LeftOut, NodeType};
pub use graphpack_formats::{Array, ArrayType, ShapeError};
pub use output_folder::OutputFolder;
pub use pieces::{
    ClusterEpoch, ClusterGroups, ClusterGroupsError, ClusterOptions, Clusters, ClustersError, FeatureError,
    NeighbourEpoch, NeighbourOptions, Neighbours, NeighboursError,
};
