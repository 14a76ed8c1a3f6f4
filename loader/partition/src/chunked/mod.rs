//! DGL's Chunked Graph Format, the input of its distributed partitioning.
//!
//! | type | what it is |
//! |---|---|
//! | [`ChunkedGraph`] | a folder with `metadata.json`; `open` checks it |
//! | [`ChunkedEdges`] | the edges of one type, read chunk by chunk |
//! | [`ChunkedFeature`] | a feature, read file by file or range by range |
//! | [`EdgeList`] | edges in a file of their own, to be written in chunks |
//! | [`ChunkedWriter`] | writes such a folder without having the graph in memory |
//! | [`ChunkOptions`], [`ChunkFormat`] | how: number of chunks, and csv, numpy or parquet as in DGL 2.1's `distpartitioning` |
//!
//! `metadata` is the JSON file, `open` checks it. `outline` is what is known of a file before its rows are read, `rows`
//! reads one of any format, `sink` writes one, `series` writes the files of a feature; `numpy` and `parquet/` have those
//! formats.

mod edge_list;
mod edges;
mod error;
mod feature;
mod format;
mod graph;
mod metadata;
mod numpy;
mod open;
mod options;
mod outline;
#[cfg(feature = "parquet")]
mod parquet;
mod rows;
mod series;
mod sink;
mod writer;

pub use edge_list::EdgeList;
pub use edges::{ChunkedEdges, EdgeRange, EdgeRanges};
pub use error::{ChunkedError, UnlikeChunk};
pub use feature::{ChunkedFeature, FeatureRanges};
pub use format::ChunkFormat;
pub use graph::{ChunkedGraph, ChunkedNodes};
pub use options::ChunkOptions;
pub use writer::{ChunkedWriter, EdgeSink, FeatureSink, write_chunked};
