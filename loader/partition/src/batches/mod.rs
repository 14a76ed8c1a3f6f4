//! Pieces of a large graph as graphs of a loader.
//!
//! | source | its graphs | from |
//! |---|---|---|
//! | [`Clusters`] | the parts, with HALO or without | DGL, GraphSAINT's and others' loaders of clusters |
//! | [`ClusterGroups`] | parts drawn anew each epoch, the edges between them put back | Cluster-GCN (Chiang et al., arXiv 1905.07953, section 3.2) |
//! | [`Neighbours`] | a sampled neighbourhood of each of some nodes | GraphSAGE (Hamilton et al., arXiv 1706.02216, section 3.1) |
//!
//! `columns` has the features, `links` the edges of parts ordered by the part they come from, `walk` the sampler.

mod clusters;
mod clusters_error;
mod columns;
mod gather;
mod groups;
mod links;
mod neighbour_epoch;
mod neighbours;
mod neighbours_error;
mod scratch;
mod walk;

pub use clusters::{ClusterOptions, Clusters};
pub use clusters_error::ClustersError;
pub use columns::FeatureError;
pub use groups::{ClusterEpoch, ClusterGroups, ClusterGroupsError};
pub use neighbour_epoch::NeighbourEpoch;
pub use neighbours::{NeighbourOptions, Neighbours};
pub use neighbours_error::NeighboursError;
