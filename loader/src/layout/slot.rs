//! [`Slot`]: the rows of one graph in a batch, which a source writes.

use super::schema::MAX_FIELDS;
use super::{ArrayInfo, Builtin, Dtype, Element, GraphSpan, IndexBytes, Layout, Level};
use graphpack_core::Size;
use std::ops::Range;

/// The rows of one graph in a batch. A source writes every field and the edges directly into them, so that no graph
/// object is built in between.
///
/// ```
/// use graphpack_loader::graphpack_core::Size;
/// use graphpack_loader::{Dtype, Field, Level, Loader, Schema, Slot, Source, SourceError};
///
/// /// Rings of 3, 4, 5, ... nodes; the target of each is its number of nodes.
/// struct Rings(Schema);
///
/// impl Source for Rings {
///     fn schema(&self) -> &Schema {
///         &self.0
///     }
///     fn len(&self) -> usize {
///         100
///     }
///     fn size(&self, graph: usize) -> Size<2> {
///         Size([graph as u32 + 3; 2])
///     }
///     fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
///         let nodes = graph as i64 + 3;
///         slot.write(0, &[nodes])?; // field 0 of the schema
///         let sources: Vec<i64> = (0..nodes).collect();
///         let targets: Vec<i64> = (1..nodes).chain([0]).collect();
///         Ok(slot.write_edges(&sources, &targets)?)
///     }
/// }
///
/// let schema = Schema::new(vec![Field::new("y", Level::Graph, Dtype::I64, 1)])?;
/// let loader = Loader::new(Rings(schema)).batch_graphs(8).build()?;
/// for batch in loader.epoch(0) {
///     let batch = batch?;
///     let (ptr, y) = (batch.ptr::<i64>()?, batch.get::<i64>("y")?);
///     assert_eq!(ptr[1] - ptr[0], y[0]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Slot<'a> {
    bytes: &'a mut [u8],
    layout: &'a Layout,
    span: GraphSpan,
    /// Bit n is set once field n is written, the highest bit once the edges are.
    written: u128,
    /// Bit n is set once `rows_mut` returned field n.
    in_place: u128,
}

/// The bit of `written` that stands for the edges.
const EDGES: usize = MAX_FIELDS;

impl<'a> Slot<'a> {
    #[inline]
    pub(crate) fn new(bytes: &'a mut [u8], layout: &'a Layout, span: GraphSpan) -> Self {
        Self { bytes, layout, span, written: 0, in_place: 0 }
    }

    /// (nodes, edges) of the graph, as the source's `size` returned it.
    #[inline]
    pub fn size(&self) -> Size<2> {
        self.span.size()
    }

    /// Copies `rows`, all rows of this graph as bytes in native order, into the field at position `field` of the
    /// schema.
    #[inline]
    pub fn write_bytes(&mut self, field: usize, rows: &[u8]) -> Result<(), SlotError> {
        let (array, range) = self.field(field)?;
        if rows.len() != range.len() {
            return Err(SlotError::Length { field: array.name.clone(), expected: range.len(), found: rows.len() });
        }
        check_bools(array, rows)?;
        self.bytes[range].copy_from_slice(rows);
        self.written |= 1 << field;
        Ok(())
    }

    /// Returns all rows of the field at position `field` of the schema, to be written in place as bytes in native
    /// order. Until then they hold bytes of an earlier batch. A bool that is neither 0 nor 1 is an error after the
    /// source's `write` returns.
    pub fn rows_mut(&mut self, field: usize) -> Result<&mut [u8], SlotError> {
        let (_, range) = self.field(field)?;
        self.written |= 1 << field;
        self.in_place |= 1 << field;
        Ok(&mut self.bytes[range])
    }

    /// Copies `rows` into the field at position `field` of the schema, row by row: `nodes x width` elements for a
    /// node-level field.
    pub fn write<T: Element>(&mut self, field: usize, rows: &[T]) -> Result<(), SlotError> {
        let (array, _) = self.field(field)?;
        if array.dtype != T::DTYPE {
            return Err(SlotError::Dtype { field: array.name.clone(), expected: array.dtype, found: T::DTYPE });
        }
        self.write_bytes(field, bytemuck::cast_slice(rows))
    }

