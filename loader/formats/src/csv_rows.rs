//! [`CsvRows`]: a csv file of numbers, one row at a time.

use crate::NumbersError;
use crate::gzip::open;
use csv::{ByteRecord, Reader, ReaderBuilder, Terminator};
use std::io::{Chain, Read};
use std::path::{Path, PathBuf};

/// A csv file without a header, of which one row is in memory. A row is a line: empty lines are refused, but for
/// those at the end.
pub struct CsvRows {
    path: PathBuf,
    reader: Reader<Chain<Box<dyn Read + Send>, &'static [u8]>>,
    record: ByteRecord,
    rows: u64,
}

/// What the cells of a file are, as far as they were seen: integers, until one is not.
#[derive(Default)]
pub struct CellKind {
    floats: bool,
    /// The first integer that int64 cannot have, if there is one.
    beyond: Option<NumbersError>,
}

impl CellKind {
    /// Sees a cell, which must be a number: the integer, while all have been some.
    pub fn see(&mut self, rows: &CsvRows, column: usize) -> Result<Option<i64>, NumbersError> {
        if let (false, Ok(integer)) = (self.floats, rows.integer(column)) {
            return Ok(Some(integer));
        }
        rows.float(column)?;
        if !rows.is_integer(column) {
            self.floats = true;
        } else if self.beyond.is_none() {
            let (path, line, cell) = (rows.path.clone(), rows.rows, rows.cell(column));
            self.beyond = Some(NumbersError::Beyond { path, line, column: column + 1, cell });
        }
        Ok(None)
    }

    /// Whether all cells were integers. One beyond int64 is an error then: float32 would keep a few digits of it.
    pub fn are_integers(self) -> Result<bool, NumbersError> {
        match self.beyond {
            Some(error) if !self.floats => Err(error),
            _ => Ok(!self.floats),
        }
    }
}

impl CsvRows {
    /// The rows of a file that is open; `path` is for messages.
    pub fn new(path: &Path, from: Box<dyn Read + Send>, delimiter: u8) -> Self {
        // The reader counts a line when it meets `\n`. So that it has done so behind each row, the last one gets one, and a `\r` before it ends
        // nothing but stays in its cell, where it is trimmed.
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter).terminator(Terminator::Any(b'\n'));
        let reader = builder.from_reader(from.chain(&b"\n"[..]));
        Self { path: path.to_owned(), reader, record: ByteRecord::new(), rows: 0 }
    }

    /// Opens a file, decompressing it if its name ends in `.gz`.
    pub fn open(path: &Path, delimiter: u8) -> Result<Self, NumbersError> {
        let file = open(path).map_err(|source| NumbersError::Io { path: path.to_owned(), line: 1, source })?;
        Ok(Self::new(path, file, delimiter))
    }

    /// Goes to the next row; false if there is none.
    pub fn advance(&mut self) -> Result<bool, NumbersError> {
        let line = self.rows + 1;
        loop {
            let more = self.reader.read_byte_record(&mut self.record);
            if !more.map_err(|error| NumbersError::from_csv(self.path.clone(), line, error))? {
                return Ok(false);
            }
            if self.width() > 1 || self.record.as_slice() != b"\r" {
                break;
            }
        }
        self.rows = line;
        // Empty lines were passed over; rows would no longer be lines.
        if self.reader.position().line() > line + 1 {
            return Err(NumbersError::Empty { path: self.path.clone(), line });
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

    /// Checks that this row has so many cells.
    pub fn expect_width(&self, expected: usize) -> Result<(), NumbersError> {
        let found = self.width();
        if found == expected {
            return Ok(());
        }
        Err(NumbersError::Width { path: self.path.clone(), line: self.rows, expected, found })
    }

    /// Checks that this row has as many cells as those before it.
    pub fn expect_same_width(&self, expected: usize) -> Result<(), NumbersError> {
        let found = self.width();
        if found == expected {
            return Ok(());
        }
        let (expected, found) = (expected as u64, found as u64);
        Err(NumbersError::Ragged { path: self.path.clone(), line: self.rows, expected, found })
    }

    /// The integer in a column.
    pub fn integer(&self, column: usize) -> Result<i64, NumbersError> {
        let (path, line) = (&self.path, self.rows);
        self.text(column).and_then(|text| text.parse().ok()).ok_or_else(|| NumbersError::Integer {
            path: path.clone(),
            line,
            column: column + 1,
            cell: self.cell(column),
        })
    }

    /// The number in a column; NaN if it is empty.
    pub fn float(&self, column: usize) -> Result<f32, NumbersError> {
        let text = self.text(column);
        let number = text.and_then(|text| if text.is_empty() { Some(f32::NAN) } else { text.parse().ok() });
        let (path, line) = (&self.path, self.rows);
        number.ok_or_else(|| NumbersError::Cell {
            path: path.clone(),
            line,
            column: column + 1,
            cell: self.cell(column),
        })
    }

    /// Whether a cell is an integer, of any size.
    fn is_integer(&self, column: usize) -> bool {
        let text = self.text(column).unwrap_or_default();
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    }

    fn text(&self, column: usize) -> Option<&str> {
        str::from_utf8(self.record.get(column)?.trim_ascii()).ok()
    }

    fn cell(&self, column: usize) -> String {
        let cell = self.record.get(column).unwrap_or_default();
        String::from_utf8_lossy(cell.strip_suffix(b"\r").unwrap_or(cell)).into_owned()
    }
}
