//! [`WrittenColumn`], [`WrittenIndex`]: a field and an index of graphs that are written piece by piece.

use super::column::LocalIndex;
use super::tensor_file::{Out, Scratch};
use super::{Column, StoreError};
use crate::error::Error;
use crate::layout::{Dtype, Field, IndexBytes, IndexWidth, Level, SetNames};
use std::io;
use std::ops::Range;
use std::path::Path;

/// A field on disk, and which graphs have it.
#[derive(Debug)]
pub(super) struct WrittenColumn {
    pub(super) field: Field,
    rows: Scratch,
    /// A byte per graph, once some graph lacks the field.
    has: Option<Scratch>,
    /// Whether another field says which of its numbers are there.
    pub(super) is_masked: bool,
}

impl WrittenColumn {
    /// A field that all `earlier` graphs, with `rows` rows, lack.
    pub(super) fn create(target: &Path, field: Field, earlier: u64, rows: u64) -> io::Result<Self> {
        let mut column = Self { rows: Scratch::create(target)?, has: None, is_masked: false, field };
        column.rows.fill(0, rows * column.field.row_bytes() as u64)?;
        if earlier > 0 {
            column.has(target, 0, earlier)?;
        }
        Ok(column)
    }

    /// Appends `rows` rows whose bytes are all the same.
    pub(super) fn fill(&mut self, byte: u8, rows: u64) -> io::Result<()> {
        self.rows.fill(byte, rows * self.field.row_bytes() as u64)
    }

    /// The field that says which graphs have this one, if some lack it and no other field says so.
    pub(super) fn mask(&self) -> Option<Field> {
        self.has.as_ref().filter(|_| !self.is_masked).map(|_| self.field.mask())
    }

    /// Makes room for the field as later graphs have it: floating point once one of them is. Errors if it is another,
    /// or if an integer would be rounded.
    pub(super) fn unite(&mut self, target: &Path, column: &Column, sets: &SetNames) -> io::Result<Result<(), Error>> {
        let found = column.field();
        self.field.agree(found);
        if *found == self.field {
            return Ok(Ok(()));
        }
        let united = match (self.field.dtype, found.dtype) {
            (Dtype::I64, wide @ (Dtype::F32 | Dtype::F64)) => wide,
            (wide @ (Dtype::F32 | Dtype::F64), Dtype::I64) => wide,
            (dtype, _) => dtype,
        };
        let found_united =
            Field { dtype: if found.dtype == Dtype::I64 { united } else { found.dtype }, ..found.clone() };
        let other = |why: &str| {
            let kind = |field: &Field| {
                let level = match field.level {
                    Level::Graph => "graph",
                    Level::Set(set) => sets.singular(set.into()),
                };
                let vector = if field.vector { " as a vector" } else { "" };
                format!("{} {} per {level}{vector}, {} in padding", field.width, field.dtype, field.padding)
            };
            let what = format!("field {:?}", found.name);
            Ok(Err(StoreError::Other { what, expected: kind(&self.field), found: kind(found) + why }.into()))
        };
        if found_united != (Field { dtype: united, ..self.field.clone() }) {
            return other("");
        }
        let mut rounded = (found.dtype == Dtype::I64).then(|| first_rounded(column.bytes(), united)).flatten();
        let mut wide = None;
        if united != self.field.dtype {
            let wide = wide.insert(Scratch::create(target)?);
            self.rows.read(0..self.rows.len(), &mut |bytes| {
                rounded = rounded.or_else(|| first_rounded(bytes, united));
                wide.push(&floats(bytes, united))
            })?;
        }
        if let Some(number) = rounded {
            return other(&format!("; {number} would be rounded in {united}"));
        }
        if let Some(wide) = wide {
            (self.rows, self.field.dtype) = (wide, united);
        }
        Ok(Ok(()))
    }

