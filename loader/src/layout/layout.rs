//! [`Layout`]: where each array of a batch lies in its memory.

use super::{
    ArrayError, ArrayInfo, ArrayKind, Builtin, Carried, Dtype, Index, Level, MAX_COLUMNS, Marks, NeighbourField,
    Neighbours, Schema, Shape, SortedBy,
};
use crate::error::Error;
use graphpack_core::collate::next_start;
use std::ops::Range;
use std::sync::Arc;

/// Says where each array lies in the memory of a batch of one shape. The memory is contiguous, so that one copy brings
/// it to a device: first the fields of the data set, then its indices, then the built-in arrays in the order of
/// [`Builtin::all`]. Each array starts at a multiple of 64 bytes, a cache line.
///
/// ```
/// use graphpack_loader::{Loader, Options, molecules};
///
/// let loader = Loader::new(molecules::generate(1, 100), Options::graphs(8))?;
/// let layout = loader.layout().expect("one shape");
/// let x = layout.array("x").expect("a field of these molecules"); // int64 `[nodes, 9]`
/// assert_eq!(x.range().len(), 8 * 9 * layout.shape().nodes()); // bytes of the memory of each batch
/// # Ok::<(), graphpack_loader::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    schema: Arc<Schema>,
    shape: Shape,
    arrays: Vec<ArrayInfo>,
    /// Where each field lies.
    pub(super) fields: Vec<FieldPlace>,
    /// Where each index lies.
    pub(super) indices: Vec<IndexPlace>,
    /// Where the built-in arrays begin.
    builtins: usize,
    /// Where those of each matrix of neighbours begin.
    matrices: Vec<usize>,
    /// The orders of rows, in turn.
    pub(super) orders: Vec<SortedBy>,
    all_written: Marks,
    bytes: usize,
}

/// Where a field lies, computed once: a slot needs it for each graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FieldPlace {
    pub(crate) level: Level,
    /// Whether bytes must be 0 or 1.
    pub(super) is_bool: bool,
    /// Offset of the first row in the memory of the batch.
    start: usize,
    row_bytes: usize,
    /// The position of its array; `None` if batches do not carry it.
    array: Option<usize>,
}

impl FieldPlace {
    /// The range of bytes of `rows`; `None` if batches do not carry the field.
    #[inline]
    pub(crate) fn bytes_of(&self, rows: Range<usize>) -> Option<Range<usize>> {
        self.array?;
        Some(self.start + rows.start * self.row_bytes..self.start + rows.end * self.row_bytes)
    }
}

/// Where an index lies, computed once: a slot needs it for each graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct IndexPlace {
    pub(super) level: Level,
    /// Offset of the first entry of the first column in the memory of the batch.
    pub(super) start: usize,
    /// Bytes from one column to the next.
    pub(super) stride: usize,
    pub(super) dtype: Dtype,
    width: u8,
    targets: [u8; MAX_COLUMNS],
    /// The position of its array; `None` if batches do not carry it.
    pub(super) array: Option<usize>,
}

impl IndexPlace {
    /// The set that each column points into.
    #[inline]
    pub(super) fn targets(&self) -> &[u8] {
        &self.targets[..usize::from(self.width) % (MAX_COLUMNS + 1)]
    }
}

