//! Targets of graphs from a csv file with a header and a row per graph, in the same order. Columns `name` and
//! `num_atoms`, where the file has them, must agree with the graphs.

use crate::common::LabelKind;
use crate::{CsvRecords, FormatError, Record, Records, Values};
use graphpack_loader::Level;
use std::path::{Path, PathBuf};

/// Graphs with fields of targets.
pub struct WithTargets<R> {
    records: R,
    targets: Targets,
}

/// Adds `columns` of a csv file, plain or gzip, to graphs: fields of their names, of which a graph lacks those whose
/// cell is empty or says that there is no number, as `nan` does.
pub fn join<R: Records>(records: R, path: impl AsRef<Path>, columns: &[&str]) -> Result<WithTargets<R>, FormatError> {
    Ok(WithTargets { records, targets: Targets::open(path.as_ref(), columns)? })
}

/// Some columns of a file.
struct Targets {
    path: PathBuf,
    records: CsvRecords,
    columns: Vec<(String, usize)>,
    name: Option<usize>,
    atoms: Option<usize>,
    line: u64,
    rows: u64,
}

impl<R: Records> Records for WithTargets<R> {
    fn next(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        if !self.records.next(record)? {
            self.targets.end()?;
            return Ok(false);
        }
        let row = self.targets.next(&record.name, record.nodes)?;
        for ((name, _), cell) in self.targets.columns.iter().zip(row) {
            if record.field(name).is_some() {
                return Err(self.targets.wrong(name, "a name that the graphs do not have", "a field of this name"));
            }
            if let Some(number) = cell {
                record.push(name.clone(), Level::Graph, 1, Values::F64(vec![number]));
            }
        }
        Ok(true)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.records.progress()
    }

    fn skipped(&self) -> &[String] {
        self.records.skipped()
    }

    fn be_strict(&mut self) {
        self.records.be_strict();
    }
}

impl Targets {
    fn open(path: &Path, columns: &[&str]) -> Result<Self, FormatError> {
        let records = CsvRecords::open(path)?;
        let header = records.header();
        let position = |column: &str| header.iter().position(|name| name == column);
        let column = |&column: &&str| match position(column) {
            Some(position) => Ok((column.to_owned(), position)),
            None => {
                let found = header.iter().collect::<Vec<_>>().join(", ");
                Err(FormatError::wrong(path, "line 1", format!("a column {column}"), found))
            }
        };
        let columns = columns.iter().map(column).collect::<Result<_, _>>()?;
        let (name, atoms) = (position("name"), position("num_atoms"));
        Ok(Self { path: path.to_owned(), columns, name, atoms, records, line: 1, rows: 0 })
    }

    /// The cells of the next row, which must be of the graph with this name and number of atoms.
    fn next(&mut self, name: &str, atoms: usize) -> Result<Vec<Option<f64>>, FormatError> {
        let Some((line, record)) = self.records.next_whole()? else {
            return Err(self.wrong("", "a row for each graph", format!("{} rows", self.rows)));
        };
        (self.line, self.rows) = (line, self.rows + 1);
        let wrong = |column: &str, expected: String, found: &str| {
            FormatError::wrong(&self.path, format!("line {line}, column {column}"), expected, format!("{found:?}"))
        };
        for (column, position, expected) in [("name", self.name, name), ("num_atoms", self.atoms, &*atoms.to_string())]
        {
            let found = position.and_then(|position| record.get(position)).unwrap_or(expected);
            if found != expected {
                return Err(wrong(column, format!("{expected:?}, as the graph has"), found));
            }
        }
        let cell = |(column, position): &(String, usize)| {
            let text = record.get(*position).unwrap_or_default();
            match LabelKind::of(text) {
                LabelKind::Empty => Ok(None),
                LabelKind::Text => Err(wrong(column, "a number".into(), text)),
                _ => Ok(text.parse::<f64>().ok()),
            }
        };
        self.columns.iter().map(cell).collect()
    }

    /// Checks that there are no more rows.
    fn end(&mut self) -> Result<(), FormatError> {
        let rows = self.rows;
        match self.records.advance()? {
            Some(_) => Err(self.wrong("", format!("a row for each of {rows} graphs"), "more")),
            None => Ok(()),
        }
    }

    fn wrong(&self, column: &str, expected: impl Into<String>, found: impl Into<String>) -> FormatError {
        let place = if column.is_empty() { String::new() } else { format!("line {}, column {column}", self.line) };
        FormatError::wrong(&self.path, place, expected, found)
    }
}
