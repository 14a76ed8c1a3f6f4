//! [`Column`]: one field of a data set.

use super::StoreError;
use super::bytes::Bytes;
use crate::error::Error;
use crate::layout::{ArrayError, Element, Field, Level, Schema};
use std::ops::Range;

/// One field of a data set: `rows x width` elements, row by row.
#[derive(Clone, Debug)]
pub struct Column {
    field: Field,
    /// Bytes per row of the field, computed once.
    row_bytes: usize,
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

    /// Returns the column of the field of `schema` named `name`. Errors if there is none, or if its elements are not of
    /// type `T`.
    pub fn of<T: Element>(schema: &Schema, name: &str, elements: Vec<T>) -> Result<Self, Error> {
        schema.check()?;
        let names = || schema.fields().iter().map(|field| &field.name);
        let position = schema.position(name).ok_or_else(|| ArrayError::missing(name, names()))?;
        let field = schema.fields()[position].clone();
        ArrayError::check::<T>(name, field.dtype)?;
        Ok(Self::from_parts(field, Bytes::new(bytemuck::cast_slice(&elements))))
    }

    /// Sets the value of all elements in padding rows ([`Field::padded`]).
    #[must_use]
    pub fn padded(mut self, value: f64) -> Self {
        self.field.padding = value;
        self
    }

    /// Makes arrays of the field vectors, `[rows]` and not `[rows, 1]`, if its width is 1 ([`Field::vector`]).
    #[must_use]
    pub fn vector(mut self) -> Self {
        self.field.vector = true;
        self
    }

    /// Says in which unit the elements are ([`Field::in_unit`]).
    #[must_use]
    pub fn in_unit(mut self, unit: impl Into<String>) -> Self {
        self.field = self.field.in_unit(unit);
        self
    }

    /// Under the name that `name` returns for its own, if it returns one.
    pub(super) fn renamed(mut self, name: impl Fn(&str) -> Option<String>) -> Option<Self> {
        self.field.name = name(&self.field.name)?;
        Some(self)
    }

    /// Returns the column with the unit that the schema of a store gives its field.
    pub(super) fn in_unit_of(mut self, field: &Field) -> Self {
        self.field.unit.clone_from(&field.unit);
        self
    }

    pub(super) fn from_parts(field: Field, bytes: Bytes) -> Self {
        Self { row_bytes: field.row_bytes(), field, bytes }
    }

    /// Name, level, dtype and width.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// The elements of all rows.
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// Appends rows, as bytes.
    pub(super) fn push(&mut self, rows: &[u8]) {
        self.bytes.push(rows);
    }

    /// Returns the bytes of `rows`, which must exist.
    #[inline]
    pub(super) fn rows(&self, rows: Range<usize>) -> &[u8] {
        &self.bytes()[rows.start * self.row_bytes..rows.end * self.row_bytes]
    }

    /// Errors if rows of a mapped file are not as they were written; see [`Bytes::check`].
    pub(super) fn check_rows(&self, rows: Range<usize>, most: u64) -> Result<(), Error> {
        self.bytes.check(rows.start * self.row_bytes..rows.end * self.row_bytes, most)
    }

    /// Copies all elements.
    pub(super) fn values<T: Element>(&self) -> Result<Vec<T>, Error> {
        let Field { name, dtype, .. } = &self.field;
        ArrayError::check::<T>(name, *dtype)?;
        let elements = self.bytes().chunks_exact(dtype.bytes()).map(bytemuck::checked::try_pod_read_unaligned);
        elements.collect::<Result<_, _>>().map_err(|_| ArrayError::invalid(name, self.bytes()))
    }

    /// Errors unless the column has `expected` rows.
    pub(super) fn check(&self, expected: usize) -> Result<(), Error> {
        let field = &self.field;
        if expected.checked_mul(field.row_bytes()) == Some(self.bytes.len()) {
            return Ok(());
        }
        let found = self.bytes.len() / field.dtype.bytes();
        Err(StoreError::Values { field: field.name.clone(), rows: expected, width: field.width, found }.into())
    }
}