impl Layout {
    /// Returns the layout of batches of `shape` with indices of type `index`; `None` if a batch would have more bytes
    /// than memory can address, or more rows or graphs than its indices can count.
    pub(crate) fn new(schema: Arc<Schema>, carried: &Carried, shape: Shape, index: Dtype) -> Option<Self> {
        let most = shape.sets().iter().fold(shape.graphs(), |most, &rows| most.max(rows));
        if index == Dtype::I32 && i32::try_from(most).is_err() {
            return None;
        }
        let shape = shape.named(schema.sets());
        let mut arrays = Vec::new();
        let push = |arrays: &mut Vec<ArrayInfo>, name: &str, dtype, rows, row: &[usize], kind| {
            let (name, width) = (name.to_owned(), (!row.is_empty()).then(|| row.iter().product()));
            arrays.push(ArrayInfo { name, dtype, rows, width, row: row.to_vec(), start: 0, kind });
            arrays.len() - 1
        };
        let fields = schema.fields().iter().zip(&carried.fields).enumerate().map(|(position, (field, carried))| {
            let (rows, kind) = (shape.rows(field.level), ArrayKind::Field(position));
            let array = carried.then(|| push(&mut arrays, &field.name, field.dtype, rows, &field.row, kind));
            FieldPlace { level: field.level, is_bool: field.dtype == Dtype::Bool, start: 0, row_bytes: 0, array }
        });
        let mut fields: Vec<FieldPlace> = fields.collect();
        let indices = schema.indices().iter().zip(&carried.indices).enumerate().map(|(position, (of, carried))| {
            let (rows, kind) = (shape.rows(of.level), ArrayKind::Index(position));
            let array = carried.then(|| push(&mut arrays, &of.name, index, of.width(), &[rows], kind));
            let mut targets = [0; MAX_COLUMNS];
            targets.iter_mut().zip(&of.targets).for_each(|(target, set)| *target = *set);
            let width = of.width().min(MAX_COLUMNS) as u8;
            IndexPlace { level: of.level, start: 0, stride: 0, dtype: index, width, targets, array }
        });
        let mut indices: Vec<IndexPlace> = indices.collect();
        let builtins = arrays.len();
        let mut matrices = Vec::new();
        for &builtin in &carried.builtins {
            let ((level, more), name) = (builtin.length(), schema.array_name(builtin));
            let row = match builtin {
                Builtin::NeighbourField(NeighbourField { of, field, .. }) => {
                    schema.fields()[usize::from(field)].shape(of.most as usize)
                }
                _ => builtin.width(shape.rows(builtin.of())).into_iter().collect(),
            };
            let (rows, kind) = (shape.rows(level) + more, ArrayKind::Builtin(builtin));
            let at = push(&mut arrays, &name, builtin.dtype(index), rows, &row, kind);
            if matches!(builtin, Builtin::Neighbours(_)) {
                matrices.push(at);
            }
        }
        let mut bytes = 0_usize;
        for array in &mut arrays {
            array.start = bytes;
            bytes = next_start(bytes, array.rows, array.width.unwrap_or(1), array.dtype)?;
        }
        for place in &mut fields {
            (place.start, place.row_bytes) =
                place.array.map_or((0, 0), |at| (arrays[at].start, arrays[at].row_bytes()));
        }
        for place in &mut indices {
            (place.start, place.stride) = place.array.map_or((0, 0), |at| (arrays[at].start, arrays[at].row_bytes()));
        }
        let all_written = Marks::first(schema.fields().len() + schema.indices().len());
        let orders = schema.orders_in_turn();
        Some(Self { schema, shape, arrays, fields, indices, builtins, matrices, orders, all_written, bytes })
    }

    /// The sets, fields and indices of the data set.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The shape of the batches that have this layout.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// All arrays, fields first.
    pub fn arrays(&self) -> &[ArrayInfo] {
        &self.arrays
    }

    /// The array named `name`; `None` if there is none.
    pub fn array(&self, name: &str) -> Option<&ArrayInfo> {
        self.arrays.iter().find(|array| array.name == name)
    }

    /// Returns the position of the array named `name` among all [`arrays`](Self::arrays), or an error with the names
    /// that there are.
    pub fn find(&self, name: &str) -> Result<usize, Error> {
        self.arrays.iter().position(|array| array.name == name).ok_or_else(|| self.missing(name))
    }

    /// Returns the array named `name`, or an error if it is missing or its elements are not of type `T`.
    pub(crate) fn typed<T: super::Element>(&self, name: &str) -> Result<&ArrayInfo, Error> {
        let array = self.array(name).ok_or_else(|| self.missing(name))?;
        ArrayError::check::<T>(name, array.dtype)?;
        Ok(array)
    }

