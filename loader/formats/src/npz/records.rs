//! [`NpzRecords`]: the structures of a npz file.

use super::layout::{Atoms, Column, Counts, Layout};
use super::rows::Rows;
use crate::atoms::{Place, push_atoms, push_cell};
use crate::{FormatError, Record, Records, Values};
use graphpack_loader::Level;
use std::path::{Path, PathBuf};

/// The structures of a npz file, of which one is in memory.
pub struct NpzRecords {
    path: PathBuf,
    layout: Layout,
    next: usize,
}

/// Opens a file whose arrays are as [this module](crate::npz) says.
pub fn records(path: impl AsRef<Path>) -> Result<NpzRecords, FormatError> {
    let path = path.as_ref();
    Ok(NpzRecords { path: path.to_owned(), layout: Layout::open(path)?, next: 0 })
}

impl Records for NpzRecords {
    fn next(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        record.clear();
        if self.next == self.layout.structures {
            self.end()?;
            return Ok(false);
        }
        let structure = self.next;
        self.next += 1;
        for (name, found) in &self.layout.left_out {
            self.layout.fields.refuse(Place { path: &self.path, unit: "arrays", number: None }, name, found)?;
        }
        record.name = match &mut self.layout.names {
            Some(names) => names.integers(1)?[0].to_string(),
            None => structure.to_string(),
        };
        let z = self.layout.atoms.next()?;
        let (atoms, filled) = (z.len(), matches!(self.layout.atoms, Atoms::Filled(..)));
        let joined = matches!(self.layout.atoms, Atoms::Joined(..));
        let values = |column: &mut Column| {
            let rows = if joined && column.level == Level::NODE { atoms } else { 1 };
            let mut values = column.rows.take(rows)?;
            if filled && column.level == Level::NODE {
                values = values.slice(0..atoms * column.width);
            }
            Ok::<_, FormatError>(match column.factor {
                1.0 => values,
                factor => Values::F64(values.floats().into_iter().map(|number| number * factor).collect()),
            })
        };
        let place = Place { path: &self.path, unit: "structure", number: Some(structure as u64) };
        push_atoms(record, place, z, values(&mut self.layout.pos)?.floats())?;
        let (mut cell, mut pbc) = (None, None);
        for column in &mut self.layout.columns {
            let numbers = values(column)?;
            match &*column.name {
                "cell" => cell = <[f64; 9]>::try_from(numbers.floats()).ok(),
                "pbc" => pbc = <[f64; 3]>::try_from(numbers.floats()).ok(),
                name => self.layout.fields.push(record, place, name, column.level, numbers)?,
            }
        }
        if cell.is_some() || pbc.is_some() {
            let cell = cell.unwrap_or_default();
            let periodic = f64::from(u8::from(cell != [0.0; 9]));
            push_cell(
                record,
                place,
                &mut self.layout.fields,
                cell,
                pbc.unwrap_or([periodic; 3]).map(|along| along != 0.0),
            )?;
        }
        Ok(true)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.next as u64, Some(self.layout.structures as u64))
    }

    fn select(&mut self, names: &[String]) {
        self.layout.fields.select(names);
    }

    fn skipped(&self) -> &[String] {
        self.layout.fields.skipped()
    }
}

impl NpzRecords {
    /// Checks that all arrays end here.
    fn end(&mut self) -> Result<(), FormatError> {
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
    /// The elements of the next structure.
    fn next(&mut self) -> Result<Vec<i64>, FormatError> {
        match self {
            Self::Same(z) => Ok(z.clone()),
            Self::Filled(rows, counts) => {
                let mut z = rows.integers(1)?;
                let atoms = z.iter().position(|&z| z == 0).unwrap_or(z.len());
                if z[atoms..].iter().any(|&z| z != 0) {
                    return Err(rows.wrong("zeros after the last atom of a row", "an element after a zero"));
                }
                if let Some(counts) = counts {
                    let said = counts.integers(1)?[0];
                    if said != atoms as i64 {
                        return Err(counts.wrong(format!("{atoms}, the elements of the row"), said.to_string()));
                    }
                }
                z.truncate(atoms);
                Ok(z)
            }
            Self::Joined(z, counts) => {
                let atoms = counts.next()?;
                z.integers(atoms)
            }
        }
    }
}

impl Counts {
    /// The number of atoms of the next structure.
    fn next(&mut self) -> Result<usize, FormatError> {
        let (rows, count) = match self {
            Self::Of(rows) => {
                let count = rows.integers(1)?[0];
                (rows, count)
            }
            Self::Ends(rows, last) => {
                let end = rows.integers(1)?[0];
                let count = end.saturating_sub(*last);
                *last = end;
                (rows, count)
            }
        };
        u32::try_from(count).map(|count| count as usize).map_err(|_| rows.wrong("a number of atoms", count.to_string()))
    }
}
