//! Targets of graphs from a csv file with a header and a row per graph, in the same order. Columns `name`, of molecules
//! in SMILES `smiles`, and `num_atoms`, where the file has them, must agree with the graphs. In a file of one column an
//! empty line is a row of a graph without a target.

use crate::FormatError;
use crate::common::{CsvRecords, Label, Record, Records};
use csv::StringRecord;
use graphpack_loader::{Error, Level};
use std::path::{Path, PathBuf};

/// Graphs with fields of targets.
pub struct WithTargets<R> {
    records: R,
    targets: Targets,
    /// Whether a graph and its row were read, so that others follow.
    is_at_row: bool,
}

/// Adds `columns` of a csv file, plain or compressed, to graphs: fields of their names, numbers or true and false, of
/// which a graph lacks those whose cell is empty or says that there is no number, as `nan` does.
pub fn join<R: Records>(records: R, path: impl AsRef<Path>, columns: &[&str]) -> Result<WithTargets<R>, Error> {
    let targets = Targets::open(path.as_ref(), columns, records.name_column())?;
    Ok(WithTargets { records, targets, is_at_row: false })
}

/// Some columns of a file.
struct Targets {
    path: PathBuf,
    records: CsvRecords,
    columns: Vec<(Label, usize)>,
    name: Option<usize>,
    smiles: Option<usize>,
    /// Whether records are called by their SMILES.
    smiles_are_names: bool,
    atoms: Option<usize>,
    line: u64,
    rows: u64,
    /// Whether a graph has the cells of its row.
    is_used: bool,
}

impl<R: Records> Records for WithTargets<R> {
    fn next(&mut self, record: &mut Record) -> Result<bool, Error> {
        self.is_at_row = false;
        match self.records.next(record) {
            Ok(true) => {}
            Ok(false) => {
                self.targets.end()?;
                return Ok(false);
            }
            Err(error) => {
                // A graph that cannot be read has a row all the same.
                self.is_at_row = self.records.goes_on() && matches!(self.targets.row(), Ok(Some(_)));
                return Err(error);
            }
        }
        let Some((line, row)) = self.targets.row()? else {
            return Err(self.targets.wrong("", "a row for each graph", format!("{} rows", self.targets.rows)));
        };
        // Rows of other graphs are no record's error: all labels from here on would be wrong.
        self.targets.expect_row_of(&row, record)?;
        self.is_at_row = true;
        self.targets.fill(line, &row, record)?;
        Ok(true)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.records.progress()
    }

    fn skipped(&self) -> &[String] {
        self.records.skipped()
    }

    fn unit(&self, field: &str) -> Option<&str> {
        let is_target = self.targets.columns.iter().any(|(label, _)| label.name == field);
        self.records.unit(field).filter(|_| !is_target)
    }

    fn labels(&self, field: &str) -> &[String] {
        self.records.labels(field)
    }

    fn select(&mut self, names: &[String]) {
        self.records.select(names);
    }

    fn goes_on(&self) -> bool {
        self.is_at_row
    }

    fn name_column(&self) -> &'static str {
        self.records.name_column()
    }
}

impl Targets {
    fn open(path: &Path, columns: &[&str], names: &str) -> Result<Self, Error> {
        let records = CsvRecords::open(path)?.with_empty_lines();
        let position = |column: &str| records.position(|name| name == column);
        let column = |&column: &&str| match position(column)? {
            Some(position) => Ok((Label::new(column, "column", true), position)),
            None => Err(records.missing(column)),
        };
        let columns = columns.iter().map(column).collect::<Result<_, Error>>()?;
        let smiles_are_names = names == "smiles";
        let is_smiles = |found: &str| smiles_are_names && found.eq_ignore_ascii_case(names);
        let (name, smiles, atoms) = (position("name")?, records.position(is_smiles)?, position("num_atoms")?);
        Ok(Self {
            path: path.to_owned(),
            columns,
            name,
            smiles,
            smiles_are_names,
            atoms,
            records,
            line: 1,
            rows: 0,
            is_used: false,
        })
    }

    /// The next row and its line.
    fn row(&mut self) -> Result<Option<(u64, StringRecord)>, Error> {
        let row = self.records.next_whole()?.map(|(line, row)| (line, row.clone()));
        if let Some((line, _)) = &row {
            (self.line, self.rows) = (*line, self.rows + 1);
        }
        Ok(row)
    }

    /// Errors unless a row is of this graph, which has no fields of the columns' names.
    fn expect_row_of(&self, row: &StringRecord, record: &Record) -> Result<(), Error> {
        let atoms = record.nodes.to_string();
        // What is called by its SMILES may have a name after it.
        let (smiles, name) = match self.smiles_are_names {
            true => {
                record.name.split_once([' ', '\t']).map_or((&*record.name, ""), |(smiles, name)| (smiles, name.trim()))
            }
            false => ("", &*record.name),
        };
        let name_column = self.name.filter(|_| !self.smiles_are_names || !name.is_empty());
        let expected =
            [("name", name_column, name), ("smiles", self.smiles, smiles), ("num_atoms", self.atoms, &atoms)];
        for (column, position, expected) in expected {
            let found = position.and_then(|position| row.get(position)).unwrap_or(expected);
            if found != expected {
                return Err(self.wrong(column, format!("{expected:?}, as the graph has"), format!("{found:?}")));
            }
        }
        match self.columns.iter().find(|(label, _)| record.field(&label.name).is_some()) {
            Some((label, _)) => {
                Err(self.wrong(&label.name, "a name that the graphs do not have", "a field of this name"))
            }
            None => Ok(()),
        }
    }

    /// Adds the cells of a row.
    fn fill(&mut self, line: u64, row: &StringRecord, record: &mut Record) -> Result<(), Error> {
        let place = || format!("line {line}");
        let mut seen = Ok(());
        for (label, position) in &mut self.columns {
            seen = seen.and_then(|()| label.see(&self.path, place, row.get(*position).unwrap_or_default()).map(drop));
        }
        self.columns.iter_mut().for_each(|(label, _)| label.end_record(seen.is_err()));
        seen?;
        for (label, position) in &self.columns {
            if let Some(values) = label.value(&self.path, place, row.get(*position).unwrap_or_default())? {
                record.push(label.name.clone(), Level::Graph, 1, values);
            }
        }
        self.is_used = true;
        Ok(())
    }

    /// Checks that there are no more rows, and that no column was empty.
    fn end(&mut self) -> Result<(), Error> {
        let rows = self.rows;
        match self.records.is_at_end()? {
            false => Err(self.wrong("", format!("a row for each of {rows} graphs"), "more")),
            true if self.is_used => self.columns.iter().try_for_each(|(label, _)| label.expect_cells(&self.path)),
            true => Ok(()),
        }
    }

    fn wrong(&self, column: &str, expected: impl Into<String>, found: impl Into<String>) -> Error {
        let place = if column.is_empty() { String::new() } else { format!("line {}, column {column}", self.line) };
        FormatError::wrong(&self.path, place, expected, found)
    }
}
