//! DGL's Chunked Graph Format, which its distributed partitioning starts from.
//!
//! | type | what it is |
//! |---|---|
//! | [`ChunkedGraph`] | a folder with `metadata.json`, checked |
//! | [`ChunkedEdges`] | the edges of one type, read chunk by chunk |
//! | [`ChunkedFeature`] | a feature, read file by file or range by range |
//! | [`ChunkedWriter`] | writes such a folder without having the graph in memory |
//!
//! Formats of files are those of DGL 2.1's `distpartitioning`: csv, numpy, parquet ([`ChunkFormat`]).

mod edges;
mod error;
mod feature;
mod format;
mod graph;
mod metadata;
mod open;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_sink;
#[cfg(feature = "parquet")]
mod parquet_types;
mod rows;
mod series;
mod sink;
mod writer;

pub use edges::{ChunkedEdges, EdgeRange, EdgeRanges};
pub use error::{ChunkedError, UnlikeChunk};
pub use feature::{ChunkedFeature, FeatureRanges};
pub use format::ChunkFormat;
pub use graph::{ChunkedGraph, ChunkedNodes};
pub use options::ChunkOptions;
pub use writer::{ChunkedWriter, EdgeSink, FeatureSink, write_chunked};
