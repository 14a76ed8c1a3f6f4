//! [`Layout`]: where each array of a batch lies in its memory.

use crate::{Dtype, Level, Schema, Shape};
use std::ops::Range;

/// Arrays start at multiples of this many bytes from the start of the memory, a cache line.
const ALIGN: usize = 64;

/// One array of a batch: `rows x width` elements from byte `start` on, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayInfo {
    /// Its name.
    pub name: String,
    /// Element type.
    pub dtype: Dtype,
    /// Rows, padding included; 2 for `edge_index`.
    pub rows: usize,
    /// Elements per row; `None` for a vector.
    pub width: Option<usize>,
    /// Offset of the first byte in the memory of the batch.
    pub start: usize,
}

impl ArrayInfo {
    /// Bytes per row.
    pub fn row_bytes(&self) -> usize {
        self.width.unwrap_or(1) * self.dtype.bytes()
    }

    /// The bytes of the array.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.rows * self.row_bytes()
    }

    /// The bytes of some rows.
    pub(crate) fn rows(&self, rows: Range<usize>) -> Range<usize> {
        self.start + rows.start * self.row_bytes()..self.start + rows.end * self.row_bytes()
    }
}

/// The arrays of all batches of one shape, in one contiguous piece of memory that can be copied to a device at once.
///
/// First the fields of the data set, then `edge_index [2, edges]`, `batch [nodes]`, `ptr [graphs + 1]` (int64, or int32 if
/// [asked for](crate::LoaderBuilder::narrow_indices)), `graph_ids [graphs]` (int64) and the masks `node_mask`, `edge_mask`, `graph_mask` (bool).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    schema: Schema,
    shape: Shape,
    arrays: Vec<ArrayInfo>,
    bytes: usize,
}

impl Layout {
    /// None if a batch would have more bytes than can be addressed, or more nodes or graphs than its indices can count.
    pub(crate) fn new(schema: Schema, shape: Shape, index: Dtype) -> Option<Self> {
        if index == Dtype::I32 && i32::try_from(shape.nodes.max(shape.graphs)).is_err() {
            return None;
        }
        let rows = |level: Level| level.of([shape.nodes, shape.edges, shape.graphs]);
        let fields = schema.fields().iter().map(|f| (f.name.as_str(), f.dtype, rows(f.level), Some(f.width)));
        let own = [
            ("edge_index", index, 2, Some(shape.edges)),
            ("batch", index, shape.nodes, None),
            ("ptr", index, shape.graphs + 1, None),
            ("graph_ids", Dtype::I64, shape.graphs, None),
            ("node_mask", Dtype::Bool, shape.nodes, None),
            ("edge_mask", Dtype::Bool, shape.edges, None),
            ("graph_mask", Dtype::Bool, shape.graphs, None),
        ];
        let mut bytes = 0_usize;
        let mut arrays = Vec::new();
        for (name, dtype, rows, width) in fields.chain(own) {
            let array = ArrayInfo { name: name.to_owned(), dtype, rows, width, start: bytes };
            let size = width.unwrap_or(1).checked_mul(dtype.bytes())?.checked_mul(rows)?;
            bytes = bytes
                .checked_add(size)?
                .checked_next_multiple_of(ALIGN)
                .filter(|&bytes| bytes <= isize::MAX as usize)?;
            arrays.push(array);
        }
        Some(Self { schema, shape, arrays, bytes })
    }

    /// The fields of the data set.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The shape of the batches that lie so.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// All arrays.
    pub fn arrays(&self) -> &[ArrayInfo] {
        &self.arrays
    }

    /// The array `name`.
    pub fn array(&self, name: &str) -> Option<&ArrayInfo> {
        self.arrays.iter().find(|array| array.name == name)
    }

    /// Bytes of a batch.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The arrays that every batch has, in the order in which [`new`](Self::new) lays them out.
    pub(crate) fn own(&self) -> Own<'_> {
        let own = &self.arrays[self.schema.fields().len()..];
        Own {
            edge_index: &own[0],
            batch: &own[1],
            ptr: &own[2],
            graph_ids: &own[3],
            node_mask: &own[4],
            edge_mask: &own[5],
            graph_mask: &own[6],
        }
    }
}

/// See [`Layout`].
#[derive(Clone, Copy)]
pub(crate) struct Own<'a> {
    pub(crate) edge_index: &'a ArrayInfo,
    pub(crate) batch: &'a ArrayInfo,
    pub(crate) ptr: &'a ArrayInfo,
    pub(crate) graph_ids: &'a ArrayInfo,
    pub(crate) node_mask: &'a ArrayInfo,
    pub(crate) edge_mask: &'a ArrayInfo,
    pub(crate) graph_mask: &'a ArrayInfo,
}
