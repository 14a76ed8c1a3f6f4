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
//! | `cluster_nodes`, `table`, `links`, `halo` | what clusters keep: ids of nodes, features, edges by the part that they come from, HALOs |
//! | `groups`, `cluster_epoch` | [`ClusterGroups`], and the groups of one epoch |
//! | `neighbours`, `neighbour_options`, `neighbour_epoch` | [`Neighbours`], how they are drawn, and the neighbourhoods of one epoch |
//! | `neighbour_index`, `walk` | what all epochs read; the sampler |
//! | `chosen` | which features become fields |
//! | `rows`, `scratch` | copying rows; working memory of threads |

mod chosen;
mod cluster_epoch;
mod cluster_nodes;
mod clusters;
mod clusters_builder;
mod clusters_error;
mod groups;
mod halo;
mod links;
mod neighbour_epoch;
mod neighbour_index;
mod neighbour_options;
mod neighbours;
mod rows;
mod scratch;
mod table;
mod walk;

pub use chosen::FeatureError;
pub use cluster_epoch::ClusterEpoch;
pub use clusters::{ClusterOptions, Clusters};
pub use clusters_error::ClustersError;
pub use groups::{ClusterGroups, ClusterGroupsError};
pub use neighbour_epoch::NeighbourEpoch;
pub use neighbour_index::NeighboursError;
pub use neighbour_options::NeighbourOptions;
pub use neighbours::Neighbours;
