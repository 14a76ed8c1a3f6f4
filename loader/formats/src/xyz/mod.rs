//! XYZ files: structures one after the other, each a number of atoms, a comment and a line per atom. Plain, extended
//! with `Properties` and a comment of keys and values, and the original files of QM9; plain text or compressed.
//!
//! | comment | atoms | becomes |
//! |---|---|---|
//! | `Properties=species:S:1:pos:R:3:forces:R:3 ...` | the columns that it names, in their order | a field per column |
//! | other `key=value` pairs, or any text | `symbol x y z`, further columns are passed over and listed | `z`, `pos` |
//! | `gdb 1`, then 15 numbers (QM9) | `symbol x y z charge` | `z`, `pos`, `charges` |
//!
//! # Columns
//!
//! Found by name, never by place: `species` (or `symbols`) or `Z` (or `numbers`) become `z`, `pos`
//! (or `positions`) becomes `pos`, `force` becomes `forces` and `charge` becomes `charges`, as in
//! ASE. Two names of forces are an error, unless one is renamed. Any other column of numbers (`R`,
//! `I`) or of true and false (`L`) becomes a field of nodes with its name, but `move_mask` becomes
//! `fixed`, true for the atoms that ASE's `FixAtoms` holds. Text (`S`) is passed over and [said
//! so](Records::skipped). A line with more or fewer columns than `Properties` says is an error.
//! Numbers may be Fortran's, `-1.5D+02`, here and in comments.
//!
//! # Comments
//!
//! Keys and values are split as ASE splits them: quotes of both kinds, `{}` and `[]` hold values
//! together, `\` takes the next character as it is. In a comment with `Properties` or `Lattice` a
//! word alone is true. `Lattice` is the cell, its vectors one after the other, in angstrom; with it
//! a structure repeats in all directions unless `pbc` says in which. `Properties`, `Lattice` and
//! `pbc` may be there once. All else becomes fields of graphs: numbers and lists of numbers (also
//! `_JSON` lists), true and false. `stress` may have nine numbers or six, in Voigt's order, and
//! becomes 3 x 3. So do `virial` and `virials`, which keep their names: files disagree on the sign
//! of a virial, so no stress is computed from it. Text becomes a code where
//! [`labels`](crate::Fields::labels) names it, and is passed over else; `name` is the record's
//! name, as is the whole comment where `Properties` and `Lattice` are missing: of such a comment
//! only numbers after a name and `=` are read, and `pbc`; other text in it is listed as passed
//! over.
//! Units are those of the file: ASE's are eV and angstrom.
//!
//! A label that a structure lacks, or whose numbers are all NaN, is not among its record's fields; NaN among other
//! numbers is a number that is missing. The width of a field is the same in all structures of a file, or reading ends
//! with an error.
//!
//! # QM9
//!
//! The files `dsgdb9nsd_000001.xyz` and so on (Ramakrishnan et al. 2014), one by one, concatenated or
//! in a folder, numbers such as `1.2*^-6` included: `charges` are Mulliken's, and the comment's
//! properties get their names and keep their units: `A`, `B`, `C` (GHz), `mu` (debye), `alpha`
//! (bohr^3), `homo`, `lumo`, `gap` (hartree), `r2` (bohr^2), `zpve`, `u0`, `u`, `h`, `g` (hartree),
//! `cv` (cal/(mol K)). The lines of frequencies, SMILES and InChI are passed over and listed.

mod columns;
mod comment;

use crate::atoms::{Numbers, Place, SeenFields, Value, files_in, push_cell, quoted};
use crate::common::{Compression, Record, Records, Values};
use crate::gather::Fields;
use columns::{Columns, Layout};
use comment::{Lines, number};
use graphpack_loader::{Error, ErrorKind};
use std::borrow::Cow;
use std::mem;
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

/// The structures of an XYZ file, or of all `.xyz` and `.extxyz` files of a folder, plain or compressed, in the order
/// of their names.
pub fn records(path: impl AsRef<Path>) -> Result<XyzRecords, Error> {
    open(path.as_ref(), &Fields::default())
}

