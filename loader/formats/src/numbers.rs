//! [`Numbers`]: a table of numbers in a csv or csv.gz file, with errors that name file, line and column.

use crate::csv_rows::{CellKind, CsvRows};
use csv::ErrorKind;
use std::io;
use std::path::{Path, PathBuf};

/// All cells of a file, row by row.
#[derive(Debug)]
pub(crate) struct Numbers {
    pub(crate) path: PathBuf,
    pub(crate) cells: Cells,
    /// Cells per row; 0 for an empty file.
    pub(crate) width: usize,
}

/// Integers as long as all cells are; an empty or `nan` cell is not.
#[derive(Debug)]
pub(crate) enum Cells {
    Integers(Vec<i64>),
    Floats(Vec<f32>),
}

impl Cells {
    /// Adds a number to a file of floating point numbers, which it may be after all.
    fn push_float(&mut self, number: f32) {
        match self {
            Self::Floats(numbers) => numbers.push(number),
            Self::Integers(numbers) => {
                let mut floats: Vec<f32> = numbers.iter().map(|&integer| integer as f32).collect();
                floats.push(number);
                *self = Self::Floats(floats);
            }
        }
    }
}

impl Numbers {
    /// Reads `path`, or `path` without its `.gz` if only that is there.
    pub(crate) fn read(path: &Path) -> Result<Self, NumbersError> {
        Self::read_as(path, None)
    }

    /// Reads a file of integers with `width` columns.
    pub(crate) fn integers(path: &Path, width: usize) -> Result<(PathBuf, Vec<i64>), NumbersError> {
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
        let mut rows = CsvRows::open(&path, b',')?;
        let (mut cells, mut kind, mut width) = (Cells::Integers(Vec::new()), CellKind::default(), 0);
        while rows.advance()? {
            if width > 0 {
                rows.expect_same_width(width)?;
            }
            width = rows.width();
            if let Some(expected) = integers {
                rows.expect_width(expected)?;
            }
            for column in 0..width {
                match (kind.see(&rows, column)?, &mut cells) {
                    (Some(integer), Cells::Integers(numbers)) => numbers.push(integer),
                    // Which is none: an error.
                    (None, _) if integers.is_some() => drop(rows.integer(column)?),
                    _ => cells.push_float(rows.float(column)?),
                }
            }
        }
        kind.are_integers()?;
        Ok(Self { path, cells, width })
    }

    /// Rows, 0 for an empty file.
    pub(crate) fn rows(&self) -> usize {
        let cells = match &self.cells {
            Cells::Integers(cells) => cells.len(),
            Cells::Floats(cells) => cells.len(),
        };
        cells.checked_div(self.width).unwrap_or(0)
    }
}

/// `path` if it exists, else the same without `.gz` if that exists, else `path`.
pub(crate) fn existing(path: &Path) -> PathBuf {
    let plain = path.with_extension("");
    if !path.exists() && path.extension().is_some_and(|extension| extension == "gz") && plain.exists() {
        plain
    } else {
        path.to_owned()
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
    /// All cells are integers, and one of them is too large.
    #[error("{}, line {line}, column {column}: {cell:?} is beyond int64", .path.display())]
    Beyond {
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
            other => Self::Io { path, line, source: io::Error::other(format!("{other:?}")) },
        }
    }
}
