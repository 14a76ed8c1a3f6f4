//! One graph in memory.
//!
//! | file | what is in it |
//! |---|---|
//! | `large_graph` | [`LargeGraph`]: types of nodes and edges with their features, and what is checked before it is used |
//! | `homogeneous` | [`Homogeneous`]: the same graph with one type of nodes and one of edges |
//! | `fill` | [`Fill`]: the rows of types that lack a feature |
//! | `in_edges`, `in_edges_builder` | [`InEdges`]: the edges that lead to each node, made at once or piece by piece |

mod fill;
mod homogeneous;
mod in_edges;
mod in_edges_builder;
mod large_graph;

pub use fill::Fill;
pub use homogeneous::{Homogeneous, HomogeneousError, LeftOut};
pub(crate) use in_edges::InEdges;
pub(crate) use in_edges_builder::InEdgesBuilder;
pub use large_graph::{EdgeType, GraphError, LargeGraph, NodeType};
