//! Indices of a graph: how a [`Slot`] writes and reads them.

use super::{GraphSpan, IndexBytes, Level, MAX_COLUMNS, RowNumber, Slot, SlotError};
use crate::error::Error;

impl Slot<'_> {
    /// Whether batches carry the index at a position of this schema.
    pub(super) fn carries_index(&self, index: Option<usize>) -> bool {
        index.and_then(|at| self.layout.index(self.index_at(at)?)).is_some_and(|(_, array)| array.is_some())
    }

    /// Writes an index, column by column, with rows counted from 0 within this graph: sources and targets of
    /// `edge_index`. Numbers may have any type; the fewer bytes they have, the fewer are read.
    pub fn set_index<T: RowNumber>(&mut self, name: &str, columns: &[&[T]]) -> Result<(), Error> {
        let position = self.schema().find_index(name).ok_or_else(|| self.no_index(name))?;
        if let Some(at) = self.index_at(position) {
            self.expect_first(self.layout.schema().fields().len() + at, name)?;
        }
        let mut narrow = [IndexBytes::EMPTY; MAX_COLUMNS + 1];
        narrow.iter_mut().zip(columns).for_each(|(narrow, column)| *narrow = IndexBytes::of(column));
        self.set_index_at(position, &narrow[..columns.len().min(MAX_COLUMNS + 1)])
    }

    /// Writes the index at a position of this schema.
    #[inline]
    pub(crate) fn set_index_at(&mut self, index: usize, columns: &[IndexBytes<'_>]) -> Result<(), Error> {
        let position = self.index_at(index);
        let Some((position, place)) = position.and_then(|at| Some((at, self.layout.indices.get(at)?))) else {
            return Err(self.no_index(&format!("number {index}")));
        };
        let mark = self.layout.schema().fields().len() + position;
        if place.array.is_none() {
            self.progress.written.set(mark);
            return Ok(());
        }
        let span = GraphSpan::new(self.before, &self.progress.size);
        let rows = span.rows(place.level);
        let targets = place.targets();
        if columns.len() != targets.len() || columns.iter().any(|column| column.len() != rows.len()) {
            self.progress.refuse(mark);
            return Err(self.wrong_length(position, columns));
        }
        let bytes = place.dtype.bytes();
        let mut start = place.start + bytes * rows.start;
        for (column, &target) in columns.iter().zip(targets) {
            let target = Level::Set(target);
            let batch = &mut self.bytes[start..start + bytes * rows.len()];
            if !column.write(batch, place.dtype, span.rows(target).start, span.count(target) as u32) {
                self.progress.refuse(mark);
                return Err(self.wrong_row(position, columns));
            }
            start += place.stride;
        }
        self.progress.written.set(mark);
        Ok(())
    }

    #[cold]
    fn no_index(&self, index: &str) -> Error {
        let available = self.schema().indices().iter().map(|index| index.name.clone()).collect();
        SlotError::Field { field: format!("{index:?}"), available }.into()
    }

    /// The error of columns that are too many, too few, too long or too short.
    #[cold]
    fn wrong_length(&self, position: usize, columns: &[IndexBytes<'_>]) -> Error {
        let of = &self.layout.schema().indices()[position];
        let (index, expected, found) = (of.name.clone(), of.width(), columns.len());
        if expected != found {
            return SlotError::Columns { index, expected, found }.into();
        }
        let found = columns.iter().map(IndexBytes::len).collect();
        SlotError::Entries { index, rows: self.span().count(of.level), found }.into()
    }

    /// The error of the first entry for a row that the graph does not have.
    #[cold]
    fn wrong_row(&self, position: usize, columns: &[IndexBytes<'_>]) -> Error {
        let index = &self.layout.schema().indices()[position];
        let rows = |column: usize| self.span().count(Level::Set(index.targets[column])) as u32;
        let entries = columns
            .iter()
            .enumerate()
            .flat_map(|(column, of)| of.iter().enumerate().map(move |(entry, row)| (column, entry, row)));
        let outside = |&(column, _, row): &(usize, usize, i64)| !(0..i64::from(rows(column))).contains(&row);
        let (column, entry, row) = { entries }.find(outside).unwrap_or_default();
        let set = self.layout.schema().level_name(Level::Set(index.targets[column])).to_owned();
        SlotError::Row { index: index.name.clone(), column, entry, row, set, rows: rows(column) }.into()
    }

    /// Reads the columns of an index that was written, as rows counted within this graph, into `columns`, whose memory
    /// it uses again. Errors if batches do not carry the index, or if it was not written.
    pub fn index(&self, name: &str, columns: &mut Vec<Vec<i64>>) -> Result<(), Error> {
        let index = self.schema().find_index(name).ok_or_else(|| self.no_index(name))?;
        columns.resize_with(self.schema().indices()[index].width(), Vec::new);
        columns.iter_mut().enumerate().try_for_each(|(column, numbers)| self.read_column(name, column, numbers))
    }

    /// Reads a column of an index that was written into `numbers`, which is cleared first.
    pub(crate) fn read_column(&self, name: &str, column: usize, numbers: &mut Vec<i64>) -> Result<(), Error> {
        numbers.clear();
        let missing = || Error::from(SlotError::Missing { field: name.to_owned() });
        let position = self.schema().find_index(name).and_then(|at| self.index_at(at)).ok_or_else(missing)?;
        if !self.has_index(position) {
            return Err(self.unwritten(self.layout.schema().fields().len() + position));
        }
        let (of, array) = self.layout.index(position).ok_or_else(missing)?;
        let (array, &target) = (array.ok_or_else(missing)?, of.targets.get(column).ok_or_else(missing)?);
        let (rows, first) = (self.span().rows(of.level), self.span().rows(Level::Set(target)).start as i64);
        array.read_column(self.bytes, column, rows, first, numbers);
        Ok(())
    }

    /// Whether the index at a position of this schema was written.
    pub(super) fn is_index_set(&self, position: usize) -> bool {
        self.index_at(position).is_some_and(|position| self.has_index(position))
    }

    /// Whether the index at a position of the layout was written.
    pub(super) fn has_index(&self, position: usize) -> bool {
        self.progress.written.has(self.layout.schema().fields().len() + position)
    }

    /// The position in the layout of an index of this schema.
    #[inline(always)]
    pub(super) fn index_at(&self, index: usize) -> Option<usize> {
        self.within.map_or(Some(index), |within| within.index(index))
    }
}
