//! Pieces of a large graph as graphs of a loader.
//!
//! | source | its graphs | from |
//! |---|---|---|
//! | [`Clusters`] | the parts, with or without HALO | loaders of clusters in DGL, GraphSAINT and others |
//! | [`ClusterGroups`](crate::ClusterGroups) | groups of parts, drawn again each epoch, with the edges between them | Cluster-GCN (Chiang et al., arXiv 1905.07953, section 3.2) |
//! | [`Neighbours`](crate::Neighbours) | a sampled neighbourhood of each root node | GraphSAGE (Hamilton et al., arXiv 1706.02216, section 3.1) |
//!
//! Neighbourhoods are drawn from an [`IndexedGraph`]: a graph in memory, or parts on disk, with its edges indexed by
//! target. Each has its options: [`ClusterOptions`], [`NeighbourOptions`], [`IndexOptions`].

// | file | what is in it |
// |---|---|
// | `clusters` | `Clusters`, and how parts become clusters |
// | `body` | edges and HALO of a cluster; where those of all clusters are |
// | `fields` | types as sets of batches; which features become fields |
// | `tables`, `column` | features and ids of all parts, by part and row |
// | `groups` | `ClusterGroups`, and the groups of one epoch |
// | `indexed_graph` | `IndexedGraph`: edges by target, of a graph in memory or of parts on disk |
// | `neighbours` | `Neighbours`, and the neighbourhoods of one epoch |
// | `neighbour_index`, `walk` | what all epochs read, and how they draw; the sampler with the memory of its threads |
// | `error` | why parts cannot be clusters |

mod body;
pub(crate) mod clusters;
mod column;
mod error;
mod fields;
pub(crate) mod groups;
mod indexed_graph;
mod neighbour_index;
pub(crate) mod neighbours;
mod tables;
mod walk;

pub use clusters::ClusterOptions;
pub(crate) use clusters::Clusters;
pub(crate) use error::ClustersError;
pub use groups::ClusterEpoch;
pub use indexed_graph::{IndexOptions, IndexedGraph};
pub use neighbour_index::NeighbourOptions;
pub use neighbours::NeighbourEpoch;
pub use tables::NodeIds;
