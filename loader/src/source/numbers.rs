//! [`Numbers`]: a table of numbers in a csv or csv.gz file, with errors that name file, line and column.

use crate::compressed::open;
use csv::{ByteRecord, ErrorKind, ReaderBuilder};
use std::io;
use std::path::{Path, PathBuf};

/// All cells of a file, row by row.
#[derive(Debug)]
pub(super) struct Numbers {
    pub(super) path: PathBuf,
    pub(super) cells: Cells,
    /// Cells per row; 0 for an empty file.
    pub(super) width: usize,
}

/// Integers as long as all cells are; an empty or `nan` cell is not.
#[derive(Debug)]
pub(super) enum Cells {
    Integers(Vec<i64>),
    Floats(Vec<f32>),
}

impl Numbers {
    /// Reads `path`, or `path` without its `.gz` if only that is there.
    pub(super) fn read(path: &Path) -> Result<Self, NumbersError> {
        Self::read_as(path, None)
    }

    /// Reads a file of integers with `width` columns.
    pub(super) fn integers(path: &Path, width: usize) -> Result<(PathBuf, Vec<i64>), NumbersError> {
        let numbers = Self::read_as(path, Some(width))?;
        match numbers.cells {
            Cells::Integers(cells) => Ok((numbers.path, cells)),
            // Reading stops at the first cell that is no integer.
            Cells::Floats(_) => Ok((numbers.path, Vec::new())),
        }
    }

    /// With `integers`, every cell must be one, in rows of that width.
    fn read_as(path: &Path, integers: Option<usize>) -> Result<Self, NumbersError> {
        let path = existing(path);
        let io = |source| NumbersError::Io { path: path.clone(), line: 1, source };
        let file = open(&path).map_err(io)?;
        let mut reader = ReaderBuilder::new().has_headers(false).from_reader(file);
        let mut cells = Cells::Integers(Vec::new());
        let mut width = 0;
        let mut rows = 0;
        let mut record = ByteRecord::new();
        loop {
            let line = reader.position().line();
            match reader.read_byte_record(&mut record) {
                Ok(false) => return Ok(Self { path, cells, width }),
                Ok(true) => {
                    width = record.len();
                    rows += 1;
                    // The reader passes over empty lines; rows would no longer be lines.
                    if reader.position().line() > rows + 1 {
                        return Err(NumbersError::Empty { path, line: rows });
                    }
                    if let Some(expected) = integers.filter(|&expected| expected != width) {
                        return Err(NumbersError::Width { path, line, expected, found: width });
                    }
                    for (column, cell) in (1..).zip(&record) {
                        let number = cells.push(cell);
                        if number && (integers.is_none() || matches!(cells, Cells::Integers(_))) {
                            continue;
                        }
                        let cell = String::from_utf8_lossy(cell).into_owned();
                        return Err(if number {
                            NumbersError::Integer { path, line, column, cell }
                        } else {
                            NumbersError::Cell { path, line, column, cell }
                        });
                    }
                }
                Err(error) => return Err(NumbersError::from_csv(path, line, error)),
            }
        }
    }

    /// Rows, 0 for an empty file.
    pub(super) fn rows(&self) -> usize {
        let cells = match &self.cells {
            Cells::Integers(cells) => cells.len(),
            Cells::Floats(cells) => cells.len(),
        };
        cells.checked_div(self.width).unwrap_or(0)
    }
}

/// `path` if it exists, else the same without `.gz` if that exists, else `path`.
pub(super) fn existing(path: &Path) -> PathBuf {
    let plain = path.with_extension("");
    if !path.exists() && path.extension().is_some_and(|extension| extension == "gz") && plain.exists() {
        plain
    } else {
        path.to_owned()
    }
}

impl Cells {
    /// Adds a cell; false if it is no number.
    fn push(&mut self, cell: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(cell.trim_ascii()) else { return false };
        if let Self::Integers(cells) = self {
            if let Ok(integer) = text.parse() {
                cells.push(integer);
                return true;
            }
            // The file holds floating point numbers after all.
            *self = Self::Floats(cells.iter().map(|&integer| integer as f32).collect());
        }
        match self {
            Self::Integers(_) => false,
            Self::Floats(cells) if text.is_empty() => {
                cells.push(f32::NAN);
                true
            }
            Self::Floats(cells) => text.parse().map(|float| cells.push(float)).is_ok(),
        }
    }
}

/// A table of numbers that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NumbersError {
    /// The file cannot be read: not there, truncated, not gzip.
    #[error("{}, line {line}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The line at which reading failed, from 1.
        line: u64,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A cell is not a number.
    #[error("{}, line {line}, column {column}: {cell:?} is not a number", .path.display())]
    Cell {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: usize,
        /// What is there.
        cell: String,
    },
    /// A cell is not an integer where one must be.
    #[error("{}, line {line}, column {column}: {cell:?} is not an integer", .path.display())]
    Integer {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: usize,
        /// What is there.
        cell: String,
    },
    /// A row has more or fewer cells than the first.
    #[error("{}, line {line}: {found} cells, the lines before have {expected}", .path.display())]
    Ragged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Cells of the first row.
        expected: u64,
        /// Cells of this row.
        found: u64,
    },
    /// A line is empty.
    #[error("{}, line {line} is empty", .path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
    },
    /// The rows do not have the number of cells that this file must have.
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

impl NumbersError {
    pub(crate) fn from_csv(path: PathBuf, line: u64, error: csv::Error) -> Self {
        match error.into_kind() {
            ErrorKind::Io(source) => Self::Io { path, line, source },
            ErrorKind::UnequalLengths { pos, expected_len: expected, len: found } => {
                Self::Ragged { path, line: pos.map_or(line, |pos| pos.line()), expected, found }
            }
            other => Self::Io { path, line, source: io::Error::other(format!("{other:?}")) },
        }
    }
}
