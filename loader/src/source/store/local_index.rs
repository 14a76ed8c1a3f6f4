//! [`LocalIndex`]: an index of all graphs, in narrow integers.

use super::bytes::Bytes;
use crate::error::Error;
use crate::layout::{IndexBytes, IndexWidth};
use std::borrow::Cow;
use std::ops::Range;

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
            let pieces = parts.clone().map(|part| match part.columns[column].as_slice() {
                same if part.width == width => Cow::Borrowed(same),
                narrow => Cow::Owned(IndexBytes::new(part.width, narrow).widened(width)),
            });
            let pieces: Vec<_> = pieces.collect();
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
            let bytes = entries.iter().flat_map(|entry| entry.to_le_bytes().into_iter().take(self.width.bytes()));
            // Also without entries, so that the column is in memory.
            column.push(&bytes.collect::<Vec<_>>());
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
    pub(super) fn check_rows(&self, rows: Range<usize>, most: u64) -> Result<(), Error> {
        let width = self.width.bytes();
        self.columns.iter().try_for_each(|column| column.check(rows.start * width..rows.end * width, most))
    }

    /// Returns the entries in `rows` of each column, which must exist.
    #[inline]
    pub(super) fn rows(&self, rows: Range<usize>) -> impl ExactSizeIterator<Item = IndexBytes<'_>> {
        let width = self.width;
        let bytes = rows.start * width.bytes()..rows.end * width.bytes();
        self.columns.iter().map(move |column| IndexBytes::new(width, &column.as_slice()[bytes.clone()]))
    }
}