    /// Writes the edges. Edge i goes from node `sources[i]` to node `targets[i]`, counted from 0 within this graph.
    pub fn write_edges(&mut self, sources: &[i64], targets: &[i64]) -> Result<(), SlotError> {
        self.write_edge_index(IndexBytes::of(sources), IndexBytes::of(targets))
    }

    /// Writes the edges like [`write_edges`](Self::write_edges), from numbers of any width. A source that keeps narrow
    /// numbers reads fewer bytes: a [`Store`](crate::Store) of small graphs keeps one byte per number.
    #[inline]
    pub fn write_edge_index(&mut self, sources: IndexBytes<'_>, targets: IndexBytes<'_>) -> Result<(), SlotError> {
        let [nodes, edges] = self.span.size().0;
        let array = self.layout.builtin(Builtin::EdgeIndex);
        let bytes = array.dtype.bytes();
        let first_node = self.span.rows(Level::Node).start;
        let rows = self.span.rows(Level::Edge);
        let (batch_sources, batch_targets) = self.bytes[array.range()].split_at_mut(array.row_bytes());
        for (local, batch) in [(sources, batch_sources), (targets, batch_targets)] {
            if local.len() != edges as usize {
                return Err(SlotError::Length {
                    field: array.name.clone(),
                    expected: local.width().bytes() * edges as usize,
                    found: local.bytes().len(),
                });
            }
            let batch = &mut batch[bytes * rows.start..bytes * rows.end];
            if !local.write(batch, array.dtype, first_node, nodes) {
                let outside = |edge: &usize| !(0..i64::from(nodes)).contains(&local.at(*edge));
                let edge = (0..local.len()).find(outside).unwrap_or_default();
                return Err(SlotError::Node { edge, node: local.at(edge), nodes });
            }
        }
        self.written |= 1 << EDGES;
        Ok(())
    }

    /// Errors if a field or the edges were not written, which would leave rows of an earlier batch in place, or if a
    /// bool written in place is neither 0 nor 1.
    pub(crate) fn check(&self) -> Result<(), SlotError> {
        let missing = |field: usize| self.written & (1 << field) == 0;
        for (position, field) in self.layout.schema().fields().iter().enumerate() {
            if missing(position) && !self.span.rows(field.level).is_empty() {
                return Err(SlotError::Missing { field: field.name.clone() });
            }
            if self.in_place & (1 << position) != 0 {
                let (array, range) = self.field(position)?;
                check_bools(array, &self.bytes[range])?;
            }
        }
        if missing(EDGES) && self.span.size().0[1] > 0 {
            return Err(SlotError::Missing { field: Builtin::EdgeIndex.name().into() });
        }
        Ok(())
    }

    /// Returns the array of a field and the range of this graph's bytes in it.
    fn field(&self, field: usize) -> Result<(&'a ArrayInfo, Range<usize>), SlotError> {
        let unknown = || SlotError::Field { field, fields: self.layout.schema().fields().len() };
        let (array, level) = self.layout.field(field).ok_or_else(unknown)?;
        Ok((array, array.bytes_of(self.span.rows(level))))
    }
}

fn check_bools(array: &ArrayInfo, rows: &[u8]) -> Result<(), SlotError> {
    if array.dtype == Dtype::Bool && rows.iter().any(|&byte| byte > 1) {
        return Err(SlotError::Bool { field: array.name.clone() });
    }
    Ok(())
}

/// What a source wrote does not fit the schema or the size of the graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SlotError {
    /// The schema has no such field.
    #[error("there is no field {field}: the schema has {fields} fields, counted from 0")]
    Field {
        /// Position of the field in the call.
        field: usize,
        /// Number of fields.
        fields: usize,
    },
    /// The values have another dtype than the field.
    #[error("field {field:?} has dtype {expected}, found {found}")]
    Dtype {
        /// Name of the field.
        field: String,
        /// Dtype in the schema.
        expected: Dtype,
        /// Dtype that was written.
        found: Dtype,
    },
    /// There are more or fewer values than the size of the graph requires.
    #[error("field {field:?} has {expected} bytes for this graph, found {found}")]
    Length {
        /// Name of the field.
        field: String,
        /// Bytes that the graph needs.
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
    /// An edge names a node that the graph does not have.
    #[error("edge {edge} has node {node}, but the graph has {nodes} nodes")]
    Node {
        /// Number of the edge in the graph.
        edge: usize,
        /// Source or target of the edge.
        node: i64,
        /// Number of nodes of the graph.
        nodes: u32,
    },
}
