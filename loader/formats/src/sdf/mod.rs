//! Molecules in SDF files, V2000 and V3000, become graphs with OGB's features and coordinates.
//!
//! - `labels`: the lines of a file, and data items that become targets;
//! - `tables`: tables of atoms and bonds, V2000 and V3000;
//! - what the drawing says of stereochemistry: `wedges` has the turns of neighbours, `sides` those of double bonds.

mod labels;
mod sides;
mod tables;
mod wedges;

use crate::FormatError;
use crate::chemistry::{Molecule, Refusal, Stereo, features, perceive, perception, stereo};
use crate::common::{Record, Records, expect_file};
use crate::gather::Fields;
use graphpack_loader::Error;
pub use labels::SdfOptions;
use labels::{Item, Labels, Lines, twice};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use tables::Draft;

/// The molecules of an SDF file, plain or compressed, with coordinates and with data items that are numbers as targets.
/// The file is read twice: first to find out which data items are numbers. After a molecule that cannot be read, which
/// is an error, the next one can be.
pub fn records(path: impl AsRef<Path>, options: &SdfOptions) -> Result<SdfRecords, Error> {
    open(path.as_ref(), options, &Fields::default(), false)
}

/// Opens a file for a choice of fields: one that is named must be readable. With `skips`, a molecule that cannot be read
/// does not decide which data items are numbers.
pub(crate) fn open(path: &Path, options: &SdfOptions, fields: &Fields, skips: bool) -> Result<SdfRecords, Error> {
    expect_file(path)?;
    let is_molecule: &dyn Fn(Vec<u8>) -> bool = &|text| is_molecule(path, text, options);
    let (labels, skipped, count) = Labels::find(path, options, fields, skips.then_some(is_molecule))?;
    let records = SdfRecords::new(path, Lines::open(path)?, options);
    Ok(SdfRecords { labels, count, skipped, ..records })
}

/// Whether a molecule can be read, but for its data items.
fn is_molecule(path: &Path, text: Vec<u8>, options: &SdfOptions) -> bool {
    let mut records = SdfRecords::new(path, Lines::new(path, Cursor::new(text)), options);
    matches!(records.next(&mut Record::default()), Ok(true))
}

/// The molecules of an SDF file, one after the other; [`records`] opens it.
pub struct SdfRecords {
    path: PathBuf,
    lines: Lines,
    labels: Labels,
    options: SdfOptions,
    read: u64,
    count: u64,
    skipped: Vec<String>,
    /// Whether a molecule was read to its end, so that another follows.
    is_at_end: bool,
}

impl Records for SdfRecords {
    fn next(&mut self, record: &mut Record) -> Result<bool, Error> {
        self.is_at_end = false;
        let Some(header) = self.header()? else { return Ok(false) };
        self.read += 1;
        let name = header[0].trim();
        let molecule = self.table(&header)?;
        let place = self.lines.place();
        let molecule = molecule.and_then(|(draft, is_3d)| self.complete(draft, is_3d));
        record.clear();
        record.name.push_str(name);
        if let Ok(molecule) = &molecule {
            features::fill(record, molecule);
        }
        let (is_whole, wrong) = self.items(record)?;
        self.is_at_end = is_whole;
        match molecule {
            Ok(_) => wrong.map_or(Ok(true), Err),
            Err(mut refusal) => {
                if !is_whole {
                    refusal.found += ", and the file ends before $$$$,";
                }
                Err(refusal.at(&self.path, place, name))
            }
        }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.read, Some(self.count.max(self.read)))
    }

    fn skipped(&self) -> &[String] {
        &self.skipped
    }

    fn goes_on(&self) -> bool {
        self.is_at_end || self.lines.is_over()
    }
}

impl SdfRecords {
    /// The molecules of open lines, without labels.
    fn new(path: &Path, lines: Lines, options: &SdfOptions) -> Self {
        let (path, options, labels) = (path.to_owned(), options.clone(), Labels::default());
        Self { path, lines, labels, options, read: 0, count: 0, skipped: Vec::new(), is_at_end: false }
    }

