//! [`ArrayInfo`]: name, dtype, shape and place of one array of a batch; [`ArrayError`] if an array cannot be read.

use super::slot_error::no_bool;
use super::{Builtin, Dtype, Element};
use crate::error::{Cause, Error, ErrorKind, listed};
use std::ops::Range;

/// Describes one array of a batch: `rows x width` elements, row by row, from byte `start` of the batch's memory on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayInfo {
    /// Name of the array.
    pub name: String,
    /// Element type.
    pub dtype: Dtype,
    /// Number of rows, padding included; the number of columns for an index, which lies column after column.
    pub rows: usize,
    /// Elements per row; `None` for a vector.
    pub width: Option<usize>,
    /// Offset of the first byte in the memory of the batch.
    pub start: usize,
    /// Whether this is a field or an index of the data set, or an array that batches have beside them.
    pub kind: ArrayKind,
}

/// What an array of a batch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayKind {
    /// The field at this position of the schema.
    Field(usize),
    /// The index at this position of the schema.
    Index(usize),
    /// An array that batches have beside fields and indices.
    Builtin(Builtin),
}

impl ArrayKind {
    /// Whether the array holds indices, of the type that
    /// [`Options::index`](field@crate::Options::index) asks for.
    pub const fn is_index(self) -> bool {
        match self {
            Self::Field(_) => false,
            Self::Index(_) => true,
            Self::Builtin(builtin) => builtin.is_index(),
        }
    }
}

impl ArrayInfo {
    /// Bytes per row.
    #[inline]
    pub fn row_bytes(&self) -> usize {
        self.width.unwrap_or(1) * self.dtype.bytes()
    }

    /// The range of bytes that the array takes in the memory of the batch.
    pub fn range(&self) -> Range<usize> {
        self.bytes_of(0..self.rows)
    }

    /// The range of bytes that `rows` take in the memory of the batch.
    #[inline]
    pub(crate) fn bytes_of(&self, rows: Range<usize>) -> Range<usize> {
        self.start + rows.start * self.row_bytes()..self.start + rows.end * self.row_bytes()
    }

    /// Returns this array, or an error if its elements are not of type `T`.
    pub(crate) fn expect<T: Element>(&self) -> Result<&Self, Error> {
        ArrayError::check::<T>(&self.name, self.dtype)?;
        Ok(self)
    }
}

/// An array of a batch cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArrayError {
    #[error("there is no array {name:?}; there {}", listed(.available))]
    Missing { name: String, available: Vec<String> },
    #[error("array {name:?} has dtype {expected}, asked for {found}")]
    Dtype { name: String, expected: Dtype, found: Dtype },
    #[error("array {name:?} is bool: expected bytes 0 and 1, found {found}")]
    Invalid { name: String, found: u8 },
}

impl Cause for ArrayError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Missing { .. } => ErrorKind::Missing,
            _ => ErrorKind::Data,
        }
    }
}

impl ArrayError {
    /// Errors unless elements of `dtype` are of type `T`.
    pub(crate) fn check<T: Element>(name: &str, dtype: Dtype) -> Result<(), Self> {
        if dtype == T::DTYPE {
            return Ok(());
        }
        Err(Self::Dtype { name: name.to_owned(), expected: dtype, found: T::DTYPE })
    }

    pub(crate) fn missing<'a>(name: &str, available: impl IntoIterator<Item = &'a String>) -> Error {
        Self::Missing { name: name.to_owned(), available: available.into_iter().cloned().collect() }.into()
    }

    /// The error that not all `bytes` of an array are bools.
    pub(crate) fn invalid(name: &str, bytes: &[u8]) -> Error {
        Self::Invalid { name: name.to_owned(), found: no_bool(bytes) }.into()
    }
}
