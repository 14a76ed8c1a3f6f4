//! npz files: structures in a few arrays, as NumPy writes them.
//!
//! | array, by any of these names | shape | becomes |
//! |---|---|---|
//! | `z`, `numbers`, `atomic_numbers`, `nuclear_charges`, `species`, `Z` | see below | `z` |
//! | `pos`, `positions`, `coordinates`, `coords`, `R`, or `pos_milliangstrom` | see below | `pos` |
//! | `num_atoms`, `n_atoms`, `natoms`, `N`, or `ptr` | `[S]`, or `[S + 1]` | atoms of each structure |
//! | `energy`, `energies`, `E` | `[S]` or `[S, 1]` | `energy` |
//! | `forces`, `force`, `atomic_forces`, `F` | as positions | `forces` |
//! | `cell`, `cells`, `lattice`; `pbc` | `[S, 3, 3]` or `[S, 9]`; `[S, 3]` | `cell`, `pbc`; without one, all directions repeat where there is a cell |
//! | `mol_id` | `[S]` | what messages call a structure |
//! | any other of numbers | a row per structure or atom | a field of its name; `stress` of 6 becomes 9 |
//!
//! Positions are `[S, N, 3]` with elements `[N]`, or `[S, N]` where 0 fills the rest of a row (MD17, rMD17), or `[A,
//! 3]` with elements `[A]` and the atoms of each structure, one after the other. `r_unit` and `e_unit`, where they are
//! there, are converted to angstrom and eV, forces and stress if both are there; without them numbers stay as they are.
//! An array of a name above and another shape is an error. Arrays of other names and shapes, texts, objects of Python
//! and complex numbers are left out and [listed](crate::records::Records::skipped). A label whose numbers are all NaN
//! is missing, and so are single numbers that are NaN. An array that somebody renames is what its new name says. If
//! that says nothing it is what its own name says, but not beside another array that is the same. Numbers may be
//! big-endian, and in Fortran's order: such an array is in memory as a whole.
//!
//! - `arrays`: the arrays of a file, row by row; `layout`: which array is what.

mod arrays;
mod layout;

use crate::atoms::{Place, push_atoms, push_periodic};
use crate::common::{OfRecord, Record, Records, Values};
use crate::gather::{Called, Fields};
use arrays::Rows;
use graphpack_loader::{Error, Level};
use layout::{Atoms, Column, Counts, Layout};
use std::mem;
use std::path::{Path, PathBuf};

/// The structures of a npz file, of which one is in memory.
pub struct NpzRecords {
    path: PathBuf,
    layout: Layout,
    next: usize,
    /// Whether all rows of a structure were read, so that another follows.
    is_at_end: bool,
}

/// Opens a file whose arrays are as [this module](crate::npz) says.
pub fn records(path: impl AsRef<Path>) -> Result<NpzRecords, Error> {
    Ok(open(path.as_ref(), &Fields::default())?.0)
}

/// Opens a file for a choice of fields; also returns what the arrays are called in records.
pub(crate) fn open(path: &Path, fields: &Fields) -> Result<(NpzRecords, Vec<Called>), Error> {
    let mut layout = Layout::open(path, fields)?;
    let called = mem::take(&mut layout.called);
    Ok((NpzRecords { path: path.to_owned(), layout, next: 0, is_at_end: false }, called))
}

impl Records for NpzRecords {
    fn next(&mut self, record: &mut Record) -> Result<bool, Error> {
        record.clear();
        self.is_at_end = false;
        if self.next == self.layout.structures {
            self.end()?;
            return Ok(false);
        }
        for (name, found) in &self.layout.left_out {
            self.layout.fields.refuse(Place { path: &self.path, unit: "arrays", number: None }, name, found)?;
        }
        let structure = self.read()?;
        self.is_at_end = true;
        let filled = self.fill(structure?, record);
        self.layout.fields.end(filled).map(|()| true)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.next as u64, Some(self.layout.structures as u64))
    }

    fn unit(&self, field: &str) -> Option<&str> {
        self.layout.fields.unit_of(field)
    }

    fn select(&mut self, names: &[String]) {
        self.layout.fields.select(names);
    }

    fn skipped(&self) -> &[String] {
        self.layout.fields.skipped()
    }

    fn goes_on(&self) -> bool {
        self.is_at_end
    }
}

/// What the arrays have of a structure.
struct Structure {
    number: usize,
    name: String,
    z: Vec<i64>,
    pos: Values,
    /// Of each column.
    values: Vec<Values>,
}

