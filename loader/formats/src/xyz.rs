//! XYZ files: structures one after the other, each a number of atoms, a comment and its atoms.

use crate::elements::atomic_number;
use crate::{ReadError, gzip};
use graphpack_loader::Structures;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// A file, of which one line is in memory.
struct Lines<'a> {
    path: &'a Path,
    reader: Box<dyn BufRead>,
    number: u64,
    text: String,
}

/// Reads a file, plain or gzip: per structure a line with the number of atoms, a comment (its name), and a line `symbol
/// x y z` per atom in angstrom; further columns are passed over. A comment with `Lattice="ax ay az bx by bz cx cy cz"`
/// (extended XYZ) makes the structure periodic, unless it says `pbc="F F F"`.
pub fn read(path: impl AsRef<Path>) -> Result<Structures, XyzError> {
    let path = path.as_ref();
    let reader = Box::new(BufReader::new(gzip::open(path)?));
    let mut lines = Lines { path, reader, number: 0, text: String::new() };
    let mut structures = Structures::new();
    while lines.next()? {
        if lines.text.trim().is_empty() {
            continue;
        }
        let Ok(atoms) = lines.text.trim().parse::<usize>() else { return Err(lines.wrong("a number of atoms")) };
        if !lines.next()? {
            return Err(lines.ended(String::new(), atoms, 0));
        }
        let name = lines.text.trim().to_owned();
        let cell = match lattice(&name) {
            None => None,
            Some(Some(cell)) => Some(cell),
            Some(None) => {
                return Err(lines.wrong("a comment whose Lattice has nine numbers and whose pbc is all T or all F"));
            }
        };
        let mut read = Vec::new();
        for atom in 0..atoms {
            if !lines.next()? {
                return Err(lines.ended(name, atoms, atom));
            }
            read.push(lines.atom()?);
        }
        structures.push(name, read, cell);
    }
    Ok(structures)
}

impl Lines<'_> {
    /// Goes to the next line; returns false if there is none.
    fn next(&mut self) -> Result<bool, XyzError> {
        self.text.clear();
        self.number += 1;
        match self.reader.read_line(&mut self.text) {
            Ok(bytes) => Ok(bytes > 0),
            Err(source) => Err(ReadError::at(self.path, self.number, source).into()),
        }
    }

    fn atom(&self) -> Result<(u8, [f32; 3]), XyzError> {
        let mut cells = self.text.split_ascii_whitespace();
        let expected = "an element and three coordinates";
        let z = cells.next().and_then(atomic_number).ok_or_else(|| self.wrong(expected))?;
        let mut pos = [0.0; 3];
        for component in &mut pos {
            let number = cells.next().and_then(|cell| cell.parse::<f32>().ok()).filter(|number| number.is_finite());
            *component = number.ok_or_else(|| self.wrong(expected))?;
        }
        Ok((z, pos))
    }

    fn wrong(&self, expected: &'static str) -> XyzError {
        let found = self.text.trim().to_owned();
        XyzError::Line { path: self.path.to_owned(), line: self.number, expected, found }
    }

    fn ended(&self, name: String, expected: usize, found: usize) -> XyzError {
        XyzError::Truncated { path: self.path.to_owned(), line: self.number - 1, name, expected, found }
    }
}

/// The cell in a comment: `None` if there is none, `Some(None)` if it is not as it must be.
fn lattice(comment: &str) -> Option<Option<[[f64; 3]; 3]>> {
    let value = |key: &str| {
        let (before, rest) = comment.split_once(key)?;
        let alone = before.is_empty() || before.ends_with(char::is_whitespace);
        alone.then(|| rest.split_once('"').map_or("", |(value, _)| value))
    };
    let text = value("Lattice=\"")?;
    // A box around a molecule does not repeat; what repeats in some directions only is neither a molecule nor a
    // crystal.
    match value("pbc=\"").map(|pbc| pbc.split_ascii_whitespace().map(|axis| axis == "T").collect::<Vec<_>>()) {
        Some(axes) if axes == [false; 3] => return None,
        Some(axes) if axes != [true; 3] => return Some(None),
        _ => {}
    }
    let numbers = || -> Option<Vec<f64>> { text.split_ascii_whitespace().map(|cell| cell.parse().ok()).collect() };
    let Some(&[ax, ay, az, bx, by, bz, cx, cy, cz]) = numbers().as_deref() else { return Some(None) };
    Some(Some([[ax, ay, az], [bx, by, bz], [cx, cy, cz]]))
}

/// An XYZ file that cannot be read.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum XyzError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A line is not what it must be.
    #[error("{}, line {line}: {found:?} is not {expected}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What must be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// The file ends within a structure.
    #[error("{} ends at line {line}, atom {found} of the {expected} atoms of {name:?}", .path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// The last line.
        line: u64,
        /// The structure.
        name: String,
        /// Atoms that the structure says to have.
        expected: usize,
        /// Atoms found.
        found: usize,
    },
}

graphpack_core::debug_is_display!(XyzError);
