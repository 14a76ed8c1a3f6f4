//! [`Column`]: one field of a data set; [`LocalIndex`]: one index, in narrow integers.

use super::StoreError;
use super::bytes::Bytes;
use crate::error::Error;
use crate::layout::{ArrayError, Element, Field, IndexBytes, IndexWidth, Level, PaddingValue, Schema};
use std::ops::Range;
use std::sync::Arc;

/// One field of a data set with its elements: `rows x width`, row by row, the rows of all graphs one after the other.
///
/// ```
/// use graphpack_loader::{Column, Level};
///
/// let pos = Column::new("pos", Level::NODE, 3, vec![0.0_f32; 3 * 5]).in_unit("angstrom"); // of five nodes
/// assert_eq!(pos.field().width, 3);
/// ```
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

    /// Sets what padding rows hold ([`Field::padded`]).
    #[must_use]
    pub fn padded(mut self, value: impl Into<PaddingValue>) -> Self {
        self.field.padding = value.into();
        self
    }

    /// Sets the lengths of the axes of a row ([`Field::shaped`]): `&[]` makes arrays `[rows]`.
    #[must_use]
    pub fn shaped(mut self, row: &[usize]) -> Self {
        self.field = self.field.shaped(row);
        self
    }

    /// Says in which unit the elements are ([`Field::in_unit`]).
    #[must_use]
    pub fn in_unit(mut self, unit: impl Into<String>) -> Self {
        self.field = self.field.in_unit(unit);
        self
    }

    /// Says what the elements stand for ([`Field::labelled`]).
    #[must_use]
    pub fn labelled(mut self, labels: impl Into<Arc<[String]>>) -> Self {
        self.field = self.field.labelled(labels);
        self
    }

    /// Under the name that `name` returns for its own, if it returns one.
    pub(super) fn renamed(mut self, name: impl Fn(&str) -> Option<String>) -> Option<Self> {
        self.field.name = name(&self.field.name)?;
        Some(self)
    }

    /// Returns the column with the unit and the labels that the schema of a store gives its field.
    pub(super) fn described_as(mut self, field: &Field) -> Self {
        self.field.unit.clone_from(&field.unit);
        self.field.labels = field.labels.clone();
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
    pub(super) fn check_pages(&self, rows: Range<usize>) -> Result<(), Error> {
        self.bytes.check(rows.start * self.row_bytes..rows.end * self.row_bytes)
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

/// An index of all graphs, as row numbers counted within each graph.
#[derive(Clone, Debug)]
pub(super) struct LocalIndex {
    width: IndexWidth,
    columns: Vec<Bytes>,
}

impl LocalIndex {
    /// Stores `columns` in the narrowest integers for sets of at most `rows` rows per graph. All numbers must be below
    /// `rows`.
    pub(super) fn narrow(columns: &[Vec<i64>], rows: u64) -> Self {
        let width = IndexWidth::for_rows(rows);
        let columns = columns.iter().map(|column| {
            let mut bytes = Vec::with_capacity(column.len() * width.bytes());
            match width {
                IndexWidth::U8 => bytes.extend(column.iter().map(|&row| row as u8)),
                IndexWidth::U16 => bytes.extend(column.iter().flat_map(|&row| (row as u16).to_le_bytes())),
                IndexWidth::I32 => bytes.extend(column.iter().flat_map(|&row| (row as i32).to_le_bytes())),
                IndexWidth::I64 => bytes.extend(column.iter().flat_map(|&row| row.to_le_bytes())),
            }
            Bytes::new(&bytes)
        });
        Self { width, columns: columns.collect() }
    }

    /// Copies parts of an index, one after the other.
    pub(super) fn joined<'a>(parts: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let widest = parts.clone().max_by_key(|part| part.width.bytes());
        let (width, columns) = widest.map_or((IndexWidth::U8, 0), |part| (part.width, part.columns.len()));
        let column = |column: usize| {
            let of_part = |part: &'a Self| IndexBytes::new(part.width, part.columns[column].as_slice());
            let pieces: Vec<_> = parts.clone().map(|part| of_part(part).in_width(width)).collect();
            Bytes::joined(&pieces.iter().map(|piece| &**piece).collect::<Vec<_>>())
        };
        Self { width, columns: (0..columns).map(column).collect() }
    }

    /// Takes columns of the given width as they are.
    pub(super) fn new(width: IndexWidth, columns: Vec<Bytes>) -> Self {
        Self { width, columns }
    }

    /// Appends the entries of a graph, which are all below `rows`, in wider integers than before where they need them.
    pub(super) fn push(&mut self, columns: &[Vec<i64>], rows: u64) {
        let width = IndexWidth::for_rows(rows);
        if width.bytes() > self.width.bytes() {
            let wide: Vec<Vec<i64>> = self.rows(0..self.len()).map(|column| column.iter().collect()).collect();
            *self = Self::narrow(&wide, rows);
        }
        for (column, entries) in self.columns.iter_mut().zip(columns) {
            // Also without entries, so that the column is in memory.
            column.push(&IndexBytes::of(entries).in_width(self.width));
        }
    }

    /// Type of the numbers.
    pub(super) fn width(&self) -> IndexWidth {
        self.width
    }

    /// Number of entries of each column.
    pub(super) fn len(&self) -> usize {
        self.columns.first().map_or(0, Bytes::len) / self.width.bytes()
    }

    /// Errors if entries of a mapped file are not as they were written; see [`Bytes::check`].
    pub(super) fn check_pages(&self, rows: Range<usize>) -> Result<(), Error> {
        let width = self.width.bytes();
        self.columns.iter().try_for_each(|column| column.check(rows.start * width..rows.end * width))
    }

    /// Returns the entries in `rows` of each column, which must exist.
    #[inline]
    pub(super) fn rows(&self, rows: Range<usize>) -> impl ExactSizeIterator<Item = IndexBytes<'_>> {
        let width = self.width;
        let bytes = rows.start * width.bytes()..rows.end * width.bytes();
        self.columns.iter().map(move |column| IndexBytes::new(width, &column.as_slice()[bytes.clone()]))
    }
}
