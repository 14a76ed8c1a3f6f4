//! DGL's Chunked Graph Format, the input of its distributed partitioning.
//!
//! | type | what it is |
//! |---|---|
//! | [`ChunkedGraph`] | a folder with `metadata.json`; `open` checks it |
//! | [`ChunkedEdges`] | the edges of one type, read chunk by chunk |
//! | [`ChunkedFeature`] | a feature, read file by file or range by range |
//! | [`EdgeList`] | edges in a file of their own, to be written in chunks |
//! | [`write_chunked`] | writes a graph in memory as such a folder |
//! | [`ChunkedWriter`] | writes one without having the graph in memory: edges and features into sinks |
//! | [`ChunkOptions`], [`ChunkFormat`] | how: number of chunks, and csv, numpy or parquet as in DGL 2.1's `distpartitioning` |

// `metadata` is the JSON file, `open` checks it; `rows` reads a file of any format, `sink` writes one, or the files of
// a feature; `parquet/` has that format.

mod edge_list;
mod edges;
mod error;
mod feature;
mod graph;
mod metadata;
mod open;
#[cfg(feature = "parquet")]
mod parquet;
mod rows;
mod sink;
mod writer;

pub use edge_list::EdgeList;
pub use edges::{ChunkedEdges, EdgeRange, EdgeRanges};
pub(crate) use error::ChunkedError;
pub use feature::{ChunkedFeature, FeatureRanges};
pub use graph::{ChunkedGraph, ChunkedNodes};
pub use metadata::{ChunkFormat, ChunkOptions};
pub use writer::{ChunkedWriter, EdgeSink, FeatureSink, write_chunked};