impl NpzRecords {
    /// Reads the rows of the next structure, of all arrays whatever is wrong with one of them.
    fn read(&mut self) -> OfRecord<Structure> {
        let number = self.next;
        self.next += 1;
        let layout = &mut self.layout;
        let name = match &mut layout.names {
            Some(names) => names.integers(1)?.map(|name| name[0].to_string()),
            None => Ok(number.to_string()),
        };
        let joined = matches!(layout.atoms, Atoms::Joined(..));
        let (z, rows) = layout.atoms.next()?;
        let values = |column: &mut Column| {
            let all = column.rows.take(if joined && column.level == Level::NODE { rows } else { 1 })?;
            Ok::<_, Error>(all.map(|values| values.times(column.factor)))
        };
        let pos = values(&mut layout.pos)?;
        let values = layout.columns.iter_mut().map(values).collect::<Result<Vec<_>, _>>()?;
        let structure = || {
            let values = values.into_iter().collect::<Result<_, _>>()?;
            Ok(Structure { number, name: name?, z: z?, pos: pos?, values })
        };
        Ok(structure())
    }

    /// Makes a structure a record.
    fn fill(&mut self, structure: Structure, record: &mut Record) -> Result<(), Error> {
        let Structure { number, name, z, pos, values } = structure;
        record.name = name;
        let (atoms, filled) = (z.len(), matches!(self.layout.atoms, Atoms::Filled(..)));
        let joined = matches!(self.layout.atoms, Atoms::Joined(..));
        let of_atoms = |values: Values, column: &Column| match filled && column.level == Level::NODE {
            true => values.slice(0..atoms * column.width),
            false => values,
        };
        let place = Place { path: &self.path, unit: "structure", number: Some(number as u64) };
        push_atoms(record, place, z, of_atoms(pos, &self.layout.pos).floats())?;
        let (mut cell, mut pbc) = (None, None);
        for (column, values) in self.layout.columns.iter().zip(values) {
            let numbers = of_atoms(values, column);
            match &*column.name {
                "cell" => cell = Some(numbers),
                "pbc" => pbc = Some(numbers),
                name => {
                    let shape = &column.rows.shape[usize::from(!joined || column.level == Level::Graph)..];
                    self.layout.fields.push(record, place, name, column.level, Some(shape), numbers)?;
                }
            }
        }
        push_periodic(record, place, &mut self.layout.fields, cell, pbc)?;
        Ok(())
    }

    /// Checks that all arrays end here.
    fn end(&mut self) -> Result<(), Error> {
        let Layout { atoms, pos, names, columns, .. } = &mut self.layout;
        let of_atoms: [Option<&mut Rows>; 2] = match atoms {
            Atoms::Same(_) => [None, None],
            Atoms::Filled(z, counts) => [Some(z), counts.as_mut()],
            Atoms::Joined(z, Counts::Of(counts) | Counts::Ends(counts, _)) => [Some(z), Some(counts)],
        };
        let columns = columns.iter_mut().map(|column| &mut column.rows);
        let mut all = of_atoms.into_iter().flatten().chain(names).chain([&mut pos.rows]).chain(columns);
        all.try_for_each(Rows::end)
    }
}

impl Atoms {
    /// The elements of the next structure, and how many rows it has in arrays of atoms that are one after the other.
    fn next(&mut self) -> Result<(Result<Vec<i64>, Error>, usize), Error> {
        match self {
            Self::Same(z) => Ok((Ok(z.clone()), z.len())),
            Self::Filled(rows, counts) => {
                let z = rows.integers(1)?;
                let said = counts.as_mut().map(|counts| counts.integers(1)).transpose()?.transpose();
                Ok((z.and_then(|z| filled(rows, z, counts.as_ref().zip(said?))), 1))
            }
            Self::Joined(z, counts) => {
                let atoms = counts.next()?;
                Ok((z.integers(atoms)?, atoms))
            }
        }
    }
}

/// The elements in a row, whose number must be the one that the file says.
fn filled(rows: &Rows, mut z: Vec<i64>, said: Option<(&Rows, Vec<i64>)>) -> Result<Vec<i64>, Error> {
    let atoms = z.iter().position(|&z| z == 0).unwrap_or(z.len());
    if z[atoms..].iter().any(|&z| z != 0) {
        return Err(rows.wrong("zeros after the last atom of a row", "an element after a zero"));
    }
    match said {
        Some((counts, said)) if said[0] != atoms as i64 => {
            Err(counts.wrong(format!("{atoms}, the elements of the row"), said[0].to_string()))
        }
        _ => {
            z.truncate(atoms);
            Ok(z)
        }
    }
}

impl Counts {
    /// The number of atoms of the next structure.
    fn next(&mut self) -> Result<usize, Error> {
        let (rows, count) = match self {
            Self::Of(rows) => {
                let count = rows.integers(1)??[0];
                (rows, count)
            }
            Self::Ends(rows, last) => {
                let end = rows.integers(1)??[0];
                let count = end.saturating_sub(*last);
                *last = end;
                (rows, count)
            }
        };
        u32::try_from(count).map(|count| count as usize).map_err(|_| rows.wrong("a number of atoms", count.to_string()))
    }
}
