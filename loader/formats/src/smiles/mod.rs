//! Molecules as SMILES in csv files become graphs with OGB's features.
//!
//! [`records`] reads a file, [`record`] one molecule; `parser` makes atoms and bonds of SMILES, by `tokens`.
//!
//! ```
//! use graphpack_formats::records::Record;
//! use graphpack_formats::smiles;
//!
//! let mut ethanol = Record::default();
//! smiles::record("CCO", &mut ethanol)?;
//! assert_eq!((ethanol.nodes, ethanol.edges), (3, Some([vec![0, 1, 1, 2], vec![1, 0, 2, 1]])));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod parser;
mod tokens;

use crate::FormatError;
pub use crate::chemistry::Refusal;
use crate::chemistry::features;
use crate::common::{Compression, CsvRecords, Label, Record, Records, expect_file, keep_targets};
use crate::gather::Fields;
use graphpack_loader::{Error, Level};
pub use parser::record;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

/// The molecules of a csv file with a header, or of a file with one in each line, plain or compressed, with targets by
/// the names of their columns. The file is read twice: first to find out which columns are numbers. After a text that
/// is no molecule, which is an error, the next row can be read.
pub fn records(path: impl AsRef<Path>, options: &SmilesOptions) -> Result<SmilesRecords, Error> {
    open(path.as_ref(), options, &Fields::default(), false)
}

/// Opens a file for a choice of fields: one that is named must be readable. With `skips`, a row that cannot be read does
/// not decide which columns are numbers.
pub(crate) fn open(path: &Path, options: &SmilesOptions, fields: &Fields, skips: bool) -> Result<SmilesRecords, Error> {
    expect_file(path)?;
    let (mut file, smiles, mut skipped) = open_table(path, options.column.as_deref())?;
    let mut labels = labels(&file, smiles, options, fields, &mut skipped)?;
    let (mut count, mut has_names, columns, mut molecule) = (0, false, file.header().len(), Record::default());
    while let Some((line, cells)) = file.advance()? {
        count += 1;
        if cells.len() != columns {
            // Which is an error where molecules are read.
            continue;
        }
        let (mut is_changed, mut seen) = (false, Ok(()));
        for (column, label) in &mut labels {
            let cell = cells.get(*column).unwrap_or_default();
            match label.see(path, || format!("line {line}"), cell) {
                Ok(changes) => is_changed |= changes,
                Err(error) => seen = seen.and(Err(error)),
            }
        }
        if skips {
            let is_read =
                seen.is_ok() && (!is_changed || record(cells.get(smiles).unwrap_or_default(), &mut molecule).is_ok());
            labels.iter_mut().for_each(|(_, label)| label.end_record(!is_read));
        } else {
            seen?;
        }
        let names = cells.get(smiles).filter(|_| !has_names).and_then(|cell| cell.split_once([' ', '\t']));
        if let Some((_, name)) = names.filter(|(word, name)| !name.trim().starts_with('|') && is_molecule(word)) {
            has_names = true;
            skipped.push(format!("what follows the SMILES: left out, line {line} has {:?}", name.trim()));
        }
    }
    skipped.extend(keep_targets(path, &mut labels, features::is_taken)?);
    let (file, ..) = open_table(path, options.column.as_deref())?;
    Ok(SmilesRecords { path: path.to_owned(), file, smiles, labels, read: 0, count, skipped, is_at_row: false })
}

