//! [`ArrayInfo`]: one array of a batch, and [`ArrayError`] where it cannot be had as asked.

use super::{Builtin, Dtype, Element};
use std::ops::Range;

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
    /// Which of the arrays that every batch has; `None` for a field of the data set.
    pub builtin: Option<Builtin>,
}

impl ArrayInfo {
    /// Bytes per row.
    pub fn row_bytes(&self) -> usize {
        self.width.unwrap_or(1) * self.dtype.bytes()
    }

    /// The bytes of the array.
    pub fn range(&self) -> Range<usize> {
        self.bytes_of(0..self.rows)
    }

    /// The bytes of some rows.
    pub(crate) fn bytes_of(&self, rows: Range<usize>) -> Range<usize> {
        self.start + rows.start * self.row_bytes()..self.start + rows.end * self.row_bytes()
    }

    /// This array, if its elements are of type `T`.
    pub(crate) fn expect<T: Element>(&self) -> Result<&Self, ArrayError> {
        ArrayError::check::<T>(&self.name, self.dtype)?;
        Ok(self)
    }
}

/// An array that cannot be had as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayError {
    /// The batch has no such array.
    #[error("the batch has no array {name:?}")]
    Missing {
        /// Name asked for.
        name: String,
    },
    /// The array has another element type.
    #[error("array {name:?} has dtype {expected}, asked for {found}")]
    Dtype {
        /// Name asked for.
        name: String,
        /// Its dtype.
        expected: Dtype,
        /// The dtype asked for.
        found: Dtype,
    },
    /// The source wrote bytes that are no values of the dtype: a bool other than 0 and 1.
    #[error("array {name:?} holds bytes that are no {dtype}")]
    Invalid {
        /// Name asked for.
        name: String,
        /// Its dtype.
        dtype: Dtype,
    },
}

impl ArrayError {
    /// Errors unless elements of `dtype` are of type `T`.
    pub(crate) fn check<T: Element>(name: &str, dtype: Dtype) -> Result<(), Self> {
        if dtype == T::DTYPE {
            return Ok(());
        }
        Err(Self::Dtype { name: name.to_owned(), expected: dtype, found: T::DTYPE })
    }

    pub(crate) fn missing(name: &str) -> Self {
        Self::Missing { name: name.to_owned() }
    }

    pub(crate) fn invalid(name: &str, dtype: Dtype) -> Self {
        Self::Invalid { name: name.to_owned(), dtype }
    }
}
