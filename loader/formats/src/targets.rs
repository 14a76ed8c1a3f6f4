//! Targets of structures from a csv file with a header.

use crate::{CsvRecords, ReadError};
use graphpack_loader::Structures;
use std::path::{Path, PathBuf};

/// Takes `columns` of a csv file, plain or gzip, as the targets `y`: one row per structure, in the same order. Columns
/// `name` and `num_atoms`, where the file has them, must agree with the structures.
pub fn add(mut structures: Structures, path: impl AsRef<Path>, columns: &[&str]) -> Result<Structures, TargetsError> {
    let path = path.as_ref();
    let mut records = CsvRecords::open(path)?;
    let header = records.header();
    let position = |column: &str| header.iter().position(|name| name == column);
    let positions = columns.iter().map(|&column| {
        let available = header.iter().map(str::to_owned).collect();
        let missing = || TargetsError::Column { path: path.to_owned(), column: column.to_owned(), available };
        position(column).ok_or_else(missing)
    });
    let positions = positions.collect::<Result<Vec<_>, _>>()?;
    let (name, atoms) = (position("name"), position("num_atoms"));

    let (mut y, mut rows) = (Vec::new(), 0);
    while let Some((line, record)) = records.advance()? {
        if rows < structures.len() {
            let known = [
                ("name", name, structures.name(rows).to_owned()),
                ("num_atoms", atoms, structures.z(rows).len().to_string()),
            ];
            for (what, position, expected) in known {
                let found = position.and_then(|position| record.get(position)).unwrap_or(&expected);
                if *found != expected {
                    let (path, found) = (path.to_owned(), found.to_owned());
                    return Err(TargetsError::Structure { path, line, what, expected, found });
                }
            }
        }
        for &position in &positions {
            let cell = record.get(position).unwrap_or_default();
            let wrong = |_| TargetsError::Number { path: path.to_owned(), line, found: cell.to_owned() };
            y.push(cell.parse().map_err(wrong)?);
        }
        rows += 1;
    }
    let wrong = TargetsError::Rows { path: path.to_owned(), expected: structures.len(), found: rows };
    if rows != structures.len() || structures.set_targets(columns.len(), y).is_err() {
        return Err(wrong);
    }
    Ok(structures)
}

/// A file of targets that cannot be read, or does not belong to the structures.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum TargetsError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file has no such column.
    #[error("{} has no column {column:?}, only {}", .path.display(), .available.join(", "))]
    Column {
        /// The file.
        path: PathBuf,
        /// The column asked for.
        column: String,
        /// Columns of the file.
        available: Vec<String>,
    },
    /// A target is not a number.
    #[error("{}, line {line}: {found:?} is not a number", .path.display())]
    Number {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is there.
        found: String,
    },
    /// A row belongs to another structure.
    #[error("{}, line {line}: {what} {found:?}, the structure has {expected:?}", .path.display())]
    Structure {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column that disagrees.
        what: &'static str,
        /// What the structure has.
        expected: String,
        /// What the file has.
        found: String,
    },
    /// The file has more or fewer rows than there are structures.
    #[error("{} has {found} rows, expected one for each of {expected} structures", .path.display())]
    Rows {
        /// The file.
        path: PathBuf,
        /// Structures.
        expected: usize,
        /// Rows.
        found: usize,
    },
}

graphpack_core::debug_is_display!(TargetsError);
