//! [`Column`]: one field of a data set.

use super::StoreError;
use super::bytes::Bytes;
use crate::layout::{ArrayError, Element, Field, Level};
use std::ops::Range;

/// One field of a data set: `rows x width` elements, row by row.
#[derive(Clone, Debug)]
pub struct Column {
    field: Field,
    /// Elements in native order.
    bytes: Bytes,
}

impl Column {
    /// Returns the column of a field with `width` elements per row. `elements` has all rows of the data set, one after
    /// the other.
    pub fn new<T: Element>(name: &str, level: Level, width: usize, elements: Vec<T>) -> Self {
        let bytes = Bytes::new(bytemuck::cast_slice(&elements));
        Self::from_parts(Field::new(name, level, T::DTYPE, width), bytes)
    }

    pub(super) fn from_parts(field: Field, bytes: Bytes) -> Self {
        Self { field, bytes }
    }

    /// Name, level, dtype and width.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// The elements of all rows.
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// Returns the bytes of a graph. `span` has its rows at the levels node, edge and graph, which must exist.
    pub(super) fn rows(&self, span: &[Range<usize>; 3]) -> &[u8] {
        let rows = self.field.level.of(span.each_ref());
        &self.bytes()[rows.start * self.field.row_bytes()..rows.end * self.field.row_bytes()]
    }

    /// Copies all elements.
    pub(super) fn values<T: Element>(&self) -> Result<Vec<T>, ArrayError> {
        let Field { name, dtype, .. } = &self.field;
        ArrayError::check::<T>(name, *dtype)?;
        let elements = self.bytes().chunks_exact(dtype.bytes()).map(bytemuck::checked::try_pod_read_unaligned);
        elements.collect::<Result<_, _>>().map_err(|_| ArrayError::invalid(name, *dtype))
    }

    /// Errors unless the column has one row for each of the nodes, edges or graphs, whose numbers are `rows`.
    pub(super) fn check(&self, rows: [usize; 3]) -> Result<(), StoreError> {
        let (field, expected) = (&self.field, self.field.level.of(rows));
        if expected.checked_mul(field.row_bytes()) == Some(self.bytes.len()) {
            return Ok(());
        }
        let found = self.bytes.len() / field.row_bytes().max(1);
        Err(StoreError::Rows { field: field.name.clone(), expected, found })
    }
}
