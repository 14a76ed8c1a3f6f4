//! [`StoreError`]: columns that do not belong together.

use crate::layout::SchemaError;

/// Columns that do not belong together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A field name cannot be used.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// Offsets of nodes and edges are for different numbers of graphs.
    #[error("node_ptr has {nodes} entries, edge_ptr {edges}")]
    Graphs {
        /// Entries of `node_ptr`.
        nodes: usize,
        /// Entries of `edge_ptr`.
        edges: usize,
    },
    /// Offsets do not start at zero.
    #[error("{name} must start with 0, found {found:?}")]
    Start {
        /// `node_ptr` or `edge_ptr`.
        name: &'static str,
        /// Its first entry.
        found: Option<u64>,
    },
    /// Offsets descend, or leave a graph with more than 2^32 - 1 nodes or edges.
    #[error("{name} goes from {from} to {to} at graph {graph}")]
    Offsets {
        /// `node_ptr` or `edge_ptr`.
        name: &'static str,
        /// The graph.
        graph: usize,
        /// Where it starts.
        from: u64,
        /// Where it ends.
        to: u64,
    },
    /// A column is too short or too long.
    #[error("column {field:?} has {found} rows, expected {expected}")]
    Rows {
        /// Its name.
        field: String,
        /// Rows that the offsets ask for.
        expected: usize,
        /// Rows found.
        found: usize,
    },
    /// A graph that there is not.
    #[error("graph {graph} of a data set of {graphs} graphs")]
    Graph {
        /// The graph.
        graph: usize,
        /// Graphs of the data set.
        graphs: usize,
    },
    /// Parts that have other fields than the first.
    #[error("part {part} has other fields than the first")]
    Parts {
        /// The part.
        part: usize,
    },
    /// An edge to a node that its graph does not have.
    #[error("edge {edge} of graph {graph} has node {node}, but the graph has {nodes} nodes")]
    Node {
        /// The graph.
        graph: usize,
        /// The edge, counted within the graph.
        edge: usize,
        /// The edge, counted over all graphs.
        row: usize,
        /// Its source or target.
        node: i64,
        /// Nodes of the graph.
        nodes: u32,
    },
}
