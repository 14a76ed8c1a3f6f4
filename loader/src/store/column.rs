//! [`Column`]: one field of a data set.

use super::bytes::Bytes;
use crate::{Dtype, Element, Field, Level};
use std::ops::Range;

/// One field of a data set: `rows x width` elements, row by row.
#[derive(Clone, Debug)]
pub struct Column {
    pub(super) field: Field,
    /// Elements in native order.
    pub(super) bytes: Bytes,
}

impl Column {
    /// A field and its elements, row by row over the whole data set.
    pub fn new<T: Element>(name: &str, level: Level, width: usize, elements: Vec<T>) -> Self {
        Self::from_bytes(name, level, T::DTYPE, width, bytemuck::cast_slice(&elements))
    }

    fn from_bytes(name: &str, level: Level, dtype: Dtype, width: usize, bytes: &[u8]) -> Self {
        Self { field: Field::new(name, level, dtype, width), bytes: Bytes::new(bytes) }
    }

    /// The bytes of some rows, which there must be.
    pub(super) fn rows(&self, rows: Range<usize>) -> &[u8] {
        &self.bytes.as_slice()[rows.start * self.field.row_bytes()..rows.end * self.field.row_bytes()]
    }

    /// Name, level, dtype and width.
    pub fn field(&self) -> &Field {
        &self.field
    }
}
