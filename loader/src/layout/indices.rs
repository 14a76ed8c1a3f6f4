//! [`IndexBytes`]: row numbers within a graph, as narrow as a store keeps them, and how a [`Slot`] writes, reads and
//! widens them.

use super::{Dtype, GraphSpan, Level, MAX_COLUMNS, Slot, SlotError};
use crate::error::Error;
use std::borrow::Cow;

/// A type of row numbers: u8, u16, u32, i32, i64 or usize.
pub trait RowNumber: bytemuck::NoUninit + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! row_numbers {
    ($($number:ty)*) => {
        $(impl sealed::Sealed for $number {}
        impl RowNumber for $number {})*
    };
}
row_numbers!(u8 u16 u32 i32 i64 usize);

/// The integer type of stored row numbers. Sets of up to 256 rows per graph need one byte per number, of up to 65,536
/// two; the fewer bytes are read, the faster batches are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexWidth {
    /// uint8.
    U8,
    /// uint16.
    U16,
    /// int32.
    I32,
    /// int64.
    I64,
}

impl IndexWidth {
    /// Bytes per number.
    pub(crate) fn bytes(self) -> usize {
        1 << self.shift()
    }

    /// Bytes per number, as a power of two.
    #[inline]
    fn shift(self) -> u32 {
        match self {
            Self::U8 => 0,
            Self::U16 => 1,
            Self::I32 => 2,
            Self::I64 => 3,
        }
    }

    /// Returns the narrowest type that holds all row numbers below `rows`.
    pub(crate) fn for_rows(rows: u64) -> Self {
        match rows {
            0..=0x100 => Self::U8,
            0x101..=0x1_0000 => Self::U16,
            0x1_0001..=0x8000_0000 => Self::I32,
            _ => Self::I64,
        }
    }
}

/// Row numbers, counted from 0 within a graph, as little-endian bytes.
#[derive(Clone, Copy)]
pub(crate) struct IndexBytes<'a> {
    width: IndexWidth,
    bytes: &'a [u8],
}

impl<'a> IndexBytes<'a> {
    /// No numbers.
    pub(crate) const EMPTY: Self = Self { width: IndexWidth::U8, bytes: &[] };

    /// Reads `bytes` as numbers of type `width`. They need no alignment; bytes at the end that do not make up a number
    /// are ignored.
    pub(crate) fn new(width: IndexWidth, bytes: &'a [u8]) -> Self {
        Self { width, bytes }
    }

    /// Borrows the numbers of a slice. Those beyond the signed type of their width are read as negative ones, which no
    /// graph has.
    pub(crate) fn of<T: RowNumber>(rows: &'a [T]) -> Self {
        let width = match size_of::<T>() {
            1 => IndexWidth::U8,
            2 => IndexWidth::U16,
            4 => IndexWidth::I32,
            _ => IndexWidth::I64,
        };
        // The crate compiles on little-endian machines only.
        Self { width, bytes: bytemuck::cast_slice(rows) }
    }

    /// Number of row numbers.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        // Not a division: it would be one of the longest instructions of writing a graph.
        self.bytes.len() >> self.width.shift()
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the number at position `place`, which must be below [`len`](Self::len).
    pub(crate) fn at(&self, place: usize) -> i64 {
        let width = self.width.bytes();
        let bytes = &self.bytes[place * width..(place + 1) * width];
        let mut wide = [0; 8];
        wide[..width].copy_from_slice(bytes);
        match self.width {
            IndexWidth::I32 => i64::from(i64::from_le_bytes(wide) as i32),
            _ => i64::from_le_bytes(wide),
        }
    }

    /// The numbers.
    pub(crate) fn iter(self) -> impl Iterator<Item = i64> + 'a {
        (0..self.len()).map(move |place| self.at(place))
    }

    /// Returns the bytes of the numbers as integers of this width, in which they fit.
    pub(crate) fn in_width(self, width: IndexWidth) -> Cow<'a, [u8]> {
        if width == self.width {
            return Cow::Borrowed(self.bytes);
        }
        let mut bytes = Vec::with_capacity(self.len() * width.bytes());
        self.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()[..width.bytes()]));
        Cow::Owned(bytes)
    }

    /// Writes the numbers plus `first` into `out`, an array of `dtype`. Returns false if a number is not below `rows`;
    /// the contents of `out` are then meaningless.
    pub(crate) fn write(&self, out: &mut [u8], dtype: Dtype, first: usize, rows: u32) -> bool {
        match dtype {
            Dtype::I32 => self.widen::<i32>(bytemuck::cast_slice_mut(out), first as i32, rows),
            _ => self.widen::<i64>(bytemuck::cast_slice_mut(out), first as i64, rows),
        }
    }

    fn widen<O: BatchInteger>(&self, out: &mut [O], first: O, rows: u32) -> bool {
        match self.width {
            IndexWidth::U8 => copy_narrow(self.bytes, out, first, rows, |[byte]: [u8; 1]| byte),
            IndexWidth::U16 => copy_narrow(self.bytes, out, first, rows, u16::from_le_bytes),
            IndexWidth::I32 => copy_wide(self.bytes, out, first, rows, |bytes| i64::from(i32::from_le_bytes(bytes))),
            IndexWidth::I64 => copy_wide(self.bytes, out, first, rows, i64::from_le_bytes),
        }
    }
}

/// An integer type that a batch may have for its indices.
pub(crate) trait BatchInteger: Copy + bytemuck::Pod {
    fn plus(self, local: i64) -> Self;
}

impl BatchInteger for i32 {
    fn plus(self, local: i64) -> Self {
        self.wrapping_add(local as i32)
    }
}

impl BatchInteger for i64 {
    fn plus(self, local: i64) -> Self {
        self.wrapping_add(local)
    }
}

// Two passes, one to find the largest number and one to copy: the compiler vectorizes each, but not one loop that does
// both.
fn copy_narrow<const W: usize, T: Copy + Ord + Into<i64>, O: BatchInteger>(
    bytes: &[u8],
    out: &mut [O],
    first: O,
    rows: u32,
    read: impl Fn([u8; W]) -> T,
) -> bool {
    let numbers = bytes.as_chunks::<W>().0;
    let largest = numbers.iter().map(|bytes| read(*bytes)).max();
    for (out, bytes) in out.iter_mut().zip(numbers) {
        *out = first.plus(read(*bytes).into());
    }
    largest.is_none_or(|largest| largest.into() < i64::from(rows))
}

// One pass without a branch, so that the compiler vectorizes it.
fn copy_wide<const W: usize, O: BatchInteger>(
    bytes: &[u8],
    out: &mut [O],
    first: O,
    rows: u32,
    read: impl Fn([u8; W]) -> i64,
) -> bool {
    let last = i64::from(rows) - 1;
    // Negative as soon as one number is negative or beyond the last row.
    let mut outside = 0_i64;
    for (out, bytes) in out.iter_mut().zip(bytes.as_chunks::<W>().0) {
        let local = read(*bytes);
        outside |= local | last.wrapping_sub(local);
        *out = first.plus(local);
    }
    outside >= 0
}

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
