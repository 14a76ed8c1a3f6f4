//! [`CsvRows`]: a csv file of numbers, one row at a time.

use crate::NumbersError;
use csv::{ByteRecord, Reader, ReaderBuilder};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A csv file without a header, of which one row is in memory. A row is a line: empty lines are refused.
pub(super) struct CsvRows {
    path: PathBuf,
    reader: Reader<Box<dyn Read + Send>>,
    record: ByteRecord,
    rows: u64,
}

impl CsvRows {
    pub(super) fn new(path: &Path, from: Box<dyn Read + Send>, delimiter: u8) -> Self {
        let reader = ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(from);
        Self { path: path.to_owned(), reader, record: ByteRecord::new(), rows: 0 }
    }

    /// Goes to the next row; false if there is none.
    pub(super) fn advance(&mut self) -> Result<bool, NumbersError> {
        let line = self.reader.position().line();
        let more = self.reader.read_byte_record(&mut self.record);
        if !more.map_err(|error| NumbersError::from_csv(self.path.clone(), line, error))? {
            return Ok(false);
        }
        self.rows += 1;
        // The reader passes over empty lines; rows would no longer be lines.
        if self.reader.position().line() > self.rows + 1 {
            return Err(NumbersError::Empty { path: self.path.clone(), line: self.rows });
        }
        Ok(true)
    }

    /// The line of this row, from 1.
    pub(super) fn line(&self) -> u64 {
        self.rows
    }

    /// Cells of this row.
    pub(super) fn width(&self) -> usize {
        self.record.len()
    }

    /// Checks that this row has so many cells.
    pub(super) fn expect_width(&self, expected: usize) -> Result<(), NumbersError> {
        let found = self.width();
        if found == expected {
            return Ok(());
        }
        Err(NumbersError::Width { path: self.path.clone(), line: self.rows, expected, found })
    }

    /// The integer in a column.
    pub(super) fn integer(&self, column: usize) -> Result<i64, NumbersError> {
        let (path, line) = (&self.path, self.rows);
        self.text(column).and_then(|text| text.parse().ok()).ok_or_else(|| NumbersError::Integer {
            path: path.clone(),
            line,
            column: column + 1,
            cell: self.cell(column),
        })
    }

    /// The number in a column; NaN if it is empty.
    pub(super) fn float(&self, column: usize) -> Result<f32, NumbersError> {
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

    fn text(&self, column: usize) -> Option<&str> {
        str::from_utf8(self.record.get(column)?.trim_ascii()).ok()
    }

    fn cell(&self, column: usize) -> String {
        String::from_utf8_lossy(self.record.get(column).unwrap_or_default()).into_owned()
    }
}
