//! Pieces of a large graph as graphs of a loader.
//!
//! | source | its graphs | from |
//! |---|---|---|
//! | [`Clusters`] | the parts, with or without HALO | loaders of clusters in DGL, GraphSAINT and others |
//! | [`ClusterGroups`] | groups of parts, drawn again each epoch, with the edges between them | Cluster-GCN (Chiang et al., arXiv 1905.07953, section 3.2) |
//! | [`Neighbours`] | a sampled neighbourhood of each root node | GraphSAGE (Hamilton et al., arXiv 1706.02216, section 3.1) |
//!
//! | file | what is in it |
//! |---|---|
//! | `clusters`, `clusters_builder`, `clusters_error` | [`Clusters`], how parts become clusters, and why some cannot |
//! | `body`, `bodies` | edges and HALO of a cluster; where those of all clusters are |
//! | `sets`, `chosen` | types as sets of batches; which features become fields |
//! | `tables`, `column` | features and ids of all parts, by part and row |
//! | `part_files` | DGL's files of parts, opened when they are wanted |
//! | `groups`, `cluster_epoch` | [`ClusterGroups`], and the groups of one epoch |
//! | `indexed_graph` | [`IndexedGraph`]: edges by target, of a graph in memory or of parts on disk |
//! | `neighbours`, `neighbour_options`, `neighbours_error`, `neighbour_epoch` | [`Neighbours`], how they are drawn, why they cannot be, and the neighbourhoods of one epoch |
//! | `neighbour_index`, `walk` | what all epochs read; the sampler |
//! | `workspace` | working memory of threads |

mod bodies;
mod body;
mod chosen;
mod cluster_epoch;
mod clusters;
mod clusters_builder;
mod clusters_error;
mod column;
mod groups;
mod indexed_graph;
mod neighbour_epoch;
mod neighbour_index;
mod neighbour_options;
mod neighbours;
mod neighbours_error;
mod part_files;
mod sets;
mod tables;
mod walk;
mod workspace;

pub use chosen::FeatureError;
pub use cluster_epoch::ClusterEpoch;
pub use clusters::{ClusterOptions, Clusters};
pub use clusters_error::ClustersError;
pub use groups::{ClusterGroups, ClusterGroupsError};
pub use indexed_graph::{IndexOptions, IndexedGraph};
pub use neighbour_epoch::NeighbourEpoch;
pub use neighbour_options::NeighbourOptions;
pub use neighbours::Neighbours;
pub use neighbours_error::NeighboursError;
pub use tables::NodeIds;