/// Opens what [`records`] opens, for a choice of fields: one that is selected and cannot be read is an error.
pub(crate) fn open(path: &Path, fields: &Fields) -> Result<XyzRecords, Error> {
    let mut fields = SeenFields::of(fields);
    let (files, bytes) = files_in(path, &Compression::endings(&[".xyz", ".extxyz"]), &mut fields)?;
    let mut records = XyzRecords {
        files: files.into_iter(),
        lines: None,
        columns: Columns::default(),
        fields,
        bytes: (0, bytes),
        frame: 0,
        next_from: 1,
        is_lost: false,
        is_qm9: None,
    };
    records.open_next()?;
    Ok(records)
}

/// The structures of XYZ files, one after the other; see the [module](super) for what becomes of them.
pub struct XyzRecords {
    files: IntoIter<PathBuf>,
    lines: Option<Lines>,
    columns: Columns,
    fields: SeenFields,
    /// Bytes of the files that were read to their ends, and of all.
    bytes: (u64, u64),
    /// The number of the next structure in its file, from 0, and the first line that may be the first of it.
    frame: u64,
    next_from: u64,
    /// Whether the structure before cannot be read, so that lines are passed over until one is a number of atoms.
    is_lost: bool,
    /// Whether all structures so far are molecules of QM9.
    is_qm9: Option<bool>,
}

impl Records for XyzRecords {
    fn next(&mut self, record: &mut Record) -> Result<bool, Error> {
        record.clear();
        while let Some(lines) = &mut self.lines {
            let is_lost = mem::take(&mut self.is_lost);
            let begins = |text: &[u8]| if is_lost { count(text).is_some() } else { !text.is_empty() };
            if lines.find(self.next_from, begins)? {
                self.columns.clear();
                let first = lines.number;
                let read = structure(lines, &mut self.columns, &mut self.fields, record);
                // A comment may be a number, too.
                let is_inside = read.is_err() && lines.number > first;
                self.next_from = if is_inside { first + 2 } else { lines.number + 1 };
                let read = read.and_then(|is_qm9| {
                    expect_end(lines, self.next_from, self.frame, record.nodes)?;
                    Ok(is_qm9)
                });
                let read = self.fields.end(read);
                self.is_qm9 = read.as_ref().map_or(self.is_qm9, |is_qm9| Some(*is_qm9 && self.is_qm9 != Some(false)));
                self.frame += 1;
                // What the system cannot read on has no next structure.
                self.is_lost = read.as_ref().is_err_and(|error| error.kind() == ErrorKind::Format);
                return read.map(|_| true);
            }
            self.bytes.0 += lines.bytes_read();
            self.open_next()?;
        }
        Ok(false)
    }

    /// Bytes, compressed if the file is.
    fn progress(&self) -> (u64, Option<u64>) {
        (self.bytes.0 + self.lines.as_ref().map_or(0, Lines::bytes_read), Some(self.bytes.1))
    }

    /// That of QM9's properties; other files have units of their writers' own.
    fn unit(&self, field: &str) -> Option<&str> {
        let of_qm9 = || PROPERTIES.iter().zip(UNITS).find(|(name, _)| **name == field).map(|(_, unit)| unit);
        match field {
            _ if self.is_qm9 != Some(true) => None,
            "pos" => Some("angstrom"),
            _ => of_qm9(),
        }
    }

    fn labels(&self, field: &str) -> &[String] {
        self.fields.labels(field)
    }

    fn select(&mut self, names: &[String]) {
        self.fields.select(names);
    }

    fn skipped(&self) -> &[String] {
        self.fields.skipped()
    }

    fn goes_on(&self) -> bool {
        self.is_lost
    }
}

impl XyzRecords {
    fn open_next(&mut self) -> Result<(), Error> {
        self.lines = self.files.next().map(|path| Lines::open(&path)).transpose()?;
        (self.frame, self.next_from) = (0, 1);
        Ok(())
    }
}

/// What a comment says, besides the fields of the structure.
struct Head {
    layout: Layout,
    cell: [f64; 9],
    pbc: [bool; 3],
    /// The other keys.
    pairs: Vec<(String, Value)>,
    name: String,
    /// Whether a key gave the name.
    has_name: bool,
    /// Whether it says something that is not understood.
    is_unclear: bool,
}