/// The columns that may become targets.
fn labels(
    file: &CsvRecords,
    smiles: usize,
    options: &SmilesOptions,
    fields: &Fields,
    skipped: &mut Vec<String>,
) -> Result<Vec<(usize, Label)>, Error> {
    for name in options.targets.iter().flatten() {
        file.position(|found| found == name)?.filter(|found| *found != smiles).ok_or_else(|| file.missing(name))?;
    }
    let mut labels = Vec::new();
    for (column, name) in file.header().iter().enumerate().filter(|(column, _)| *column != smiles) {
        // As pandas writes the numbers of rows, and reads and writes them again.
        if name.is_empty() || name.starts_with("Unnamed: ") {
            skipped.push(format!("column {}: left out, it has no name", column + 1));
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
    read: u64,
    count: u64,
    skipped: Vec<String>,
    /// Whether the row was read to its end, so that another follows.
    is_at_row: bool,
}

impl Records for SmilesRecords {
    fn next(&mut self, into: &mut Record) -> Result<bool, Error> {
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
        record(smiles, into).map_err(|refusal| refusal.at(&self.path, place(), smiles))?;
        for (column, label) in &self.labels {
            if let Some(values) = label.value(&self.path, place, cells.get(*column).unwrap_or_default())? {
                into.push(label.name.clone(), Level::Graph, 1, values);
            }
        }
        Ok(true)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.read, Some(self.count))
    }

    fn skipped(&self) -> &[String] {
        &self.skipped
    }

    fn goes_on(&self) -> bool {
        self.is_at_row
    }

    fn name_column(&self) -> &'static str {
        LINE
    }
}

/// Which columns of a csv file are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SmilesOptions {
    /// The column of SMILES. By default the one called `smiles`, else `canonical_smiles`, `isomeric_smiles`, `mol`,
    /// `smi` or `structure`, in any case, else the only one whose cells are molecules.
    pub column: Option<String>,
    /// The columns that become targets. By default all with a name whose cells are numbers,
    /// or true and false, or empty; others are listed. One that is named here must be so in every row.
    pub targets: Option<Vec<String>>,
}

/// Names of the column of SMILES, the first that is there counts.
pub(crate) const NAMES: [&str; 6] = ["smiles", "canonical_smiles", "isomeric_smiles", "mol", "smi", "structure"];
/// Rows in which SMILES are looked for.
const ROWS: usize = 100;
/// Lines in which they are.
const LINES: usize = 20;
/// What a file of lines has in place of the name of a column.
const LINE: &str = "smiles";

/// Opens a table and finds its column of SMILES: the one that is named, or of a usual name, or the only one whose cells
/// are molecules; also returns what was taken for a header. Without a header, each line is a molecule and, after a
/// blank, its name: in files called `.smi` that do not begin with a usual name, and in others that begin with
/// molecules.
fn open_table(path: &Path, column: Option<&str>) -> Result<(CsvRecords, usize, Vec<String>), Error> {
    let mut start = Vec::new();
    if column.is_none() {
        let from = crate::compressed::open(path)?;
        let read = from.take(CsvRecords::LOOKED_AT).read_to_end(&mut start);
        read.map_err(|source| crate::ReadError::at(path, 1, source))?;
        if are_lines(&start) || Compression::ends(path, ".smi") && !has_usual_name(&start) {
            return Ok((CsvRecords::of_lines(path, LINE)?, 0, Vec::new()));
        }
    }
    let file = CsvRecords::open(path)?;
    if let Some(name) = column {
        return match file.position(|found| found == name)? {
            Some(found) => Ok((file, found, Vec::new())),
            None => Err(file.missing(name)),
        };
    }
    for name in NAMES {
        if let Some(found) = file.position(|found| found.eq_ignore_ascii_case(name))? {
            return Ok((file, found, Vec::new()));
        }
    }
    let wrong = |expected: &str, found: String| FormatError::wrong(path, "line 1", expected, found);
    let header = file.header().clone();
    let names = |columns: &[usize]| columns.iter().map(|&at| &header[at]).collect::<Vec<_>>().join(", ");
    match &candidates(&start)?[..] {
        [only] => {
            // Numbers are no names of columns, unless all have them, as those of a table without names.
            let is_number = |&at: &usize| header[at].parse::<f64>().is_ok();
            let others: Vec<usize> = (0..header.len()).filter(|at| at != only).collect();
            let is_row = is_molecule(&header[*only]) || others.iter().any(is_number) && !is_number(only);
            if is_row {
                let found = format!("a row with {:?}", &header[*only]);
                return Err(wrong("a header, or the name of the column of SMILES", found));
            }
            let note = format!("line 1: taken for the header, SMILES are in the column {:?}", &header[*only]);
            Ok((file, *only, vec![note]))
        }
        [] => {
            let expected = format!("a column of SMILES, called {} or otherwise", NAMES.join(", "));
            Err(wrong(&expected, format!("the columns {}", header.iter().collect::<Vec<_>>().join(", "))))
        }
        several => Err(wrong("one column of SMILES, or its name", format!("several, {}", names(several)))),
    }
}

