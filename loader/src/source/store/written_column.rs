//! [`WrittenColumn`], [`WrittenIndex`]: a field and an index of graphs that are written piece by piece.

use super::column::LocalIndex;
use super::tensor_file::{Out, Scratch};
use super::{Column, StoreError};
use crate::error::Error;
use crate::layout::{Dtype, Field, IndexBytes, IndexWidth, Level, SetNames, common_labels};
use bytemuck::pod_read_unaligned;
use half::f16;
use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::path::Path;

/// A field on disk, and which graphs have it.
#[derive(Debug)]
pub(super) struct WrittenColumn {
    pub(super) field: Field,
    /// The first unit that graphs state, whether all do or not.
    stated: Option<String>,
    /// The first graph with this dtype, and the first with the stated unit.
    since: [u64; 2],
    /// The first graph where these are bools: whatever comes between, these are no floating point numbers.
    bools: Option<u64>,
    rows: Scratch,
    has: Option<Mask>,
    /// Whether another field says which of its numbers are there.
    pub(super) is_masked: bool,
}

/// Which graphs have a field, or which of its columns, once some graph lacks it or one had a mask.
#[derive(Debug)]
struct Mask {
    field: Field,
    rows: Scratch,
}

/// The dtype of a field that has one of these in some graphs and the other in others: bools become integers, narrow
/// numbers wide ones, and integers floating point, where none may be [rounded](Dtype::rounds). `None` for bools beside
/// floating point numbers.
fn joined(one: Dtype, other: Dtype) -> Option<Dtype> {
    let order = |dtype: Dtype| (dtype.is_float(), dtype != Dtype::Bool, dtype.bytes());
    let (narrow, wide) = if order(one) < order(other) { (one, other) } else { (other, one) };
    (narrow != Dtype::Bool || !wide.is_float()).then_some(wide)
}

impl WrittenColumn {
    /// A field that all `earlier` graphs, with `rows` rows, lack.
    pub(super) fn create(target: &Path, field: Field, earlier: u64, rows: u64) -> io::Result<Self> {
        let (stated, since) = (field.unit.clone(), [earlier; 2]);
        let bools = (field.dtype == Dtype::Bool).then_some(earlier);
        let mut column =
            Self { rows: Scratch::create(target)?, has: None, is_masked: false, stated, since, bools, field };
        column.rows.fill(0, rows * column.field.row_bytes() as u64)?;
        if earlier > 0 {
            column.has(target, None, 0, earlier)?;
        }
        Ok(column)
    }

    /// Appends `rows` rows whose bytes are all the same.
    pub(super) fn fill(&mut self, byte: u8, rows: u64) -> io::Result<()> {
        self.rows.fill(byte, rows * self.field.row_bytes() as u64)
    }

    /// The field that says which graphs have this one, if some lack it and no other field says so.
    pub(super) fn mask(&self) -> Option<&Field> {
        self.has.as_ref().filter(|_| !self.is_masked).map(|has| &has.field)
    }