/// Reads the structure whose number of atoms is in the line. Returns whether it is a molecule of QM9.
fn structure(
    lines: &mut Lines,
    columns: &mut Columns,
    fields: &mut SeenFields,
    record: &mut Record,
) -> Result<bool, Error> {
    let atoms = count(lines.text()).ok_or_else(|| lines.wrong("a number of atoms"))?;
    let ended = |lines: &Lines, expected: String| lines.place().wrong("", expected, "the end of the file");
    if !lines.advance()? {
        return Err(ended(lines, format!("the comment of a structure of {atoms} atoms")));
    }
    let line = lines.number;
    let head = head(lines)?;
    let is_qm9 = head.layout == Layout::Qm9;
    columns.arrange(head.layout, lines.place(), fields)?;
    for atom in 0..atoms {
        if !lines.advance()? {
            return Err(ended(lines, format!("atom {} of {atoms}", atom + 1)));
        }
        columns.read(lines)?;
    }
    if is_qm9 {
        pass_tail(lines)?;
        fields.skip(
            Place { number: Some(line), ..lines.place() },
            "the end of a molecule of QM9",
            "frequencies, SMILES and InChI",
        );
    }
    record.nodes = atoms;
    record.name = head.name;
    columns.push_atoms(record);
    let place = Place { number: Some(line), ..lines.place() };
    if head.has_name {
        fields.note("name", || "text, which names structures in messages and is not stored".into());
    }
    if head.is_unclear {
        fields.skip_as(place, "text of the comment", || {
            format!("without Properties only NAME=NUMBER is read, found {}", quoted(record.name.as_bytes()))
        });
    }
    push_cell(record, place, fields, head.cell, head.pbc)?;
    columns.push_fields(record, place, fields)?;
    for (name, mut value) in head.pairs {
        if let ("stress" | "virial", Value::Numbers(numbers)) = (&name[..], &mut value) {
            numbers.transpose();
        }
        fields.push_value(record, place, &name, value)?;
    }
    Ok(is_qm9)
}

/// The number of atoms that a line is.
fn count(text: &[u8]) -> Option<usize> {
    str::from_utf8(text).ok()?.parse().ok()
}

/// Errors if the line after a frame of so many atoms, from line `first` on, cannot be the first of another: there may
/// be more atoms than the frame says. A single word is a number of atoms, or the error of that frame.
fn expect_end(lines: &mut Lines, first: u64, frame: u64, atoms: usize) -> Result<(), Error> {
    let is_end = !lines.find(first, |text| !text.is_empty())?;
    if is_end || !lines.text().iter().any(u8::is_ascii_whitespace) {
        return Ok(());
    }
    let expected = format!("the number of atoms of another frame, after the {atoms} of frame {frame}");
    Err(lines.wrong(expected))
}

/// Reads the comment in the line.
fn head(lines: &Lines) -> Result<Head, Error> {
    let (layout, cell, pbc, pairs, name) = (Layout::Plain, [0.0; 9], [false; 3], vec![], String::new());
    let mut head = Head { layout, cell, pbc, pairs, name, has_name: false, is_unclear: false };
    if let Some(properties) = properties(lines) {
        let (name, properties) = properties?;
        let pairs = PROPERTIES.iter().zip(properties).map(|(name, value)| (name.to_string(), Value::float(value)));
        return Ok(Head { layout: Layout::Qm9, pairs: pairs.collect(), name, ..head });
    }
    let text = String::from_utf8_lossy(lines.text());
    let pairs = comment::pairs(&text);
    let is = |key: &str, name: &str| key.eq_ignore_ascii_case(name);
    let is_extended = pairs.iter().any(|(key, value)| value.is_some() && (is(key, "Properties") || is(key, "Lattice")));
    for name in ["Properties", "Lattice", "pbc"] {
        if pairs.iter().filter(|(key, value)| value.is_some() && is(key, name)).count() > 1 {
            return Err(lines.place().wrong("", "each name once", format!("a second {name}")));
        }
    }
    let mut pbc = None;
    for (key, value) in pairs {
        match value {
            Some(value) if is(&key, "Properties") => head.layout = Layout::Properties(value),
            Some(value) if is(&key, "Lattice") => {
                head.cell = lattice(lines, &value)?;
                pbc = pbc.or(Some([true; 3]));
            }
            Some(value) if is(&key, "pbc") => pbc = Some(directions(lines, &value)?),
            value => match value.map_or(Value::bool(true), |value| comment::value(&value)) {
                Value::Text(name) if is_extended && key == "name" => (head.name, head.has_name) = (name, true),
                value => head.pairs.push((key, value)),
            },
        }
    }
    if !is_extended {
        // Any text may stand there, with a sign of equality or without: only numbers with a name are understood.
        let is_name = |key: &str| key.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
        let all = head.pairs.len();
        head.pairs.retain(|(key, value)| {
            let is_number = |numbers: &Numbers| !matches!(numbers.values, Values::Bool(_));
            is_name(key)
                && !key.starts_with(|first: char| first.is_ascii_digit())
                && value.numbers().is_some_and(is_number)
        });
        head.is_unclear = head.pairs.len() < all;
        head.name = text.into_owned();
    }
    head.pbc = pbc.unwrap_or_default();
    Ok(head)
}

