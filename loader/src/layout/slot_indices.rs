//! How a [`Slot`] writes and reads the indices of its graph.

use super::{Dtype, FieldKey, Index, IndexBytes, Level, Slot, SlotError};

impl Slot<'_> {
    /// Whether batches carry this index, so that writing it has an effect.
    #[inline]
    pub fn carries_index(&self, index: impl FieldKey) -> bool {
        self.index_at(index).and_then(|index| self.layout.index(index)).is_some_and(|(_, array)| array.is_some())
    }

    /// Writes `edge_index`. Edge i goes from node `sources[i]` to node `targets[i]`, counted from 0 within this graph.
    pub fn write_edges(&mut self, sources: &[i64], targets: &[i64]) -> Result<(), SlotError> {
        self.write_index(Index::EDGE_INDEX, &[IndexBytes::of(sources), IndexBytes::of(targets)])
    }

    /// Writes an index, column by column, with rows counted from 0 within this graph. The numbers may have any width. A
    /// source that keeps narrow numbers reads fewer bytes: a [`Store`](crate::Store) of small graphs keeps one byte per
    /// number.
    #[inline]
    pub fn write_index(&mut self, index: impl FieldKey, columns: &[IndexBytes<'_>]) -> Result<(), SlotError> {
        let position = self.index_at(index);
        let Some((position, place)) = position.and_then(|at| Some((at, self.layout.index_place(at)?))) else {
            return Err(self.no_index(index));
        };
        self.written.set(self.layout.schema().fields().len() + position);
        if place.array.is_none() {
            return Ok(());
        }
        let rows = self.span.rows(place.level);
        let targets = place.targets();
        if columns.len() != targets.len() || columns.iter().any(|column| column.len() != rows.len()) {
            return Err(self.wrong_length(position, columns));
        }
        let bytes = place.dtype.bytes();
        let mut start = place.start + bytes * rows.start;
        for (column, &target) in columns.iter().zip(targets) {
            let target = Level::Set(target);
            let batch = &mut self.bytes[start..start + bytes * rows.len()];
            if !column.write(batch, place.dtype, self.span.rows(target).start, self.span.count(target) as u32) {
                return Err(self.wrong_row(position, columns));
            }
            start += place.stride;
        }
        Ok(())
    }

    #[cold]
    fn no_index(&self, index: impl FieldKey) -> SlotError {
        let available = self.schema().indices().iter().map(|index| index.name.clone()).collect();
        SlotError::Field { field: index.described(), available }
    }

    /// The error of columns that are too many, too few, too long or too short.
    #[cold]
    fn wrong_length(&self, position: usize, columns: &[IndexBytes<'_>]) -> SlotError {
        let index = &self.layout.schema().indices()[position];
        let found = columns.iter().map(IndexBytes::len).sum();
        SlotError::Length { field: index.name.clone(), rows: index.width(), width: self.span.count(index.level), found }
    }

    /// The error of the first entry for a row that the graph does not have.
    #[cold]
    fn wrong_row(&self, position: usize, columns: &[IndexBytes<'_>]) -> SlotError {
        let index = &self.layout.schema().indices()[position];
        let rows = |column: usize| self.span.count(Level::Set(index.targets[column])) as u32;
        let entries = columns
            .iter()
            .enumerate()
            .flat_map(|(column, of)| of.iter().enumerate().map(move |(entry, row)| (column, entry, row)));
        let outside = |&(column, _, row): &(usize, usize, i64)| !(0..i64::from(rows(column))).contains(&row);
        let (column, entry, row) = { entries }.find(outside).unwrap_or_default();
        let set = self.layout.schema().level_name(Level::Set(index.targets[column])).to_owned();
        SlotError::Row { index: index.name.clone(), column, entry, row, set, rows: rows(column) }
    }

    /// Reads a column of an index that was written, as rows counted within this graph, into `numbers`, which is cleared
    /// first. Errors if batches do not carry the index, or if it was not written.
    pub fn read_index(&self, index: &str, column: usize, numbers: &mut Vec<i64>) -> Result<(), SlotError> {
        numbers.clear();
        let missing = || SlotError::Missing { field: index.to_owned() };
        let position = self.index_at(index).filter(|&at| self.has_index(at)).ok_or_else(missing)?;
        let (of, array) = self.layout.index(position).ok_or_else(missing)?;
        let (array, &target) = (array.ok_or_else(missing)?, of.targets.get(column).ok_or_else(missing)?);
        let (rows, first) = (self.span.rows(of.level), self.span.rows(Level::Set(target)).start as i64);
        let start = array.start + column * array.row_bytes();
        let bytes = &self.bytes[start + array.dtype.bytes() * rows.start..start + array.dtype.bytes() * rows.end];
        match array.dtype {
            Dtype::I32 => numbers.extend(bytemuck::cast_slice(bytes).iter().map(|&row: &i32| i64::from(row) - first)),
            _ => numbers.extend(bytemuck::cast_slice(bytes).iter().map(|&row: &i64| row - first)),
        }
        Ok(())
    }

    /// Whether an index was written.
    pub(super) fn has_index(&self, position: usize) -> bool {
        self.written.has(self.layout.schema().fields().len() + position)
    }

    /// The position of an index in the layout.
    #[inline(always)]
    fn index_at(&self, index: impl FieldKey) -> Option<usize> {
        match self.within {
            None => index.index(self.layout.schema()),
            Some(within) => within.index(index.index(within.schema())?),
        }
    }
}
