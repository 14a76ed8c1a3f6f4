//! One graph in memory.
//!
//! | file | what is in it |
//! |---|---|
//! | `large_graph` | [`LargeGraph`]: types of nodes and edges with their features, and what is checked before it is used; [`Fill`]: the rows of types that lack a feature |
//! | `homogeneous` | [`Homogeneous`]: the same graph with one type of nodes and one of edges |
//! | `in_edges` | [`InEdges`]: the edges that lead to each node, made at once or piece by piece |

mod homogeneous;
mod in_edges;
mod large_graph;

pub use homogeneous::{Homogeneous, LeftOut};
pub(crate) use in_edges::{InEdges, InEdgesBuilder};
pub use large_graph::{EdgeType, Fill, LargeGraph, NodeType};
pub(crate) use large_graph::{GraphError, starts};
