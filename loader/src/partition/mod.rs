//! Graphs too large for one batch: cut into parts, each of which is a graph like any other.
//!
//! | type | what it is |
//! |---|---|
//! | [`Array`] | numbers of one type and any shape, as files hold them |
//! | [`LargeGraph`] | one graph in memory: types of nodes and edges, features |
//! | [`EdgeList`] | a file with a line per edge |
//! | [`ChunkedGraph`], [`ChunkedWriter`] | a graph larger than memory, in DGL's Chunked Graph Format |
//! | [`PartitionBook`] | which part has which node and edge, by ranges of global ids |
//! | [`Part`] | the nodes and edges of one part, and the HALO around them |
//!
//! Global ids are DGL's: part by part, in a part type by type, in a type as in the original graph.

mod array;
mod book;
mod chunked;
mod csv_rows;
mod edge_list;
mod large_graph;
mod part;

pub use array::{Array, ArrayError, ArrayType};
pub use book::{PartitionBook, Place};
pub use chunked::{
    ChunkFormat, ChunkOptions, ChunkedEdges, ChunkedError, ChunkedFeature, ChunkedGraph, ChunkedNodes, ChunkedWriter,
    EdgeSink, FeatureRanges, FeatureSink, write_chunked,
};
pub use edge_list::EdgeList;
pub use large_graph::{EdgeType, LargeGraph, NodeType};
pub use part::Part;
