//! DGL 2.1's files of partitioned graphs, which `dgl.distributed.partition_graph` writes and
//! `dgl.distributed.load_partition` reads.
//!
//! | file | what it has | here |
//! |---|---|---|
//! | `NAME.json` | names, types and ranges of ids of each part | [`PartitionConfig`], [`load_partition_book`] |
//! | `partK/graph.dgl` | nodes, HALO and edges of a part | [`load_partition`]; any such file: [`load_graphs`] |
//! | `partK/node_feat.dgl`, `edge_feat.dgl` | features of what the part owns | [`load_partition`]; any such file: [`load_tensors`], [`save_tensors`] |
//! | `partK/orig_nids.dgl`, `orig_eids.dgl` | ids before the graph was cut, by type | [`load_tensors`] |
//!
//! [`PartitionWriter`] writes all of them, also what DGL's servers do not open, which [`not_served`] says.
//! [`load_graph`] reads a whole graph, as `dgl.save_graphs` writes it.
//!
//! Numbers are little-endian. Every number in a file is checked before it is used, and none makes the reader allocate
//! more than a small multiple of the file's bytes.

mod config;
mod error;
mod graphs;
mod input;
mod keys;
mod load;
mod output;
mod relation;
mod tensors;
mod writer;

pub use config::PartitionConfig;
pub(crate) use config::map_files;
pub(crate) use error::DglError;
pub use graphs::{Graphs, HeteroGraph, load_graph, load_graphs};
pub use keys::PartFiles;
pub(crate) use load::{ORIGINAL_EDGES, ORIGINAL_NODES, PartReader};
pub use load::{Partition, load_partition, load_partition_book, load_partition_graph, not_served};
pub(crate) use output::{FeatureRows, stored, stored_as};
pub use relation::{Metagraph, Relation};
pub(crate) use tensors::TensorFile;
pub use tensors::{TensorInfo, load_tensors, save_tensors, tensors_in};
pub use writer::PartitionWriter;
