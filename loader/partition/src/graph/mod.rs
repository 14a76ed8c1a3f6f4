//! One graph in memory.
//!
//! | file | what is in it |
//! |---|---|
//! | `large_graph` | [`LargeGraph`]: types of nodes and edges with their features, and what is checked before it is used |
//! | `in_edges` | [`InEdges`]: the edges that lead to each node, made at once or piece by piece |

mod in_edges;
mod large_graph;

pub(crate) use in_edges::{InEdges, InEdgesBuilder};
pub use large_graph::{EdgeType, LargeGraph, NodeType};
pub(crate) use large_graph::{GraphError, starts};