    /// Makes room for the field as the graphs from number `graph` on have it, in the dtype that both have together.
    /// Errors if it is another field, in another unit, or if an integer would be rounded.
    pub(super) fn unite(
        &mut self,
        target: &Path,
        column: &Column,
        graph: u64,
        sets: &SetNames,
    ) -> io::Result<Result<(), Error>> {
        let (found, before, since) = (column.field(), self.field.clone(), self.since);
        let refused = |graph: u64, expected: String, found: String| {
            let what = format!("field {:?}", before.name);
            Ok(Err(StoreError::Other { what, graph, expected, found }.into()))
        };
        let kind = |field: &Field| {
            let level = match field.level {
                Level::Graph => "graph",
                Level::Set(set) => sets.singular(set.into()),
            };
            let Field { dtype, width, padding, row, .. } = field;
            let shape = if row[..] == [*width] { String::new() } else { format!(" of shape {row:?}") };
            let labelled = if field.labels.is_empty() { "" } else { ", codes of labels" };
            format!("{width} {dtype} per {level}{shape}, {padding} in padding{labelled}")
        };
        let other = |why: &str| refused(since[0], kind(&before), kind(found) + why);
        let Some(united) = joined(before.dtype, found.dtype) else { return other("") };
        self.bools = self.bools.or((found.dtype == Dtype::Bool).then_some(graph));
        if let Some(bools) = self.bools.filter(|_| united.is_float()) {
            return refused(bools, kind(&Field { dtype: Dtype::Bool, ..before.clone() }), kind(found));
        }
        let is_labelled = before.labels.is_empty() == found.labels.is_empty();
        if !is_labelled || *found != (Field { dtype: found.dtype, ..before.clone() }) {
            return other("");
        }
        self.field.labels = common_labels([&before.labels, &found.labels].into_iter());
        if let Err([expected, found]) = self.unite_units(found.unit.as_deref(), graph) {
            return refused(since[1], format!("numbers in {expected}"), format!("numbers in {found}"));
        }
        let mut rounded = widened(column.bytes(), found.dtype, united).err();
        let mut wide = None;
        if united != before.dtype {
            let wide = wide.insert(Scratch::create(target)?);
            self.rows.read(0..self.rows.len(), &mut |bytes| match widened(bytes, before.dtype, united) {
                Ok(bytes) => wide.push(&bytes),
                Err(number) => {
                    rounded.get_or_insert(number);
                    Ok(())
                }
            })?;
        }
        if let Some(number) = rounded {
            return other(&format!("; {number} would be rounded in {united}"));
        }
        if let Some(wide) = wide {
            (self.rows, self.field.dtype, self.since[0]) = (wide, united, graph);
        }
        Ok(Ok(()))
    }

    /// Takes the unit of the graphs from number `graph` on. Errors with the stated unit and this one if they are two.
    fn unite_units(&mut self, found: Option<&str>, graph: u64) -> Result<(), [String; 2]> {
        match (&self.stated, found) {
            (Some(stated), Some(found)) if stated != found => return Err([stated.clone(), found.to_owned()]),
            (None, Some(found)) => (self.stated, self.since[1]) = (Some(found.to_owned()), graph),
            _ => {}
        }
        self.field.unit.take_if(|unit| found != Some(unit));
        Ok(())
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
        let rounded = |number| io::Error::other(format!("{number} is no {}", self.field.dtype));
        self.rows.push(&widened(column.bytes(), column.field().dtype, self.field.dtype).map_err(rounded)?)?;
        if mask.is_none() && self.has.is_none() {
            return Ok(());
        }
        let has = self.has(target, mask.map(Column::field), 1, earlier)?;
        let width = has.field.width;
        match mask {
            Some(mask) if mask.field().width < width => has.rows.push(&repeated(mask.bytes(), width)),
            Some(mask) => has.rows.push(mask.bytes()),
            None => has.rows.fill(1, graphs * width as u64),
        }
    }

    /// Appends `graphs` graphs with `rows` rows that lack the field.
    pub(super) fn push_none(&mut self, target: &Path, rows: u64, earlier: u64, graphs: u64) -> io::Result<()> {
        self.rows.fill(0, rows * self.field.row_bytes() as u64)?;
        let has = self.has(target, None, 1, earlier)?;
        has.rows.fill(0, graphs * has.field.width as u64)
    }

    /// Which graphs have the field, as wide as `mask` is; until now all `earlier` ones do or none.
    fn has(&mut self, target: &Path, mask: Option<&Field>, all: u8, earlier: u64) -> io::Result<&mut Mask> {
        if let (Some(Mask { field, rows }), Some(mask)) = (&mut self.has, mask)
            && field.width < mask.width
        {
            let mut wide = Scratch::create(target)?;
            rows.read(0..rows.len(), &mut |bytes| wide.push(&repeated(bytes, mask.width)))?;
            (*rows, *field) = (wide, mask.clone());
        }
        match &mut self.has {
            Some(has) => Ok(has),
            none => {
                let field = mask.cloned().unwrap_or_else(|| self.field.mask());
                let mut rows = Scratch::create(target)?;
                rows.fill(all, earlier * field.width as u64)?;
                Ok(none.insert(Mask { field, rows }))
            }
        }
    }

    /// Errors unless there are the bytes of `rows` rows, and of a mask of `graphs` graphs.
    pub(super) fn check(&self, rows: u64, graphs: u64) -> io::Result<()> {
        let mask = self.has.as_ref().map(|has| (&has.field, &has.rows, graphs));
        for (field, written, rows) in [(&self.field, &self.rows, rows)].into_iter().chain(mask) {
            let (found, bytes) = (written.len(), field.row_bytes());
            if u128::from(rows) * bytes as u128 != found.into() {
                let problem = format!("field {:?} has {found} bytes, expected {rows} rows of {bytes}", field.name);
                return Err(io::Error::other(problem));
            }
        }
        Ok(())
    }

