//! [`Rows`]: numbers by rows, some of which may be unreadable; [`Labels`]: integers by rows, and their one-hot form.

use super::folder::Folder;
use crate::{CsvError, CsvRows, FormatError};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

/// The most columns of a one-hot form.
const MAX_CLASSES: i64 = 1 << 16;
/// The most numbers in the one-hot form of a graph, half a gigabyte: a small file of labels that are far apart would
/// otherwise fill all memory.
const MAX_NUMBERS: usize = 1 << 26;

/// Numbers by rows.
pub(super) struct Rows<T> {
    pub(super) cells: Vec<T>,
    pub(super) width: usize,
    /// Rows that cannot be read, whose cells are zeros, and why not.
    bad: BTreeMap<usize, FormatError>,
}

/// Integers by rows, counted from the least of each column.
pub(super) struct Labels {
    path: PathBuf,
    rows: Rows<u32>,
    /// Where each column begins in the one-hot form, and its end.
    starts: Vec<usize>,
}

impl<T: Copy + Default> Rows<T> {
    /// Reads a file, which must have this many rows; `None` if it is not there. Errors where rows cannot be told apart.
    fn read(
        folder: &mut Folder,
        name: &str,
        expected: usize,
        cell: impl Fn(&CsvRows, usize) -> Result<T, CsvError>,
    ) -> Result<Option<Self>, FormatError> {
        let Some(mut file) = folder.rows(name)? else { return Ok(None) };
        let (mut cells, mut width, mut bad) = (Vec::new(), 1, BTreeMap::new());
        while file.advance()? {
            let row = file.line() as usize - 1;
            width = if row == 0 { file.width() } else { width };
            let before = cells.len();
            let mut read = || -> Result<(), CsvError> {
                file.expect_same_width(width)?;
                for column in 0..width {
                    cells.push(cell(&file, column)?);
                }
                Ok(())
            };
            if let Err(error) = read() {
                cells.truncate(before);
                cells.resize(before + width, T::default());
                bad.insert(row, error.into());
            }
        }
        let found = cells.len() / width;
        if found != expected {
            let expected = format!("{expected} rows");
            return Err(FormatError::wrong(folder.path(name), "", expected, found.to_string()));
        }
        Ok(Some(Self { cells, width, bad }))
    }

    /// The cells of a row.
    pub(super) fn row(&self, row: usize) -> &[T] {
        &self.cells[row * self.width..(row + 1) * self.width]
    }

    /// The rows that can be read.
    pub(super) fn good(&self) -> impl Iterator<Item = &[T]> {
        let rows = self.cells.chunks_exact(self.width).enumerate();
        rows.filter(|(row, _)| !self.bad.contains_key(row)).map(|(_, cells)| cells)
    }

    /// Errors, once, if a row of these cannot be read.
    pub(super) fn expect(&mut self, rows: Range<usize>) -> Result<(), FormatError> {
        let bad = self.bad.range(rows).next().map(|(row, _)| *row);
        bad.and_then(|row| self.bad.remove(&row)).map_or(Ok(()), Err)
    }

    /// The same rows of other cells.
    pub(super) fn map<U>(self, each: impl FnMut((usize, T)) -> U) -> Rows<U> {
        let cells = self.cells.into_iter().enumerate().map(each).collect();
        Rows { cells, width: self.width, bad: self.bad }
    }
}

impl Labels {
    /// Reads a file of `rows` rows; `None` if it is not there.
    pub(super) fn read(folder: &mut Folder, name: &str, rows: usize) -> Result<Option<Self>, FormatError> {
        let Some(rows) = integers(folder, name, rows)? else { return Ok(None) };
        let (mut starts, mut least, width) = (vec![0], Vec::new(), rows.width);
        for column in 0..width {
            let of_column = || rows.good().map(|cells| cells[column]);
            let (first, last) = (of_column().min().unwrap_or(0), of_column().max().unwrap_or(0));
            let classes = last.checked_sub(first).filter(|classes| *classes < MAX_CLASSES);
            let classes = classes.ok_or_else(|| {
                let expected = format!("labels within {MAX_CLASSES} of each other in column {}", column + 1);
                FormatError::wrong(folder.path(name), "", expected, format!("{first} and {last}"))
            })?;
            starts.push(starts[column] + classes as usize + 1);
            least.push(first);
        }
        let rows = rows.map(|(at, cell)| (cell.saturating_sub(least[at % width])) as u32);
        Ok(Some(Self { path: folder.path(name), rows, starts }))
    }

    /// Errors, once, if a row of these cannot be read.
    pub(super) fn expect(&mut self, rows: Range<usize>) -> Result<(), FormatError> {
        self.rows.expect(rows)
    }

    /// Columns of the one-hot form.
    pub(super) fn classes(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// Zeros for the one-hot form of the rows of a graph.
    pub(super) fn zeros(&self, graph: usize, rows: usize) -> Result<Vec<f64>, FormatError> {
        let numbers = self.classes().saturating_mul(rows);
        if numbers > MAX_NUMBERS {
            let expected = format!("labels whose one-hot form has at most {MAX_NUMBERS} numbers");
            let found = format!("{rows} rows of {} numbers", self.classes());
            return Err(FormatError::wrong(&self.path, format!("graph {}", graph + 1), expected, found));
        }
        Ok(vec![0.0; numbers])
    }

    /// Adds the one-hot form of a row to `to`.
    pub(super) fn add(&self, row: usize, to: &mut [f64]) {
        for (cell, start) in self.rows.row(row).iter().zip(&self.starts) {
            to[start + *cell as usize] += 1.0;
        }
    }
}

/// The integers of a file of `rows` rows; `None` if it is not there.
pub(super) fn integers(folder: &mut Folder, name: &str, rows: usize) -> Result<Option<Rows<i64>>, FormatError> {
    Rows::read(folder, name, rows, CsvRows::integer)
}

/// The numbers of a file of `rows` rows; `None` if it is not there.
pub(super) fn numbers(folder: &mut Folder, name: &str, rows: usize) -> Result<Option<Rows<f64>>, FormatError> {
    Rows::read(folder, name, rows, CsvRows::double)
}
