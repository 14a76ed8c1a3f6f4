//! [`StoreError`]: why columns do not make a store.

use crate::layout::SchemaError;

/// Columns do not make a store, because they contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A field name cannot be used.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// `node_ptr` and `edge_ptr` are for different numbers of graphs.
    #[error("node_ptr has {nodes} entries, edge_ptr {edges}")]
    Graphs {
        /// Entries of `node_ptr`.
        nodes: usize,
        /// Entries of `edge_ptr`.
        edges: usize,
    },
    /// `node_ptr` or `edge_ptr` does not start with 0.
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
        /// Its entry for the graph, where the graph's rows start.
        from: u64,
        /// The entry after it, where they end.
        to: u64,
    },
    /// A column is too short or too long.
    #[error("column {field:?} has {found} rows, expected {expected}")]
    Rows {
        /// Name of the column.
        field: String,
        /// Rows that the offsets require.
        expected: usize,
        /// Rows found.
        found: usize,
    },
    /// The store has no such graph.
    #[error("there is no graph {graph}: the data set has {graphs} graphs, counted from 0")]
    Graph {
        /// The graph.
        graph: usize,
        /// Graphs of the data set.
        graphs: usize,
    },
    /// A part has other fields than the first part.
    #[error("part {part} has other fields than the first")]
    Parts {
        /// The part.
        part: usize,
    },
    /// An edge names a node that its graph does not have.
    #[error("edge {edge} of graph {graph} has node {node}, but the graph has {nodes} nodes")]
    Node {
        /// The graph.
        graph: usize,
        /// The edge, counted within the graph.
        edge: usize,
        /// The edge, counted over all graphs.
        row: usize,
        /// Source or target of the edge.
        node: i64,
        /// Nodes of the graph.
        nodes: u32,
    },
}
