//! [`CsvTable`]: all numbers of a csv file without a header.

use super::{CellKind, CsvError, CsvRows, gzip};
use std::path::{Path, PathBuf};

/// All numbers of a csv file without a header, row by row.
#[derive(Debug)]
pub struct CsvTable {
    path: PathBuf,
    cells: CsvCells,
    width: usize,
}

/// The numbers of a [`CsvTable`]: integers if all cells are; an empty or `nan` cell is not one, but NaN.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum CsvCells {
    Integers(Vec<i64>),
    Floats(Vec<f32>),
}

impl CsvTable {
    /// Reads `path`, or `path` without its `.gz` if only that is there. All rows must have the same number of cells.
    pub fn read(path: &Path) -> Result<Self, CsvError> {
        let path = gzip::existing(path);
        let mut rows = CsvRows::open(&path, b',')?;
        let (mut cells, mut kind, mut width) = (CsvCells::Integers(Vec::new()), CellKind::default(), 0);
        while rows.advance()? {
            if width > 0 {
                rows.expect_same_width(width)?;
            }
            width = rows.width();
            for column in 0..width {
                match (kind.see(&rows, column)?, &mut cells) {
                    (Some(integer), CsvCells::Integers(numbers)) => numbers.push(integer),
                    _ => cells.push_float(rows.float(column)?),
                }
            }
        }
        kind.are_integers()?;
        Ok(Self { path, cells, width })
    }

    /// Reads a file as [`read`](Self::read) does; its rows must have `width` integers each. Returns the path that was
    /// read and the integers.
    pub fn read_integers(path: &Path, width: usize) -> Result<(PathBuf, Vec<i64>), CsvError> {
        let path = gzip::existing(path);
        let mut rows = CsvRows::open(&path, b',')?;
        let mut cells = Vec::new();
        while rows.advance()? {
            rows.expect_width(width)?;
            for column in 0..width {
                cells.push(rows.integer(column)?);
            }
        }
        Ok((path, cells))
    }

    /// The path that was read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Cells per row; 0 for an empty file.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        let cells = match &self.cells {
            CsvCells::Integers(cells) => cells.len(),
            CsvCells::Floats(cells) => cells.len(),
        };
        cells.checked_div(self.width).unwrap_or(0)
    }

    /// All cells, row by row.
    pub fn into_cells(self) -> CsvCells {
        self.cells
    }
}

impl CsvCells {
    /// Adds a number that is no integer: all numbers before it become floating point, too.
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
