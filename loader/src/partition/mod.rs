//! Graphs too large for one batch: cut into parts, each of which is a graph like any other.
//!
//! | type | what it is |
//! |---|---|
//! | [`Array`] | numbers of one type and any shape, as files hold them |
//! | [`LargeGraph`] | one graph in memory: types of nodes and edges, features |
//! | [`PartitionBook`] | which part has which node and edge, by ranges of global ids |
//! | [`Part`] | the nodes and edges of one part, and the HALO around them |
//!
//! [`dgl`] reads and writes the files that DGL keeps parts in.
//!
//! Global ids are DGL's: part by part, in a part type by type, in a type as in the original graph.

mod array;
mod book;
pub mod dgl;
mod large_graph;
mod part;

pub use array::{Array, ArrayError, ArrayType};
pub use book::{PartitionBook, Place};
pub use large_graph::{EdgeType, LargeGraph, NodeType};
pub use part::Part;
