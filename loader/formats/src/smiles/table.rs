//! Tables of SMILES: the column that has them, by its name or by what is in it.

use super::record;
use crate::common::CsvRecords;
use crate::{FormatError, Record};
use std::io::{Cursor, Read};
use std::path::Path;

/// Names of the column of SMILES, the first that is there counts.
const NAMES: [&str; 6] = ["smiles", "canonical_smiles", "isomeric_smiles", "mol", "smi", "structure"];
/// Rows in which SMILES are looked for.
const ROWS: usize = 100;
/// What a file of lines has in place of the name of a column.
pub(super) const LINE: &str = "smiles";

/// Opens a table and finds its column of SMILES: the one that is named, or of a usual name, or the only one whose cells
/// are molecules. A file that begins with molecules, as those called `.smi` do, has no header: each line is a molecule
/// and, after a blank, its name.
pub(super) fn open(path: &Path, column: Option<&str>) -> Result<(CsvRecords, usize), FormatError> {
    let mut start = Vec::new();
    if column.is_none() {
        let from = crate::compressed::open(path)?;
        let read = from.take(CsvRecords::LOOKED_AT).read_to_end(&mut start);
        read.map_err(|source| crate::ReadError::at(path, 1, source))?;
        if are_lines(&start) {
            return Ok((CsvRecords::of_lines(path, LINE)?, 0));
        }
    }
    let file = CsvRecords::open(path)?;
    if let Some(name) = column {
        return match file.position(|found| found == name)? {
            Some(found) => Ok((file, found)),
            None => Err(file.missing(name)),
        };
    }
    for name in NAMES {
        if let Some(found) = file.position(|found| found.eq_ignore_ascii_case(name))? {
            return Ok((file, found));
        }
    }
    let wrong = |expected: &str, found: String| FormatError::wrong(path, "line 1", expected, found);
    let header = file.header().clone();
    let names = |columns: &[usize]| columns.iter().map(|&at| &header[at]).collect::<Vec<_>>().join(", ");
    match &candidates(&start)?[..] {
        [only] if is_molecule(&header[*only]) => {
            Err(wrong("a header, or the name of the column of SMILES", format!("a row with {:?}", &header[*only])))
        }
        [only] => Ok((file, *only)),
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

/// Whether a file begins with lines that begin with molecules.
fn are_lines(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(whole_rows(start));
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut words = text.lines().filter_map(|line| line.split_ascii_whitespace().next()).take(20).peekable();
    words.peek().is_some() && words.all(is_molecule)
}

/// The columns whose first cells are molecules, all but one in ten.
fn candidates(start: &[u8]) -> Result<Vec<usize>, FormatError> {
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

pub(super) fn is_molecule(text: &str) -> bool {
    !text.is_empty() && record(text, &mut Record::default()).is_ok()
}
