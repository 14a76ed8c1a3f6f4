//! [`Store`]: a whole data set in columns, one contiguous array per field, in memory or in a mapped file.

use super::edges::LocalEdges;
use super::map::Map;
use super::offsets::Offsets;
use super::{Column, StoreError};
use crate::fingerprint::{self, mix, mix_bytes};
use crate::layout::{ArrayError, Element, Level, Schema, Slot};
use crate::source::{Source, SourceError, will_read};
use graphpack_core::Size;
use std::ops::Range;
use std::sync::Arc;

/// A data set in columns. Graph i has rows `node_ptr[i]..node_ptr[i + 1]` of each node column, rows
/// `edge_ptr[i]..edge_ptr[i + 1]` of each edge column, and row i of each graph column.
///
/// For example, a path of three nodes and a single node make this store:
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
    node_ptr: Offsets,
    edge_ptr: Offsets,
    edges: LocalEdges,
    columns: Vec<Column>,
    /// The mapped file that holds the columns; `None` for a store in memory.
    map: Option<Arc<Map>>,
}

impl Store {
    /// Makes a data set from its columns. Errors if they contradict each other.
    pub fn new(
        node_ptr: Vec<u64>,
        edge_ptr: Vec<u64>,
        edge_index: [Vec<i64>; 2],
        columns: Vec<Column>,
    ) -> Result<Self, StoreError> {
        let (node_ptr, edge_ptr) = (Offsets::from_vec(&node_ptr), Offsets::from_vec(&edge_ptr));
        check_offsets(&node_ptr, &edge_ptr)?;
        let edges = edge_ptr.total() as usize;
        if let Some(row) = edge_index.iter().find(|row| row.len() != edges) {
            return Err(StoreError::Rows { field: "edge_index".into(), expected: edges, found: row.len() });
        }
        check_nodes(&node_ptr, &edge_ptr, &edge_index)?;
        let largest = (0..node_ptr.len() - 1).map(|graph| node_ptr.span(graph).len()).max().unwrap_or(0);
        Self::from_parts(node_ptr, edge_ptr, LocalEdges::narrow(edge_index, largest as u64), columns, None)
    }

    /// Makes a data set from columns whose offsets are checked. Edges are checked later, when a batch writes them.
    pub(super) fn from_parts(
        node_ptr: Offsets,
        edge_ptr: Offsets,
        edges: LocalEdges,
        columns: Vec<Column>,
        map: Option<Arc<Map>>,
    ) -> Result<Self, StoreError> {
        let schema = Schema::new(columns.iter().map(|column| column.field().clone()).collect())?;
        if edges.len() as u64 != edge_ptr.total() {
            let (expected, found) = (edge_ptr.total() as usize, edges.len());
            return Err(StoreError::Rows { field: "edge_index".into(), expected, found });
        }
        let rows = [node_ptr.total() as usize, edge_ptr.total() as usize, node_ptr.len() - 1];
        columns.iter().try_for_each(|column| column.check(rows))?;
        Ok(Self { schema, node_ptr, edge_ptr, edges, columns, map })
    }

    /// Copies all elements of the field `name`, row by row over the whole data set.
    pub fn values<T: Element>(&self, name: &str) -> Result<Vec<T>, ArrayError> {
        let column = self.columns.iter().find(|column| column.field().name == name);
        column.ok_or_else(|| ArrayError::missing(name))?.values()
    }

    /// Copies sources and targets of the edges of a graph, as node numbers from 0 within the graph.
    pub fn edges(&self, graph: usize) -> (Vec<i64>, Vec<i64>) {
        let [sources, targets] =
            self.edges.rows(self.edge_ptr.span(graph)).map(|row| (0..row.len()).map(|edge| row.at(edge)).collect());
        (sources, targets)
    }
}

impl Store {
    /// The rows of a graph at the levels node, edge and graph.
    pub(super) fn span(&self, graph: usize) -> [Range<usize>; 3] {
        [self.node_ptr.span(graph), self.edge_ptr.span(graph), graph..graph + 1]
    }