    /// Appends the rows of `graphs` graphs, all of which have the field unless `mask` says otherwise.
    pub(super) fn push(
        &mut self,
        target: &Path,
        column: &Column,
        mask: Option<&Column>,
        earlier: u64,
        graphs: u64,
    ) -> io::Result<()> {
        match (column.field().dtype, self.field.dtype) {
            (Dtype::I64, united @ (Dtype::F32 | Dtype::F64)) => self.rows.push(&floats(column.bytes(), united))?,
            _ => self.rows.push(column.bytes())?,
        }
        match (mask, &mut self.has) {
            (Some(mask), _) => self.has(target, 1, earlier)?.push(mask.bytes()),
            (None, Some(has)) => has.fill(1, graphs),
            (None, None) => Ok(()),
        }
    }

    /// Appends `graphs` graphs with `rows` rows that lack the field.
    pub(super) fn push_none(&mut self, target: &Path, rows: u64, earlier: u64, graphs: u64) -> io::Result<()> {
        self.rows.fill(0, rows * self.field.row_bytes() as u64)?;
        self.has(target, 1, earlier)?.fill(0, graphs)
    }

    /// Which graphs have the field; until now all `earlier` ones do or none.
    fn has(&mut self, target: &Path, has: u8, earlier: u64) -> io::Result<&mut Scratch> {
        match &mut self.has {
            Some(found) => Ok(found),
            none => {
                let mut scratch = Scratch::create(target)?;
                scratch.fill(has, earlier)?;
                Ok(none.insert(scratch))
            }
        }
    }

    /// Passes rows on.
    pub(super) fn read(&mut self, rows: Range<u64>, out: Out<'_>) -> io::Result<()> {
        let bytes = self.field.row_bytes() as u64;
        self.rows.read(rows.start * bytes..rows.end * bytes, out)
    }

    /// Passes on which of some graphs have the field.
    pub(super) fn read_mask(&mut self, graphs: Range<u64>, out: Out<'_>) -> io::Result<()> {
        self.has.as_mut().map_or(Ok(()), |has| has.read(graphs, out))
    }
}

fn integers(bytes: &[u8]) -> impl Iterator<Item = i64> {
    bytes.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes))
}

/// The first integer that is not a number of this floating point type.
fn first_rounded(bytes: &[u8], dtype: Dtype) -> Option<i64> {
    integers(bytes).find(|&number| dtype.rounds(number))
}

/// Integers as floating point numbers.
fn floats(bytes: &[u8], dtype: Dtype) -> Vec<u8> {
    let numbers = integers(bytes).map(|number| number as f64);
    match dtype {
        Dtype::F32 => numbers.flat_map(|number| (number as f32).to_le_bytes()).collect(),
        _ => numbers.flat_map(f64::to_le_bytes).collect(),
    }
}

/// An index on disk, in integers as narrow as the graphs so far allow.
#[derive(Debug)]
pub(super) struct WrittenIndex {
    width: IndexWidth,
    columns: Vec<Scratch>,
}

impl WrittenIndex {
    pub(super) fn create(target: &Path, columns: usize) -> io::Result<Self> {
        let columns = (0..columns).map(|_| Scratch::create(target)).collect::<io::Result<_>>()?;
        Ok(Self { width: IndexWidth::U8, columns })
    }

    /// Type of the numbers.
    pub(super) fn width(&self) -> IndexWidth {
        self.width
    }

    /// Appends entries, which are all below `rows`.
    pub(super) fn push(&mut self, target: &Path, entries: &LocalIndex, rows: u64) -> io::Result<()> {
        let (from, to) = (self.width, IndexWidth::for_rows(rows));
        if to.bytes() > from.bytes() {
            for column in &mut self.columns {
                let mut wide = Scratch::create(target)?;
                column.read(0..column.len(), &mut |bytes| wide.push(&IndexBytes::new(from, bytes).in_width(to)))?;
                *column = wide;
            }
            self.width = to;
        }
        let found = entries.rows(0..entries.len());
        { self.columns.iter_mut().zip(found) }.try_for_each(|(column, found)| column.push(&found.in_width(self.width)))
    }

    /// Passes entries on, column after column.
    pub(super) fn read(&mut self, rows: Range<u64>, out: Out<'_>) -> io::Result<()> {
        let bytes = self.width.bytes() as u64;
        self.columns.iter_mut().try_for_each(|column| column.read(rows.start * bytes..rows.end * bytes, out))
    }
}
