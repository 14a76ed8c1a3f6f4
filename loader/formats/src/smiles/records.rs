//! [`SmilesRecords`]: the molecules of a csv file.

use super::{SmilesOptions, record, table};
use crate::chemistry::features;
use crate::common::{CsvRecords, Label, Skipped, expect_file, keep_targets};
use crate::{Fields, FormatError, Record, Records};
use graphpack_loader::Level;
use std::path::{Path, PathBuf};

/// The molecules of a csv file with a header, or of a file with one in each line, plain or compressed, with targets by the
/// names of their columns. The file is read twice: first to find out which columns are numbers.
pub fn records(path: impl AsRef<Path>, options: &SmilesOptions) -> Result<SmilesRecords, FormatError> {
    open(path.as_ref(), options, &Fields::default(), false)
}

/// The same for a choice of fields, in which those that are named must be readable; with `skips` row by row.
pub(crate) fn open(
    path: &Path,
    options: &SmilesOptions,
    fields: &Fields,
    skips: bool,
) -> Result<SmilesRecords, FormatError> {
    expect_file(path)?;
    let (mut file, smiles) = table::open(path, options.column.as_deref())?;
    let mut skipped = Skipped::default();
    let mut labels = labels(&file, smiles, options, fields, &mut skipped)?;
    let (mut count, mut has_names, columns) = (0, false, file.header().len());
    while let Some((line, cells)) = file.advance()? {
        count += 1;
        if cells.len() != columns {
            // Which is an error where molecules are read.
            continue;
        }
        for (column, label) in &mut labels {
            let cell = cells.get(*column).unwrap_or_default();
            label.see(path, || format!("line {line}"), cell, skips)?;
        }
        let names = cells.get(smiles).filter(|_| !has_names).and_then(|cell| cell.split_once([' ', '\t']));
        if let Some((_, name)) = names.filter(|(word, name)| !name.trim().starts_with('|') && table::is_molecule(word))
        {
            has_names = true;
            skipped.note(format!("what follows the SMILES: left out, line {line} has {:?}", name.trim()));
        }
    }
    let notes = keep_targets(path, &mut labels, features::is_taken)?;
    notes.into_iter().for_each(|note| skipped.note(note));
    let (file, _) = table::open(path, options.column.as_deref())?;
    let (path, is_strict) = (path.to_owned(), options.is_strict);
    Ok(SmilesRecords { path, file, smiles, labels, is_strict, read: 0, count, skipped, is_at_row: false })
}

/// The columns that may become targets.
fn labels(
    file: &CsvRecords,
    smiles: usize,
    options: &SmilesOptions,
    fields: &Fields,
    skipped: &mut Skipped,
) -> Result<Vec<(usize, Label)>, FormatError> {
    for name in options.targets.iter().flatten() {
        file.position(|found| found == name)?.filter(|found| *found != smiles).ok_or_else(|| file.missing(name))?;
    }
    let mut labels = Vec::new();
    for (column, name) in file.header().iter().enumerate().filter(|(column, _)| *column != smiles) {
        // As pandas writes the numbers of rows, and reads and writes them again.
        if name.is_empty() || name.starts_with("Unnamed: ") {
            skipped.note(format!("column {}: left out, it has no name", column + 1));
            continue;
        }
        let is_named = options.targets.as_ref().is_some_and(|targets| targets.iter().any(|target| target == name));
        if is_named || options.targets.is_none() {
            labels.extend(fields.label(name, "column", is_named).map(|label| (column, label)));
        }
    }
    Ok(labels)
}

/// The molecules of a csv file, one after the other; [`records`] opens it.
pub struct SmilesRecords {
    path: PathBuf,
    file: CsvRecords,
    /// The column of SMILES.
    smiles: usize,
    /// Those of targets.
    labels: Vec<(usize, Label)>,
    is_strict: bool,
    read: u64,
    count: u64,
    skipped: Skipped,
    /// Whether the row was read to its end, so that another follows.
    is_at_row: bool,
}

impl Records for SmilesRecords {
    fn next(&mut self, into: &mut Record) -> Result<bool, FormatError> {
        loop {
            self.is_at_row = false;
            let columns = self.file.header().len();
            let Some((line, cells)) = self.file.advance()? else { return Ok(false) };
            self.is_at_row = true;
            self.read += 1;
            let place = || format!("line {line}");
            if cells.len() != columns {
                let expected = format!("{columns} cells as in the header");
                return Err(FormatError::wrong(&self.path, place(), expected, cells.len().to_string()));
            }
            let smiles = cells.get(self.smiles).unwrap_or_default();
            match record(smiles, into) {
                Ok(()) => {
                    for (column, label) in &mut self.labels {
                        let cell = cells.get(*column).unwrap_or_default();
                        if let Some(values) = label.value(&self.path, place, cell)? {
                            into.push(label.name.clone(), Level::Graph, 1, values);
                        }
                    }
                    return Ok(true);
                }
                Err(refusal) if self.is_strict => {
                    let found = format!("{} in {smiles}", refusal.found);
                    return Err(FormatError::wrong(&self.path, place(), refusal.expected, found));
                }
                Err(refusal) => self.skipped.add(&place(), smiles, &refusal),
            }
        }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.read, Some(self.count))
    }

    fn skipped(&self) -> &[String] {
        self.skipped.lines()
    }

    fn be_strict(&mut self) {
        self.is_strict = true;
    }

    fn goes_on(&self) -> bool {
        self.is_at_row
    }
}