/// Whether a file begins as a table of SMILES or with lines of them does.
pub(crate) fn begins(start: &[u8]) -> bool {
    are_lines(start) || candidates(start).is_ok_and(|columns| !columns.is_empty())
}

/// Whether a file begins with a molecule, and of its first lines all but one in ten do.
fn are_lines(start: &[u8]) -> bool {
    let text = text_of(start);
    let mut words = text.lines().filter_map(|line| line.split_ascii_whitespace().next()).take(LINES);
    let first = words.next().is_some_and(is_molecule);
    let (molecules, others): (Vec<&str>, Vec<&str>) = words.partition(|word| is_molecule(word));
    first && 9 * others.len() <= 1 + molecules.len()
}

/// Whether the first line has a usual name of a column of SMILES, and others, if there are any, a molecule there.
fn has_usual_name(start: &[u8]) -> bool {
    let text = text_of(start);
    let cells = |line: &str| -> Vec<String> {
        let cells = line.split([',', '\t', ';', '|', ' ']);
        cells.map(|cell| cell.trim_matches(['"', '\r']).to_owned()).collect()
    };
    let mut rows = text.lines().filter(|line| !line.trim().is_empty()).take(LINES).map(cells);
    let header = rows.next().unwrap_or_default();
    let is_usual = |cell: &String| NAMES.iter().any(|name| cell.eq_ignore_ascii_case(name));
    let Some(named) = header.iter().position(is_usual) else { return false };
    let mut rows = rows.peekable();
    rows.peek().is_none() || rows.any(|row| row.get(named).is_some_and(|cell| is_molecule(cell)))
}

fn text_of(start: &[u8]) -> String {
    let text = String::from_utf8_lossy(whole_rows(start));
    text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned()
}

/// The columns whose first cells are molecules, all but one in ten.
fn candidates(start: &[u8]) -> Result<Vec<usize>, Error> {
    let mut file = CsvRecords::of(Path::new(""), Box::new(Cursor::new(whole_rows(start).to_vec())))?;
    let mut columns: Vec<(usize, usize)> = vec![(0, 0); file.header().len()];
    for _ in 0..ROWS {
        let Some((_, record)) = file.advance()? else { break };
        for ((molecules, others), cell) in columns.iter_mut().zip(record).filter(|(_, cell)| !cell.is_empty()) {
            *(if is_molecule(cell) { molecules } else { others }) += 1;
        }
    }
    let is_smiles = |(_, (molecules, others)): &(usize, (usize, usize))| *molecules > 0 && 9 * others <= *molecules;
    Ok(columns.into_iter().enumerate().filter(is_smiles).map(|(column, _)| column).collect())
}

/// The beginning of a file, without the last row where that may go on: up to the last end of a line outside of quotes.
fn whole_rows(start: &[u8]) -> &[u8] {
    let (mut is_quoted, mut end) = (false, 0);
    for (&byte, next) in start.iter().zip(1..) {
        is_quoted ^= byte == b'"';
        end = if byte == b'\n' && !is_quoted { next } else { end };
    }
    let is_cut = start.len() as u64 >= CsvRecords::LOOKED_AT && end > 0;
    if is_cut { &start[..end] } else { start }
}

fn is_molecule(text: &str) -> bool {
    !text.is_empty() && record(text, &mut Record::default()).is_ok()
}