    /// The error that there is no array named `name`.
    pub(crate) fn missing(&self, name: &str) -> Error {
        ArrayError::missing(name, self.arrays.iter().map(|array| &array.name))
    }

    /// One of the built-in arrays; `None` if batches do not carry it.
    pub fn builtin(&self, builtin: Builtin) -> Option<&ArrayInfo> {
        Some(&self.arrays[self.position(builtin)?])
    }

    /// The position of a built-in array among all [`arrays`](Self::arrays); `None` if batches do not carry it.
    pub fn position(&self, builtin: Builtin) -> Option<usize> {
        self.arrays.iter().rposition(|array| array.kind == ArrayKind::Builtin(builtin))
    }

    /// The matrices of neighbours, each with its first three arrays and its index.
    #[inline]
    pub(crate) fn neighbours(&self) -> impl Iterator<Item = (Neighbours, [&ArrayInfo; 3], &ArrayInfo)> {
        self.matrices.iter().filter_map(|&first| {
            let [neighbours, edges, mask, ..] = &self.arrays[first..] else { return None };
            let ArrayKind::Builtin(Builtin::Neighbours(of)) = neighbours.kind else { return None };
            Some((of, [neighbours, edges, mask], self.index(of.index.into())?.1?))
        })
    }

    /// The built-in arrays.
    #[inline]
    pub(crate) fn builtins(&self) -> impl Iterator<Item = (Builtin, &ArrayInfo)> {
        self.arrays[self.builtins..].iter().filter_map(|array| match array.kind {
            ArrayKind::Builtin(builtin) => Some((builtin, array)),
            _ => None,
        })
    }

    /// The level of the field at `position` in the schema, and its array if batches carry it.
    pub(crate) fn field(&self, position: usize) -> Option<(Level, Option<&ArrayInfo>)> {
        let place = self.fields.get(position)?;
        Some((place.level, place.array.map(|array| &self.arrays[array])))
    }

    /// The index at `position` in the schema, and its array if batches carry it.
    pub(crate) fn index(&self, position: usize) -> Option<(&Index, Option<&ArrayInfo>)> {
        let place = self.indices.get(position)?;
        Some((&self.schema.indices()[position], place.array.map(|array| &self.arrays[array])))
    }

    /// One bit for each field and index, as a [`Slot`](super::Slot) marks them.
    #[inline]
    pub(super) fn all_written(&self) -> Marks {
        self.all_written
    }

    /// Moves what sources write of a batch in these `bytes` to where it lies in a layout of the same arrays with fewer
    /// rows: its fields, indices and `graph_ids`.
    pub(crate) fn shrink(&self, to: &Self, bytes: &mut [u8]) {
        for (from, to) in self.arrays.iter().zip(&to.arrays) {
            match from.kind {
                ArrayKind::Index(_) => (0..to.rows).for_each(|column| {
                    let rows = to.column_bytes(column, 0..to.width.unwrap_or(0));
                    let first = from.column_bytes(column, 0..0).start;
                    bytes.copy_within(first..first + rows.len(), rows.start);
                }),
                ArrayKind::Field(_) | ArrayKind::Builtin(Builtin::GraphIds) => {
                    bytes.copy_within(from.bytes_of(0..to.rows), to.start);
                }
                ArrayKind::Builtin(_) => {}
            }
        }
    }

    /// The bytes after each array and before the next, or the end.
    pub(crate) fn gaps(&self) -> impl Iterator<Item = Range<usize>> {
        let ends = self.arrays.iter().map(|array| array.range().end);
        let starts = self.arrays.iter().skip(1).map(|array| array.start).chain([self.bytes]);
        ends.zip(starts).map(|(end, start)| end..start)
    }

    /// Number of bytes of a batch.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
