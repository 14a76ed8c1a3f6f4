//! [`Table`]: a csv file of numbers, of which each graph has some rows.

use crate::common::OfRecord;
use crate::{CellKind, CsvRows, FormatError, Values, compressed};
use std::path::{Path, PathBuf};

/// A csv file of numbers, of which each graph has some rows.
pub(super) struct Table {
    path: PathBuf,
    rows: CsvRows,
    /// Cells per row: of the first, or 1 if there is none.
    width: usize,
}

impl Table {
    /// Opens a file; `None` if it is not there.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, FormatError> {
        let path = compressed::existing(path);
        if !path.exists() {
            return Ok(None);
        }
        let mut first = CsvRows::open(&path, b',')?;
        let width = if first.advance()? { first.width() } else { 1 };
        Ok(Some(Self { rows: CsvRows::open(&path, b',')?, path, width }))
    }

    /// The next rows and cells per row: integers if all cells are, else floating point, where an empty cell is NaN.
    pub(super) fn take(&mut self, rows: usize) -> OfRecord<(Values, usize)> {
        let (mut integers, mut floats, mut kind, width) = (Vec::new(), Vec::new(), CellKind::default(), self.width);
        let read = self.each(rows, "a row for each node, edge or graph", |rows| {
            rows.expect_same_width(width)?;
            for column in 0..width {
                match kind.see(rows, column)? {
                    Some(integer) => integers.push(integer),
                    None => {
                        floats.extend(integers.drain(..).map(|integer| integer as f64));
                        floats.push(rows.double(column)?);
                    }
                }
            }
            Ok(())
        })?;
        let values = || if kind.are_integers()? { Ok(Values::I64(integers)) } else { Ok(Values::F64(floats)) };
        Ok(read.and_then(|()| values()).map(|values| (values, width)))
    }

    /// The next rows, which must be two numbers of nodes each.
    pub(super) fn edges(&mut self, rows: usize, graph: usize, nodes: usize) -> OfRecord<Vec<[i64; 2]>> {
        let (mut edges, path) = (Vec::new(), self.path.clone());
        let read = self.each(rows, "a row for each edge", |rows| {
            rows.expect_width(2)?;
            let node = |column| {
                let node = rows.integer(column)?;
                if (0..nodes as i64).contains(&node) {
                    return Ok(node);
                }
                let (place, expected) =
                    (format!("line {}", rows.line()), format!("the nodes of graph {graph}, below {nodes}"));
                Err(FormatError::wrong(&path, place, expected, format!("node {node}")))
            };
            edges.push([node(0)?, node(1)?]);
            Ok(())
        })?;
        Ok(read.map(|()| edges))
    }

    /// Reads the next rows to the last, whatever is wrong with one of them.
    fn each(
        &mut self,
        rows: usize,
        expected: &str,
        mut read: impl FnMut(&CsvRows) -> Result<(), FormatError>,
    ) -> OfRecord<()> {
        let mut all = Ok(());
        for _ in 0..rows {
            if !self.rows.advance()? {
                return Err(self.wrong(expected, format!("{} rows", self.rows.line())));
            }
            all = all.and_then(|()| read(&self.rows));
        }
        Ok(all)
    }

    /// Checks that there are no more rows.
    pub(super) fn end(&mut self) -> Result<(), FormatError> {
        let read = self.rows.line();
        if self.rows.advance()? { Err(self.wrong(format!("{read} rows"), "more")) } else { Ok(()) }
    }

    fn wrong(&self, expected: impl Into<String>, found: impl Into<String>) -> FormatError {
        FormatError::wrong(&self.path, "", expected, found)
    }
}
