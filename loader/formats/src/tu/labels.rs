//! [`Labels`]: integers by rows, and their one-hot form.

use super::folder::Folder;
use crate::FormatError;
use std::path::PathBuf;

/// The most columns of a one-hot form.
const MAX_CLASSES: i64 = 1 << 16;
/// The most numbers in the one-hot form of a graph, half a gigabyte: a small file of labels that are far apart would
/// otherwise fill all memory.
const MAX_NUMBERS: usize = 1 << 26;

/// Integers by rows, counted from the least of each column.
pub(super) struct Labels {
    path: PathBuf,
    cells: Vec<u32>,
    /// Where each column begins in the one-hot form, and its end.
    starts: Vec<usize>,
}

/// Numbers by rows.
pub(super) struct Attributes {
    pub(super) cells: Vec<f64>,
    pub(super) width: usize,
}

impl Labels {
    /// Reads a file of `rows` rows; `None` if it is not there.
    pub(super) fn read(folder: &mut Folder, name: &str, rows: usize) -> Result<Option<Self>, FormatError> {
        let Some((cells, width)) = integers(folder, name, Some(rows))? else { return Ok(None) };
        let mut starts = vec![0];
        let mut least = Vec::new();
        for column in 0..width {
            let of_column = || cells.iter().skip(column).step_by(width).copied();
            let (first, last) = (of_column().min().unwrap_or(0), of_column().max().unwrap_or(0));
            let classes = last.checked_sub(first).filter(|classes| *classes < MAX_CLASSES);
            let classes = classes.ok_or_else(|| {
                let expected = format!("labels within {MAX_CLASSES} of each other in column {}", column + 1);
                FormatError::wrong(folder.path(name), "", expected, format!("{first} and {last}"))
            })?;
            starts.push(starts[column] + classes as usize + 1);
            least.push(first);
        }
        let cells = cells.iter().enumerate().map(|(at, cell)| (cell - least[at % width]) as u32).collect();
        Ok(Some(Self { path: folder.path(name), cells, starts }))
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
        let width = self.starts.len() - 1;
        for (cell, start) in self.cells[row * width..(row + 1) * width].iter().zip(&self.starts) {
            to[start + *cell as usize] += 1.0;
        }
    }
}

impl Attributes {
    /// Reads a file of `rows` rows; `None` if it is not there.
    pub(super) fn read(folder: &mut Folder, name: &str, rows: usize) -> Result<Option<Self>, FormatError> {
        let Some(mut file) = folder.rows(name)? else { return Ok(None) };
        let (mut cells, mut width) = (Vec::new(), 0);
        while file.advance()? {
            if file.line() > 1 {
                file.expect_same_width(width)?;
            }
            width = file.width();
            for column in 0..width {
                cells.push(file.double(column)?);
            }
        }
        expect_rows(folder, name, cells.len() / width.max(1), Some(rows))?;
        Ok(Some(Self { cells, width }))
    }
}

/// The integers of a file and its width; `None` if it is not there.
pub(super) fn integers(
    folder: &mut Folder,
    name: &str,
    rows: Option<usize>,
) -> Result<Option<(Vec<i64>, usize)>, FormatError> {
    let Some(mut file) = folder.rows(name)? else { return Ok(None) };
    let (mut cells, mut width) = (Vec::new(), 1);
    while file.advance()? {
        if file.line() > 1 {
            file.expect_same_width(width)?;
        }
        width = file.width();
        for column in 0..width {
            cells.push(file.integer(column)?);
        }
    }
    expect_rows(folder, name, cells.len() / width, rows)?;
    Ok(Some((cells, width)))
}

fn expect_rows(folder: &Folder, name: &str, found: usize, expected: Option<usize>) -> Result<(), FormatError> {
    match expected {
        Some(expected) if found != expected => {
            Err(FormatError::wrong(folder.path(name), "", format!("{expected} rows"), found.to_string()))
        }
        _ => Ok(()),
    }
}
