//! [`CellKind`]: whether all cells of a csv file are integers.

use super::{CsvError, CsvRows};

/// Whether the cells seen so far are all integers, which makes a column int64, or not, which makes it float32.
#[derive(Default)]
pub struct CellKind {
    floats: bool,
    /// The first integer beyond int64, if there is one.
    beyond: Option<CsvError>,
}

impl CellKind {
    /// Sees a cell, which must be a number. Returns it as long as all cells were integers of 64 bits.
    pub fn see(&mut self, rows: &CsvRows, column: usize) -> Result<Option<i64>, CsvError> {
        if let (false, Ok(integer)) = (self.floats, rows.integer(column)) {
            return Ok(Some(integer));
        }
        rows.float(column)?;
        if !rows.is_integer(column) {
            self.floats = true;
        } else if self.beyond.is_none() {
            self.beyond = Some(rows.not(column, "within int64"));
        }
        Ok(None)
    }

    /// Whether all cells were integers. One beyond int64 is an error then: float32 would keep only a few of its digits.
    pub fn are_integers(self) -> Result<bool, CsvError> {
        match self.beyond {
            Some(error) if !self.floats => Err(error),
            _ => Ok(!self.floats),
        }
    }
}
