#![doc = include_str!("../README.md")]
//!
//! ## Drawn in each epoch
//!
//! [`ClusterGroups`] and [`Neighbours`] are drawn [again for each epoch](graphpack_loader::Data::each_epoch):
//!
//! ```
//! # use graphpack_partition::{EdgeType, LargeGraph, NodeType};
//! use graphpack_loader::{Loader, Options, Order};
//! use graphpack_partition::Neighbours;
//! use graphpack_partition::pieces::NeighbourOptions;
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
//! - a graph in memory: [`LargeGraph`] with its [`NodeType`]s, [`EdgeType`]s and [`Array`]s;
//! - a graph larger than memory, in DGL's Chunked Graph Format: [`chunked`];
//! - which part owns which node: an [`Assignment`], made as module [`assign`] says: by chance, from files, by METIS
//!   (feature `metis`) or while edges are read;
//! - cutting: [`Cut`] in memory; [`Dispatch`] without having the graph in memory, by several threads or over MPI; both
//!   give [`Part`]s with a HALO and a [`PartitionBook`] of global ids;
//! - DGL's files of parts: [`dgl`]; whether they have what the graph has: [`Verify`];
//! - loading parts ([`Clusters`]), groups of parts ([`ClusterGroups`]) or sampled neighbourhoods ([`Neighbours`]):
//!   [`pieces`].
//!
//! Global ids count as DGL's do: part by part, and within a part type by type. Within a type they keep the original
//! order, which DGL leaves open.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod assign;
pub mod chunked;
mod cut;
pub mod dgl;
mod dispatch;
mod files;
mod graph;
pub mod pieces;
mod problem;
mod verify;

pub use assign::assignment::Assignment;
pub use cut::{Cut, Location, Part, PartitionBook, Parts};
#[cfg(feature = "mpi")]
pub use dispatch::MpiRanks;
pub use dispatch::{Dispatch, Dispatched, Progress};
pub use files::OutputFolder;
pub use graph::{EdgeType, LargeGraph, NodeType};
pub use graphpack_formats::{Array, ArrayType};
pub use pieces::clusters::Clusters;
pub use pieces::groups::ClusterGroups;
pub use pieces::neighbours::Neighbours;
pub use verify::{Verified, Verify};
