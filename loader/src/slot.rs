//! [`Slot`]: the place of one graph in a batch, where a source writes it.

use crate::index::IndexBytes;
use crate::layout::{ArrayInfo, Layout};
use crate::schema::MAX_FIELDS;
use crate::{Dtype, Element, Level};
use graphpack_core::Size;
use std::ops::Range;

/// The place of one graph in a batch. A source writes every field and the edges into it, nothing in between is built.
pub struct Slot<'a> {
    bytes: &'a mut [u8],
    layout: &'a Layout,
    size: Size<2>,
    /// First node, first edge and number of the graph in the batch.
    start: [usize; 3],
    /// Bit n: field n was written; the highest bit: the edges were.
    written: u128,
}

const EDGES: usize = MAX_FIELDS;

impl<'a> Slot<'a> {
    pub(crate) fn new(bytes: &'a mut [u8], layout: &'a Layout, size: Size<2>, start: [usize; 3]) -> Self {
        Self { bytes, layout, size, start, written: 0 }
    }

    /// (nodes, edges) of the graph, as the source's `size` said.
    pub fn size(&self) -> Size<2> {
        self.size
    }

    fn rows(&self, level: Level) -> Range<usize> {
        let [node, edge, graph] = self.start;
        let [nodes, edges] = self.size.0.map(|n| n as usize);
        level.of([node..node + nodes, edge..edge + edges, graph..graph + 1])
    }

    /// Copies all rows of field `field` (its position in the schema), as bytes in native order.
    pub fn write_bytes(&mut self, field: usize, rows: &[u8]) -> Result<(), SlotError> {
        let array = self.array(field)?;
        let range = array.rows(self.rows(self.layout.schema().fields()[field].level));
        if rows.len() != range.len() {
            return Err(SlotError::Length { field: array.name.clone(), expected: range.len(), found: rows.len() });
        }
        if array.dtype == Dtype::Bool && rows.iter().any(|&byte| byte > 1) {
            return Err(SlotError::Bool { field: array.name.clone() });
        }
        self.bytes[range].copy_from_slice(rows);
        self.written |= 1 << field;
        Ok(())
    }

    /// All rows of field `field`, to be written in place, as bytes in native order; those of a bool must be 0 or 1.
    pub fn rows_mut(&mut self, field: usize) -> Result<&mut [u8], SlotError> {
        let array = self.array(field)?;
        let range = array.rows(self.rows(self.layout.schema().fields()[field].level));
        self.written |= 1 << field;
        Ok(&mut self.bytes[range])
    }

    /// Copies all rows of field `field`, row by row: `nodes x width` elements for a node-level field.
    pub fn write<T: Element>(&mut self, field: usize, rows: &[T]) -> Result<(), SlotError> {
        let array = self.array(field)?;
        if array.dtype != T::DTYPE {
            return Err(SlotError::Dtype { field: array.name.clone(), expected: array.dtype, found: T::DTYPE });
        }
        self.write_bytes(field, bytemuck::cast_slice(rows))
    }

    /// Writes the edges, source and target of each as nodes of this graph, counted from 0.
    pub fn write_edges(&mut self, sources: &[i64], targets: &[i64]) -> Result<(), SlotError> {
        self.write_edge_index(IndexBytes::of(sources), IndexBytes::of(targets))
    }

    /// As [`write_edges`](Self::write_edges), of numbers of any width.
    pub fn write_edge_index(&mut self, sources: IndexBytes<'_>, targets: IndexBytes<'_>) -> Result<(), SlotError> {
        let [nodes, edges] = self.size.0;
        let array = self.layout.own().edge_index;
        let bytes = array.dtype.bytes();
        let rows = self.rows(Level::Edge);
        let (batch_sources, batch_targets) = self.bytes[array.range()].split_at_mut(bytes * self.layout.shape().edges);
        for (local, batch) in [(sources, batch_sources), (targets, batch_targets)] {
            if local.len() != edges as usize {
                return Err(SlotError::Length {
                    field: "edge_index".into(),
                    expected: local.width().bytes() * edges as usize,
                    found: local.bytes().len(),
                });
            }
            let batch = &mut batch[bytes * rows.start..bytes * rows.end];
            if !local.write(batch, array.dtype, self.start[0], nodes) {
                let outside = |edge: &usize| !(0..i64::from(nodes)).contains(&local.at(*edge));
                let edge = (0..local.len()).find(outside).unwrap_or_default();
                return Err(SlotError::Node { edge, node: local.at(edge), nodes });
            }
        }
        self.written |= 1 << EDGES;
        Ok(())
    }

    /// Refuses a graph that was not written whole: its rows would be those of an earlier batch.
    pub(crate) fn check(&self) -> Result<(), SlotError> {
        let missing = |field: &usize| self.written & (1 << *field) == 0;
        let fields = self.layout.schema().fields();
        if let Some(field) =
            (0..fields.len()).find(|field| missing(field) && !self.rows(fields[*field].level).is_empty())
        {
            return Err(SlotError::Missing { field: fields[field].name.clone() });
        }
        if missing(&EDGES) && self.size.0[1] > 0 {
            return Err(SlotError::Missing { field: "edge_index".into() });
        }
        Ok(())
    }

    fn array(&self, field: usize) -> Result<&'a ArrayInfo, SlotError> {
        let fields = self.layout.schema().fields().len();
        if field < fields { Ok(&self.layout.arrays()[field]) } else { Err(SlotError::Field { field, fields }) }
    }
}

/// A graph that does not fit its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SlotError {
    /// The schema has no such field.
    #[error("field {field} of a schema with {fields} fields")]
    Field {
        /// Position asked for.
        field: usize,
        /// Number of fields.
        fields: usize,
    },
    /// Values of another type than the schema says.
    #[error("field {field:?} has dtype {expected}, found {found}")]
    Dtype {
        /// Name of the field.
        field: String,
        /// What the schema says.
        expected: Dtype,
        /// What was written.
        found: Dtype,
    },
    /// More or fewer values than the size of the graph says.
    #[error("field {field:?} has {expected} bytes for this graph, found {found}")]
    Length {
        /// Name of the field.
        field: String,
        /// Bytes that the graph has.
        expected: usize,
        /// Bytes that were written.
        found: usize,
    },
    /// A field was not written.
    #[error("field {field:?} of the graph was not written")]
    Missing {
        /// Name of the field.
        field: String,
    },
    /// A byte of a bool field is neither 0 nor 1.
    #[error("field {field:?} is bool, found a byte that is neither 0 nor 1")]
    Bool {
        /// Name of the field.
        field: String,
    },
    /// An edge to a node that the graph does not have.
    #[error("edge {edge} has node {node}, but the graph has {nodes} nodes")]
    Node {
        /// Number of the edge in the graph.
        edge: usize,
        /// Source or target.
        node: i64,
        /// Nodes of the graph.
        nodes: u32,
    },
}