    /// The bytes of a graph in each column.
    fn fields<'a>(&'a self, span: &'a [Range<usize>; 3]) -> impl Iterator<Item = &'a [u8]> {
        self.columns.iter().map(|column| column.rows(span))
    }

    /// Where the nodes of each graph start.
    pub(super) fn node_ptr(&self) -> &Offsets {
        &self.node_ptr
    }

    /// Where the edges of each graph start.
    pub(super) fn edge_ptr(&self) -> &Offsets {
        &self.edge_ptr
    }

    /// Sources and targets of all edges.
    pub(super) fn local_edges(&self) -> &LocalEdges {
        &self.edges
    }

    /// The fields.
    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The mapped file that holds the columns; `None` for a store in memory.
    pub(super) fn map(&self) -> Option<&Arc<Map>> {
        self.map.as_ref()
    }

    /// Number of rows of all graphs at a level.
    pub(super) fn rows(&self, level: Level) -> usize {
        level.of([self.node_ptr.total() as usize, self.edge_ptr.total() as usize, self.len()])
    }

    /// Returns `hash` with the rows of every field of a graph and its edges mixed in.
    pub(super) fn mix_graph(&self, hash: u64, graph: usize) -> u64 {
        let span = self.span(graph);
        let hash = self.fields(&span).fold(hash, mix_bytes);
        let rows = self.edges.rows(span[1].clone());
        rows.iter().fold(hash, |hash, row| (0..row.len()).fold(hash, |hash, edge| mix(hash, row.at(edge) as u64)))
    }
}

pub(super) fn check_offsets(node_ptr: &Offsets, edge_ptr: &Offsets) -> Result<(), StoreError> {
    if node_ptr.len() != edge_ptr.len() {
        return Err(StoreError::Graphs { nodes: node_ptr.len(), edges: edge_ptr.len() });
    }
    node_ptr.check("node_ptr")?;
    edge_ptr.check("edge_ptr")
}

fn check_nodes(node_ptr: &Offsets, edge_ptr: &Offsets, edge_index: &[Vec<i64>; 2]) -> Result<(), StoreError> {
    for graph in 0..node_ptr.len() - 1 {
        let nodes = node_ptr.span(graph).len() as u32;
        let range = edge_ptr.span(graph);
        for row in edge_index {
            let outside = |node: &i64| !(0..i64::from(nodes)).contains(node);
            if let Some(edge) = row[range.clone()].iter().position(outside) {
                let row_number = range.start + edge;
                return Err(StoreError::Node { graph, edge, row: row_number, node: row[row_number], nodes });
            }
        }
    }
    Ok(())
}

impl Source for Store {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.node_ptr.len() - 1
    }

    fn size(&self, graph: usize) -> Size<2> {
        Size([&self.node_ptr, &self.edge_ptr].map(|ptr| ptr.span(graph).len() as u32))
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let span = self.span(graph);
        for (position, bytes) in self.fields(&span).enumerate() {
            slot.write_bytes(position, bytes)?;
        }
        let [sources, targets] = self.edges.rows(span[1].clone());
        slot.write_edge_index(sources, targets)?;
        Ok(())
    }

    fn will_write(&self, graph: usize) {
        let span = self.span(graph);
        let edges = self.edges.rows(span[1].clone()).map(|row| row.bytes());
        self.fields(&span).chain(edges).for_each(will_read);
    }

    /// Returns a hash of all sizes and of the contents of some graphs. It is the same in memory, in one file and in
    /// several, whatever the width of the edges.
    fn fingerprint(&self) -> u64 {
        let samples = fingerprint::samples(self.len());
        samples.fold(self.sizes_fingerprint(), |hash, graph| self.mix_graph(hash, graph))
    }

    fn check(&self) -> Result<(), SourceError> {
        match &self.map {
            Some(map) => Ok(map.check()?),
            None => Ok(()),
        }
    }
}