    /// Passes rows on.
    pub(super) fn read(&mut self, rows: Range<u64>, out: Out<'_>) -> io::Result<()> {
        let bytes = self.field.row_bytes() as u64;
        self.rows.read(rows.start * bytes..rows.end * bytes, out)
    }

    /// Passes on which of some graphs have the field.
    pub(super) fn read_mask(&mut self, graphs: Range<u64>, out: Out<'_>) -> io::Result<()> {
        self.has.as_mut().map_or(Ok(()), |has| {
            let bytes = has.field.row_bytes() as u64;
            has.rows.read(graphs.start * bytes..graphs.end * bytes, out)
        })
    }
}

/// Each byte this often.
fn repeated(bytes: &[u8], times: usize) -> Vec<u8> {
    bytes.iter().flat_map(|&byte| std::iter::repeat_n(byte, times)).collect()
}

/// Elements of dtype `from` in a dtype that was [`joined`](Dtype::joined) with it. Errors with the first integer that
/// this would round.
fn widened(bytes: &[u8], from: Dtype, to: Dtype) -> Result<Cow<'_, [u8]>, i64> {
    if from == to {
        return Ok(bytes.into());
    }
    let mut wide = Vec::with_capacity(bytes.len() / from.bytes() * to.bytes());
    for element in bytes.chunks_exact(from.bytes()) {
        let integer: i64 = match from {
            Dtype::I64 => pod_read_unaligned(element),
            Dtype::I32 => pod_read_unaligned::<i32>(element).into(),
            Dtype::U8 | Dtype::Bool => element[0].into(),
            Dtype::F16 | Dtype::F32 | Dtype::F64 => 0,
        };
        if to.rounds(integer) {
            return Err(integer);
        }
        let float: f64 = match from {
            Dtype::F64 => pod_read_unaligned(element),
            Dtype::F32 => pod_read_unaligned::<f32>(element).into(),
            Dtype::F16 => pod_read_unaligned::<f16>(element).into(),
            _ => integer as f64,
        };
        match to {
            Dtype::F64 => wide.extend(float.to_le_bytes()),
            Dtype::F32 => wide.extend((float as f32).to_le_bytes()),
            Dtype::F16 => wide.extend(f16::from_f64(float).to_le_bytes()),
            Dtype::I64 => wide.extend(integer.to_le_bytes()),
            Dtype::I32 => wide.extend((integer as i32).to_le_bytes()),
            Dtype::U8 | Dtype::Bool => wide.push(integer as u8),
        }
    }
    Ok(wide.into())
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

    /// Errors unless each column has the bytes of `rows` entries.
    pub(super) fn check(&self, rows: u64) -> io::Result<()> {
        let bytes = self.width.bytes() as u64;
        match self.columns.iter().find(|column| column.len() != rows * bytes) {
            Some(column) => {
                let problem = format!("an index has {} bytes, expected {rows} entries of {bytes}", column.len());
                Err(io::Error::other(problem))
            }
            None => Ok(()),
        }
    }

    /// Passes entries on, column after column.
    pub(super) fn read(&mut self, rows: Range<u64>, out: Out<'_>) -> io::Result<()> {
        let bytes = self.width.bytes() as u64;
        self.columns.iter_mut().try_for_each(|column| column.read(rows.start * bytes..rows.end * bytes, out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_those_of_the_rows_are_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("store");
        let of_width = |width| Column::new("x", Level::Graph, width, vec![1.0_f32; width]);
        let field = of_width(1).field().clone();
        let mut column = WrittenColumn::create(&target, field, 0, 0).expect("a column");
        column.push(&target, &of_width(1), None, 0, 1).expect("it is written");
        assert!(column.check(1, 1).is_ok());
        column.push(&target, &of_width(2), None, 1, 1).expect("it is written");
        let error = column.check(2, 2).expect_err("a row of two").to_string();
        assert_eq!(error, "field \"x\" has 12 bytes, expected 2 rows of 4");
    }
}
