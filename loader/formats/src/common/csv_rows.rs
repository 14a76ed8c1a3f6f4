//! [`CsvRows`]: a csv file of numbers without a header, of which one row is in memory.

use super::{Bounded, ReadError, compressed};
use csv::{ByteRecord, Reader, ReaderBuilder, Terminator};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A csv file of numbers without a header, of which one row is in memory. A row is a line: empty lines are refused,
/// except at the end.
pub struct CsvRows {
    path: PathBuf,
    reader: Reader<Bounded>,
    record: ByteRecord,
    rows: u64,
}

impl CsvRows {
    /// The rows of an open file; `path` is only for messages.
    pub fn new(path: &Path, from: Box<dyn Read + Send>, delimiter: u8) -> Self {
        // csv counts lines at `\n`; one is appended so that the last row's number is right. A `\r` before it stays in
        // its cell, where it is trimmed.
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter).terminator(Terminator::Any(b'\n'));
        let reader = builder.from_reader(Bounded::new(from.chain(&b"\n"[..])));
        Self { path: path.to_owned(), reader, record: ByteRecord::new(), rows: 0 }
    }

    /// Opens a file, decompressing it if it is compressed.
    pub fn open(path: &Path, delimiter: u8) -> Result<Self, CsvError> {
        Ok(Self::new(path, compressed::open(path)?, delimiter))
    }

    /// Reads `path`, or `path` without its `.gz` if only that is there, whose rows must have `width` integers each.
    /// Returns the path that was read and the integers.
    pub fn read_integers(path: &Path, width: usize) -> Result<(PathBuf, Vec<i64>), CsvError> {
        let path = compressed::existing(path);
        let (mut rows, mut cells) = (Self::open(&path, b',')?, Vec::new());
        while rows.advance()? {
            rows.expect_width(width)?;
            for column in 0..width {
                cells.push(rows.integer(column)?);
            }
        }
        Ok((path, cells))
    }

    /// Goes to the next row; returns false if there is none.
    pub fn advance(&mut self) -> Result<bool, CsvError> {
        let line = self.rows + 1;
        loop {
            self.reader.get_mut().begin_record();
            let more = self.reader.read_byte_record(&mut self.record);
            if !more.map_err(|error| ReadError::csv(&self.path, line, error))? {
                return Ok(false);
            }
            if self.width() > 1 || self.record.as_slice() != b"\r" {
                break;
            }
        }
        self.rows = line;
        // Empty lines were passed over; rows would no longer be lines.
        if self.reader.position().line() > line + 1 {
            return Err(CsvError::Empty { path: self.path.clone(), line });
        }
        Ok(true)
    }

    /// The line of this row, from 1.
    pub fn line(&self) -> u64 {
        self.rows
    }

    /// Cells of this row.
    pub fn width(&self) -> usize {
        self.record.len()
    }

    /// Checks that this row has `expected` cells.
    pub fn expect_width(&self, expected: usize) -> Result<(), CsvError> {
        let found = self.width();
        if found == expected {
            return Ok(());
        }
        Err(CsvError::Width { path: self.path.clone(), line: self.rows, expected, found })
    }

    /// Checks that this row has `expected` cells, like those before it.
    pub fn expect_same_width(&self, expected: usize) -> Result<(), CsvError> {
        let found = self.width();
        if found == expected {
            return Ok(());
        }
        Err(CsvError::Ragged { path: self.path.clone(), line: self.rows, expected, found })
    }

    /// The text in a column, without blanks around it.
    pub fn cell(&self, column: usize) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.record.get(column).unwrap_or_default().trim_ascii())
    }

    /// The integer in a column.
    pub fn integer(&self, column: usize) -> Result<i64, CsvError> {
        let number = self.text(column).and_then(|text| text.parse().ok());
        number.ok_or_else(|| self.not(column, "an integer"))
    }

    /// The number in a column; NaN if it is empty.
    pub fn float(&self, column: usize) -> Result<f32, CsvError> {
        let text = self.text(column);
        let number = text.and_then(|text| if text.is_empty() { Some(f32::NAN) } else { text.parse().ok() });
        number.ok_or_else(|| self.not(column, "a number"))
    }

    /// The same, with all its digits; one that is infinite is an error, since nothing can be trained with it.
    pub fn double(&self, column: usize) -> Result<f64, CsvError> {
        let text = self.text(column);
        let number = text.and_then(|text| if text.is_empty() { Some(f64::NAN) } else { text.parse().ok() });
        match number {
            Some(number) if f64::is_infinite(number) => Err(self.not(column, "a finite number")),
            number => number.ok_or_else(|| self.not(column, "a number")),
        }
    }

    /// Whether a cell is an integer, of any size.
    pub(super) fn is_integer(&self, column: usize) -> bool {
        let text = self.text(column).unwrap_or_default();
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// The error that a cell is not what it must be.
    pub(super) fn not(&self, column: usize, expected: &'static str) -> CsvError {
        let cell = self.record.get(column).unwrap_or_default();
        let cell = String::from_utf8_lossy(cell.strip_suffix(b"\r").unwrap_or(cell)).into_owned();
        CsvError::Cell { path: self.path.clone(), line: self.rows, column: column + 1, cell, expected }
    }

    fn text(&self, column: usize) -> Option<&str> {
        str::from_utf8(self.record.get(column)?.trim_ascii()).ok()
    }
}

/// A csv file of numbers that cannot be read.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum CsvError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A cell is not what it must be.
    #[error("{}, line {line}, column {column}: {cell:?} is not {expected}", .path.display())]
    Cell {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: usize,
        /// What is there.
        cell: String,
        /// What must be there.
        expected: &'static str,
    },
    /// A row has more or fewer cells than the first.
    #[error("{}, line {line}: {found} cells, the lines before have {expected}", .path.display())]
    Ragged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Cells of the first row.
        expected: usize,
        /// Cells of this row.
        found: usize,
    },
    /// A line is empty.
    #[error("{}, line {line} is empty", .path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
    },
    /// A row does not have the number of cells that rows of this file must have.
    #[error("{}, line {line}: {found} cells, expected {expected}", .path.display())]
    Width {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Cells expected.
        expected: usize,
        /// Cells found.
        found: usize,
    },
}

graphpack_core::debug_is_display!(CsvError);
