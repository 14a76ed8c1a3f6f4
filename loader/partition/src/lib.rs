#![doc = include_str!("../README.md")]
//!
//! ## Drawn in each epoch
//!
//! [`ClusterGroups`] and [`Neighbours`] are drawn [again for each epoch](graphpack_loader::Data::each_epoch):
//!
//! ```
//! # use graphpack_partition::{EdgeType, LargeGraph, NodeType};
//! use graphpack_loader::{Loader, Options, Order};
//! use graphpack_partition::{NeighbourOptions, Neighbours};
//! use std::sync::Arc;
//!
//! # let node = NodeType { name: "_N".into(), nodes: 8, features: Vec::new() };
//! # let name = ["_N", "_E", "_N"].map(String::from);
//! # let edge = EdgeType { name, sources: (0..8).collect(), targets: (1..8).chain([0]).collect(), features: Vec::new() };
//! # let graph = LargeGraph { name: "ring".into(), node_types: vec![node], edge_types: vec![edge] };
//! let options = NeighbourOptions { fan_outs: vec![10, 5], ..NeighbourOptions::default() };
//! let neighbours = Neighbours::new(Arc::new(graph), &[0, 3, 5, 6], options)?; // four root nodes
//! let limits = neighbours.limits(2);
//! let loader = Loader::new(neighbours, Options::default().capacity(limits).order(Order::Shuffled).seed(42))?;
//! for epoch in 0..2 {
//!     for batch in loader.epoch(epoch) {
//!         assert_eq!(batch?.real().graphs(), 2);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Where to look
//!
//! - a graph in memory: [`LargeGraph`] with its [`NodeType`]s, [`EdgeType`]s and [`Array`]s; [`Homogeneous`] is one whose
//!   several types were made one;
//! - a graph larger than memory: [`ChunkedGraph`] and [`ChunkedWriter`], in DGL's Chunked Graph Format; [`EdgeList`]
//!   for edges in files of their own;
//! - which part owns which node: [`Assignment`], by chance, from files, by `Metis` (feature `metis`) or while edges are
//!   read by [`Streaming`]; [`write_for_partitioner`] for other partitioners; [`Balance`] for what the parts should
//!   have equal amounts of, and how good an assignment is;
//! - cutting: [`Cut`] in memory; [`Dispatch`] without having the graph in memory, by several threads or over MPI; both
//!   give [`Part`]s with a HALO and a [`PartitionBook`] of global ids;
//! - DGL's files of parts: [`dgl`]; whether they have what the graph has: [`Verify`];
//! - loading: [`Clusters`] (parts), [`ClusterGroups`] (groups of parts with the edges between them, as in Cluster-GCN),
//!   [`Neighbours`] (sampled neighbourhoods, as in GraphSAGE).
//!
//! Global ids count as DGL's do: part by part, and within a part type by type. Within a type they keep the original
//! order, which DGL leaves open.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod assign;
mod chunked;
mod cut;
pub mod dgl;
mod dispatch;
mod files;
mod graph;
mod pieces;
mod verify;

#[cfg(feature = "metis")]
pub use assign::Metis;
pub use assign::{
    Assignment, Balance, GraphFormat, Quality, Streaming, Trainers, write_for_parmetis, write_for_partitioner,
};
pub use chunked::{
    ChunkFormat, ChunkOptions, ChunkedEdges, ChunkedFeature, ChunkedGraph, ChunkedNodes, ChunkedWriter, EdgeList,
    EdgeRange, EdgeRanges, EdgeSink, FeatureRanges, FeatureSink, write_chunked,
};
pub use cut::{Cut, Location, Part, PartitionBook, Parts};
#[cfg(feature = "mpi")]
pub use dispatch::MpiRanks;
pub use dispatch::{Dispatch, Dispatched, Progress};
pub use files::OutputFolder;
pub use graph::{EdgeType, Fill, Homogeneous, LargeGraph, LeftOut, NodeType};
pub use graphpack_formats::{Array, ArrayType};
pub use pieces::{
    ClusterEpoch, ClusterGroups, ClusterOptions, Clusters, IndexOptions, IndexedGraph, NeighbourEpoch,
    NeighbourOptions, Neighbours, NodeIds,
};
pub use verify::{Verified, Verify};