    /// The four lines before a molecule's table; `None` if there are only blank lines until the file ends.
    fn header(&mut self) -> Result<Option<[String; 4]>, Error> {
        let mut header: [String; 4] = Default::default();
        for at in 0..header.len() {
            match self.lines.next()? {
                Some(line) => header[at].push_str(line),
                None if header.iter().all(|line| line.trim().is_empty()) => return Ok(None),
                None => {
                    let expected = "four lines before the atoms of a molecule";
                    return Err(FormatError::wrong(&self.path, self.lines.place(), expected, "the end of the file"));
                }
            }
        }
        Ok(Some(header))
    }

    /// Reads the table of a molecule. Returns whether its coordinates have three dimensions besides.
    fn table(&mut self, [_, program, _, counts]: &[String; 4]) -> Result<Result<(Draft, bool), Refusal>, Error> {
        let is_marked = program.get(20..22).is_some_and(|text| text.eq_ignore_ascii_case("3D"));
        let draft = match counts.get(34..39) {
            Some("V3000") => tables::read_v3000(&mut self.lines)?,
            Some("V2000") | None => tables::read_v2000(&mut self.lines, counts)?,
            Some(other) => Err(Refusal::new("a table V2000 or V3000", format!("{other:?}"))),
        };
        let is_flat = |draft: &Draft| draft.molecule.positions.iter().all(|position| position[2] == 0.0);
        Ok(draft.map(|draft| {
            let is_3d = is_marked || !is_flat(&draft);
            (draft, is_3d)
        }))
    }

    /// The molecule of a table, with all that the table leaves out.
    fn complete(&self, draft: Draft, is_3d: bool) -> Result<Molecule, Refusal> {
        let mut molecule = draft.finish()?;
        if is_3d {
            wedges::turn_by_positions(&mut molecule);
        } else {
            wedges::turn_by_wedges(&mut molecule);
        }
        if !self.options.keeps_hydrogens {
            perception::remove_hydrogens(&mut molecule, false);
        }
        perceive(&mut molecule)?;
        sides::assign(&mut molecule);
        stereo::perceive(&mut molecule);
        if !self.options.marks_either {
            let either = molecule.bonds.iter_mut().filter(|bond| bond.stereo == Stereo::Any);
            either.for_each(|bond| bond.stereo = Stereo::None);
        }
        Ok(molecule)
    }

    /// Reads the data items of a molecule up to its last line, `$$$$`. Returns whether that is there, and what is wrong
    /// with the first item that cannot be read.
    fn items(&mut self, record: &mut Record) -> Result<(bool, Option<Error>), Error> {
        let (mut item, mut wrong, mut names) = (Item::default(), None, Vec::new());
        loop {
            let is_whole = self.lines.text().starts_with("$$$$");
            // Of a line without an end, none says whether there was more; its bytes are forgotten after it.
            let is_ended = self.lines.is_ended();
            let is_end = is_whole || self.lines.next()?.is_none();
            if is_end && !is_whole && item.is_open() && !is_ended {
                let expected = "the end of a data item: a blank line or $$$$";
                return Err(FormatError::wrong(&self.path, self.lines.place(), expected, "the end of the file"));
            }
            let line = if is_end { "" } else { self.lines.text() };
            if let Some((name, value)) = item.take(line) {
                if self.labels.has(&name) {
                    if names.contains(&name) {
                        let error = twice(&self.path, self.lines.place(), &record.name, &name);
                        wrong = wrong.or(Some(error));
                        continue;
                    }
                    names.push(name.clone());
                }
                let pushed = self.labels.push(&self.path, || self.lines.place(), name, &value, record);
                wrong = wrong.or(pushed.err());
            }
            if is_end {
                return Ok((is_whole, wrong));
            }
        }
    }
}
