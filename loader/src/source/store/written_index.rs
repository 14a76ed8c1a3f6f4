//! [`WrittenIndex`]: an index of graphs that are written piece by piece.

use super::local_index::LocalIndex;
use super::scratch::Scratch;
use super::tensor_file::Out;
use crate::layout::{IndexBytes, IndexWidth};
use std::io;
use std::ops::Range;
use std::path::Path;

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
                column.read(0..column.len(), &mut |bytes| wide.push(&IndexBytes::new(from, bytes).widened(to)))?;
                *column = wide;
            }
            self.width = to;
        }
        let found = entries.rows(0..entries.len());
        self.columns.iter_mut().zip(found).try_for_each(|(column, found)| {
            if found.width() == self.width {
                column.push(found.bytes())
            } else {
                column.push(&found.widened(self.width))
            }
        })
    }

    /// Passes entries on, column after column.
    pub(super) fn read(&mut self, rows: Range<u64>, out: Out<'_>) -> io::Result<()> {
        let bytes = self.width.bytes() as u64;
        self.columns.iter_mut().try_for_each(|column| column.read(rows.start * bytes..rows.end * bytes, out))
    }
}
