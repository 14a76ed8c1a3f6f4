//! [`Store`]: a whole data set in memory, one contiguous array per field.

use crate::source::{Source, SourceError};
use crate::{ArrayError, Dtype, Element, Field, Level, Schema, SchemaError, Slot};
use graphpack_core::Size;

/// A data set in columns: graph i has nodes `node_ptr[i]..node_ptr[i + 1]` and edges `edge_ptr[i]..edge_ptr[i + 1]` of each column.
///
/// Two graphs, a path of three nodes and a single node:
///
/// ```
/// use graphpack_loader::{Column, Level, Source, Store};
///
/// let store = Store::new(
///     vec![0, 3, 4],                                     // node_ptr
///     vec![0, 4, 4],                                     // edge_ptr
///     [vec![0, 1, 1, 2], vec![1, 0, 2, 1]],              // sources and targets, counted within each graph
///     vec![
///         Column::new("x", Level::Node, 2, vec![0.5_f32, 1.0, 0.1, 0.2, 0.3, 0.4, 0.0, 1.0]),
///         Column::new("y", Level::Graph, 1, vec![1_i64, 0]),
///     ],
/// )?;
/// assert_eq!((store.len(), store.size(0).0, store.size(1).0), (2, [3, 4], [1, 0]));
/// # Ok::<(), graphpack_loader::StoreError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Store {
    schema: Schema,
    node_ptr: Vec<u64>,
    edge_ptr: Vec<u64>,
    edge_index: [Vec<i64>; 2],
    columns: Vec<Column>,
}

/// One field of a data set: `rows x width` elements, row by row.
#[derive(Clone, Debug)]
pub struct Column {
    field: Field,
    /// Elements as bytes in native order. Vectors of bytes need no alignment: they are only copied.
    bytes: Vec<u8>,
}

impl Column {
    /// A field and its elements, row by row over the whole data set.
    pub fn new<T: Element>(name: &str, level: Level, width: usize, elements: Vec<T>) -> Self {
        Self::from_bytes(name, level, T::DTYPE, width, bytemuck::cast_slice(&elements).to_vec())
    }

    fn from_bytes(name: &str, level: Level, dtype: Dtype, width: usize, bytes: Vec<u8>) -> Self {
        Self { field: Field::new(name, level, dtype, width), bytes }
    }

    /// Name, level, dtype and width.
    pub fn field(&self) -> &Field {
        &self.field
    }
}

impl Store {
    /// A data set from its columns. Errors if they do not belong together.
    pub fn new(
        node_ptr: Vec<u64>,
        edge_ptr: Vec<u64>,
        edge_index: [Vec<i64>; 2],
        columns: Vec<Column>,
    ) -> Result<Self, StoreError> {
        let schema = Schema::new(columns.iter().map(|column| column.field.clone()).collect())?;
        if node_ptr.len() != edge_ptr.len() {
            return Err(StoreError::Graphs { nodes: node_ptr.len(), edges: edge_ptr.len() });
        }
        check_ptr("node_ptr", &node_ptr)?;
        check_ptr("edge_ptr", &edge_ptr)?;
        let total = |ptr: &[u64]| ptr.last().map_or(0, |&end| end as usize);
        let (nodes, edges) = (total(&node_ptr), total(&edge_ptr));
        for row in &edge_index {
            if row.len() != edges {
                return Err(StoreError::Rows { field: "edge_index".into(), expected: edges, found: row.len() });
            }
        }
        for Column { field, bytes } in &columns {
            let expected = match field.level {
                Level::Node => nodes,
                Level::Edge => edges,
                Level::Graph => node_ptr.len().saturating_sub(1),
            };
            if expected.checked_mul(field.row_bytes()) != Some(bytes.len()) {
                let found = bytes.len() / field.row_bytes().max(1);
                return Err(StoreError::Rows { field: field.name.clone(), expected, found });
            }
        }
        let store = Self { schema, node_ptr, edge_ptr, edge_index, columns };
        store.check_edges()?;
        Ok(store)
    }

    fn check_edges(&self) -> Result<(), StoreError> {
        for graph in 0..self.len() {
            let [nodes, _] = self.size(graph).0;
            for row in &self.edge_index {
                let range = span(&self.edge_ptr, graph);
                if let Some(offset) = row[range.clone()].iter().position(|node| !(0..i64::from(nodes)).contains(node)) {
                    return Err(StoreError::Node {
                        graph,
                        edge: offset,
                        row: range.start + offset,
                        node: row[range.start + offset],
                        nodes,
                    });
                }
            }
        }
        Ok(())
    }

    /// All elements of a field, row by row over the whole data set.
    pub fn values<T: Element>(&self, name: &str) -> Result<Vec<T>, ArrayError> {
        let column = self.columns.iter().find(|column| column.field.name == name);
        let Column { field, bytes } = column.ok_or_else(|| ArrayError::Missing { name: name.to_owned() })?;
        if field.dtype != T::DTYPE {
            return Err(ArrayError::Dtype { name: name.to_owned(), expected: field.dtype, found: T::DTYPE });
        }
        let elements = bytes.chunks_exact(field.dtype.bytes()).map(bytemuck::checked::try_pod_read_unaligned);
        elements
            .collect::<Result<_, _>>()
            .map_err(|_| ArrayError::Invalid { name: name.to_owned(), dtype: field.dtype })
    }

    /// Sources and targets of the edges of a graph, counted from its first node.
    pub fn edges(&self, graph: usize) -> (&[i64], &[i64]) {
        let range = span(&self.edge_ptr, graph);
        (&self.edge_index[0][range.clone()], &self.edge_index[1][range])
    }
}

/// The rows of graph `graph`.
fn span(ptr: &[u64], graph: usize) -> std::ops::Range<usize> {
    ptr[graph] as usize..ptr[graph + 1] as usize
}

/// Offsets must start at 0, ascend, and give every graph a size of 32 bits.
fn check_ptr(name: &'static str, ptr: &[u64]) -> Result<(), StoreError> {
    if ptr.first() != Some(&0) {
        return Err(StoreError::Start { name, found: ptr.first().copied() });
    }
    match ptr.windows(2).position(|pair| pair[1].checked_sub(pair[0]).is_none_or(|size| size > u64::from(u32::MAX))) {
        Some(graph) => Err(StoreError::Offsets { name, graph, from: ptr[graph], to: ptr[graph + 1] }),
        None => Ok(()),
    }
}

impl Source for Store {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.node_ptr.len() - 1
    }

    fn size(&self, graph: usize) -> Size<2> {
        Size([&self.node_ptr, &self.edge_ptr].map(|ptr| (ptr[graph + 1] - ptr[graph]) as u32))
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        for (position, Column { field, bytes }) in self.columns.iter().enumerate() {
            let rows = match field.level {
                Level::Node => span(&self.node_ptr, graph),
                Level::Edge => span(&self.edge_ptr, graph),
                Level::Graph => graph..graph + 1,
            };
            slot.write_bytes(position, &bytes[rows.start * field.row_bytes()..rows.end * field.row_bytes()])?;
        }
        let (sources, targets) = self.edges(graph);
        slot.write_checked_edges(sources, targets);
        Ok(())
    }
}

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
