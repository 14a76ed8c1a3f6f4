//! XYZ files: structures one after the other, each a count, a comment and its atoms.

use crate::StructureError;
use crate::element::atomic_number;
use crate::gzip::open;
use graphpack_loader::Structures;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// A file, line by line.
struct Lines<'a> {
    path: &'a Path,
    reader: Box<dyn BufRead>,
    number: u64,
    text: String,
}

/// Reads concatenated XYZ, plain or gzip: per structure the number of atoms, a comment line (its name), and a line `symbol x y z` per atom
/// in angstrom; further columns are passed over. A comment with `Lattice="ax ay az bx by bz cx cy cz"` (extended XYZ) makes the
/// structure periodic, unless it says `pbc="F F F"`.
pub fn read(path: impl AsRef<Path>) -> Result<Structures, StructureError> {
    let path = path.as_ref();
    let io = |source| StructureError::Io { path: path.to_owned(), line: 1, source };
    let reader = Box::new(BufReader::new(open(path).map_err(io)?));
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
    /// Whether there is another line.
    fn next(&mut self) -> Result<bool, StructureError> {
        self.text.clear();
        self.number += 1;
        match self.reader.read_line(&mut self.text) {
            Ok(bytes) => Ok(bytes > 0),
            Err(source) => Err(StructureError::Io { path: self.path.to_owned(), line: self.number, source }),
        }
    }

    fn atom(&self) -> Result<(u8, [f32; 3]), StructureError> {
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

    fn wrong(&self, expected: &'static str) -> StructureError {
        let found = self.text.trim().to_owned();
        StructureError::Line { path: self.path.to_owned(), line: self.number, expected, found }
    }

    fn ended(&self, name: String, expected: usize, found: usize) -> StructureError {
        StructureError::Truncated { path: self.path.to_owned(), line: self.number - 1, name, expected, found }
    }
}

/// The cell in a comment line: none, or one, or one that is not as it must be.
fn lattice(comment: &str) -> Option<Option<[[f64; 3]; 3]>> {
    let value = |key: &str| {
        let (before, rest) = comment.split_once(key)?;
        let alone = before.is_empty() || before.ends_with(char::is_whitespace);
        alone.then(|| rest.split_once('"').map_or("", |(value, _)| value))
    };
    let text = value("Lattice=\"")?;
    // A box around a molecule does not repeat; what repeats in some directions only is none of both.
    match value("pbc=\"").map(|pbc| pbc.split_ascii_whitespace().map(|axis| axis == "T").collect::<Vec<_>>()) {
        Some(axes) if axes == [false; 3] => return None,
        Some(axes) if axes != [true; 3] => return Some(None),
        _ => {}
    }
    let numbers = || -> Option<Vec<f64>> { text.split_ascii_whitespace().map(|cell| cell.parse().ok()).collect() };
    let Some(&[ax, ay, az, bx, by, bz, cx, cy, cz]) = numbers().as_deref() else { return Some(None) };
    Some(Some([[ax, ay, az], [bx, by, bz], [cx, cy, cz]]))
}