fn lattice(lines: &Lines, text: &str) -> Result<[f64; 9], Error> {
    let numbers = match comment::value(text) {
        Value::Numbers(numbers) => numbers.floats().and_then(|numbers| numbers.try_into().ok()),
        _ => None,
    };
    numbers.ok_or_else(|| lines.place().wrong("Lattice", "nine numbers", quoted(text.as_bytes())))
}

/// The directions in which a structure repeats: one value for all, or three.
fn directions(lines: &Lines, text: &str) -> Result<[bool; 3], Error> {
    let axes = match comment::value(text) {
        Value::Numbers(Numbers { values: Values::Bool(axes), .. }) => Some(axes),
        Value::Numbers(Numbers { values: Values::I64(axes), .. }) if axes.iter().all(|axis| [0, 1].contains(axis)) => {
            Some(axes.iter().map(|&axis| axis == 1).collect())
        }
        _ => None,
    };
    match axes.as_deref() {
        Some(&[all]) => Ok([all; 3]),
        Some(&[a, b, c]) => Ok([a, b, c]),
        _ => Err(lines.place().wrong("pbc", "three times T or F", quoted(text.as_bytes()))),
    }
}

/// The properties in the order of the comment, after `gdb` and the number of the molecule.
const PROPERTIES: [&str; 15] =
    ["A", "B", "C", "mu", "alpha", "homo", "lumo", "gap", "r2", "zpve", "u0", "u", "h", "g", "cv"];

/// Their units.
const UNITS: [&str; 15] = [
    "GHz",
    "GHz",
    "GHz",
    "debye",
    "bohr^3",
    "hartree",
    "hartree",
    "hartree",
    "bohr^2",
    "hartree",
    "hartree",
    "hartree",
    "hartree",
    "hartree",
    "cal/(mol K)",
];

/// The name and the properties in a comment such as `gdb 1 157.7118 ...`; `None` if it is another.
fn properties(lines: &Lines) -> Option<Result<(String, [f64; 15]), Error>> {
    let mut words = lines.text().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let number_of = words.by_ref().take(2).collect::<Vec<_>>();
    let [b"gdb" | b"gdb9", molecule] = number_of[..] else { return None };
    let numbers: Vec<_> = words.map(|word| number(word).filter(|number| number.is_finite())).collect();
    // Other files may have the name alone.
    numbers.first().copied()??;
    let properties = numbers.iter().copied().collect::<Option<Vec<f64>>>().and_then(|all| all.try_into().ok());
    let name = format!("gdb {}", String::from_utf8_lossy(molecule));
    Some(properties.map(|properties| (name, properties)).ok_or_else(|| lines.wrong("gdb, a number and 15 properties")))
}

/// Passes over the lines of frequencies, SMILES and InChI.
fn pass_tail(lines: &mut Lines) -> Result<(), Error> {
    fn words(lines: &Lines) -> impl Iterator<Item = Cow<'_, str>> {
        lines.text().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(String::from_utf8_lossy)
    }
    let expected = ["QM9's line of frequencies", "QM9's line of two SMILES", "QM9's line of two InChI"];
    for (part, expected) in expected.into_iter().enumerate() {
        let more = lines.advance()?;
        let is_right = match part {
            0 => words(lines).all(|word| number(word.as_bytes()).is_some()),
            1 => words(lines).count() == 2,
            _ => words(lines).all(|word| word.starts_with("InChI=")),
        };
        if !more || !is_right {
            return Err(lines.wrong(expected));
        }
    }
    Ok(())
}
