//! [`SmilesRecords`]: the molecules of a csv file.

use super::{SmilesOptions, Targets, record};
use crate::common::{CsvRecords, Skipped};
use crate::{FormatError, Record, Records};
use std::path::{Path, PathBuf};

/// Names of the column of SMILES, the first that is there counts.
const NAMES: [&str; 6] = ["smiles", "canonical_smiles", "isomeric_smiles", "mol", "smi", "structure"];

/// The molecules of a csv file with a header, plain or compressed, one record per row, with targets by the names of
/// their columns. The file is read twice: first to find out which columns are numbers.
pub fn records(path: impl AsRef<Path>, options: &SmilesOptions) -> Result<SmilesRecords, FormatError> {
    let path = path.as_ref();
    let file = CsvRecords::open(path)?;
    let smiles = find(path, &file, options)?;
    let (targets, count) = Targets::find(path, smiles, options)?;
    let is_strict = options.is_strict;
    Ok(SmilesRecords {
        path: path.to_owned(),
        file,
        smiles,
        targets,
        is_strict,
        read: 0,
        count,
        skipped: Skipped::default(),
    })
}

/// The molecules of a csv file, one after the other; [`records`] opens it.
pub struct SmilesRecords {
    path: PathBuf,
    file: CsvRecords,
    /// The column of SMILES.
    smiles: usize,
    targets: Targets,
    is_strict: bool,
    read: u64,
    count: u64,
    skipped: Skipped,
}

impl Records for SmilesRecords {
    fn next(&mut self, into: &mut Record) -> Result<bool, FormatError> {
        while let Some((line, cells)) = self.file.next_whole()? {
            self.read += 1;
            let smiles = cells.get(self.smiles).unwrap_or_default();
            match record(smiles, into) {
                Ok(()) => {
                    self.targets.push(&self.path, line, cells, into)?;
                    return Ok(true);
                }
                Err(refusal) if self.is_strict => {
                    let found = format!("{} in {smiles}", refusal.found);
                    return Err(FormatError::wrong(&self.path, format!("line {line}"), refusal.expected, found));
                }
                Err(refusal) => self.skipped.add(&format!("line {line}"), smiles, &refusal),
            }
        }
        Ok(false)
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
}

/// The column of SMILES.
fn find(path: &Path, file: &CsvRecords, options: &SmilesOptions) -> Result<usize, FormatError> {
    let position = |name: &str| file.header().iter().position(|column| column.eq_ignore_ascii_case(name));
    let found = match &options.column {
        Some(name) => file.header().iter().position(|column| column == name),
        None => NAMES.iter().find_map(|name| position(name)),
    };
    let expected = options.column.clone().unwrap_or_else(|| NAMES.join(", "));
    found.ok_or_else(|| {
        let header = file.header().iter().collect::<Vec<_>>().join(",");
        FormatError::wrong(path, "line 1", format!("a column of SMILES ({expected})"), header)
    })
}
