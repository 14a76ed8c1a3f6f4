//! One graph in memory.
//!
//! | file | what is in it |
//! |---|---|
//! | `large_graph` | [`LargeGraph`]: types of nodes and edges with their features, and what is checked before it is used |
//! | `homogeneous` | [`Homogeneous`]: the same graph with one type of nodes and one of edges |
//! | `fill` | [`Fill`]: the rows of types that lack a feature |
//! | `in_edges` | [`InEdges`]: the edges that lead to each node |

mod fill;
mod homogeneous;
mod in_edges;
mod large_graph;

pub use fill::Fill;
pub use homogeneous::{Homogeneous, HomogeneousError, LeftOut};
pub(crate) use in_edges::InEdges;
pub use large_graph::{EdgeType, GraphError, LargeGraph, NodeType};
