//! [`Folder`]: the files of a data set, in a zip or a folder; [`Rows`]: numbers by rows, some of which may be unreadable;
//! [`Labels`]: integers by rows, and their one-hot form.

use crate::common::{CsvRows, ZipFiles, file_names};
use crate::{FormatError, ReadError};
use graphpack_loader::Error;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What the name of the file of edges ends in.
const EDGES: &str = "_A.txt";

/// The files of a data set `DS`.
pub(super) struct Folder {
    /// The zip or folder.
    path: PathBuf,
    archive: Option<ZipFiles>,
    /// What is before `A.txt` in the name of the file of edges: `DS/DS_`.
    prefix: String,
}

impl Folder {
    /// Finds the data set in a zip or a folder, in which it may be in a folder `raw`, as PyG unpacks it.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        if !path.is_dir() {
            let archive = ZipFiles::open(path)?;
            let prefix = only(path, archive.names().map(str::to_owned).collect())?;
            return Ok(Self { path: path.to_owned(), archive: Some(archive), prefix });
        }
        let (mut path, mut found) = (path.to_owned(), names(path)?);
        if found.iter().any(|name| name == "raw") && !found.iter().any(|name| name.ends_with(EDGES)) {
            path.push("raw");
            found = names(&path)?;
        }
        let prefix = only(&path, found)?;
        Ok(Self { path, archive: None, prefix })
    }

    /// The path of a file, for messages.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.path.join(format!("{}{name}.txt", self.prefix))
    }

    /// Names of the files of the data set that are not read.
    pub(super) fn others(&self) -> Result<Vec<String>, Error> {
        let known = ["A", "graph_indicator", "graph_labels", "graph_attributes", "node_labels", "node_attributes"];
        let known = [&known[..], &["edge_labels", "edge_attributes"]].concat();
        let names = match &self.archive {
            Some(archive) => archive.names().map(str::to_owned).collect(),
            None => names(&self.path)?,
        };
        let is_other = |name: &&String| {
            let file = name.strip_prefix(&self.prefix).and_then(|name| name.strip_suffix(".txt"));
            file.is_some_and(|file| !known.contains(&file))
        };
        let mut others: Vec<String> = names.iter().filter(is_other).cloned().collect();
        others.sort();
        Ok(others)
    }

    /// The rows of a file; `None` if it is not there.
    pub(super) fn rows(&mut self, name: &str) -> Result<Option<CsvRows>, Error> {
        let path = self.path(name);
        let Some(archive) = &mut self.archive else {
            return Ok(if path.exists() { Some(CsvRows::open(&path, b',')?) } else { None });
        };
        let file = archive.file(&format!("{}{name}.txt", self.prefix))?;
        Ok(file.map(|file| CsvRows::new(&path, file, b',')))
    }
}

/// What is in a folder.
fn names(folder: &Path) -> Result<Vec<String>, Error> {
    file_names(folder).map_err(|source| ReadError::open(folder, source))
}

/// The only name that ends as that of the file of edges does, up to this end.
fn only(path: &Path, mut names: Vec<String>) -> Result<String, Error> {
    names.retain(|name| name.ends_with(EDGES));
    match &names[..] {
        [name] => Ok(name[..name.len() - EDGES.len() + 1].to_owned()),
        _ => {
            names.sort();
            let found = if names.is_empty() { "none".into() } else { names.join(", ") };
            Err(FormatError::wrong(path, "", "one file DS_A.txt, the edges of a TU data set", found))
        }
    }
}

/// The most columns of a one-hot form.
const MAX_CLASSES: i64 = 1 << 16;
/// The most numbers in the one-hot form of a graph, half a gigabyte: a small file of labels that are far apart would
/// otherwise fill all memory.
const MAX_NUMBERS: usize = 1 << 26;

/// Numbers by rows.
pub(super) struct Rows<T> {
    pub(super) cells: Vec<T>,
    pub(super) width: usize,
    /// Rows that cannot be read, whose cells are zeros, and why not.
    bad: BTreeMap<usize, Error>,
}

/// Integers by rows, counted from the least of each column.
pub(super) struct Labels {
    path: PathBuf,
    rows: Rows<u32>,
    /// Where each column begins in the one-hot form, and its end.
    starts: Vec<usize>,
}

impl<T: Copy + Default> Rows<T> {
    /// Reads a file, which must have this many rows; `None` if it is not there. Errors where rows cannot be told apart.
    fn read(
        folder: &mut Folder,
        name: &str,
        expected: usize,
        cell: impl Fn(&CsvRows, usize) -> Result<T, Error>,
    ) -> Result<Option<Self>, Error> {
        let Some(mut file) = folder.rows(name)? else { return Ok(None) };
        let (mut cells, mut width, mut bad) = (Vec::new(), 1, BTreeMap::new());
        while file.advance()? {
            let row = file.line() as usize - 1;
            width = if row == 0 { file.width() } else { width };
            let before = cells.len();
            let mut read = || -> Result<(), Error> {
                file.expect_same_width(width)?;
                for column in 0..width {
                    cells.push(cell(&file, column)?);
                }
                Ok(())
            };
            if let Err(error) = read() {
                cells.truncate(before);
                cells.resize(before + width, T::default());
                bad.insert(row, error);
            }
        }
        let found = cells.len() / width;
        if found != expected {
            let expected = format!("{expected} rows");
            return Err(FormatError::wrong(folder.path(name), "", expected, found.to_string()));
        }
        Ok(Some(Self { cells, width, bad }))
    }

    /// The cells of a row.
    pub(super) fn row(&self, row: usize) -> &[T] {
        &self.cells[row * self.width..(row + 1) * self.width]
    }

    /// The rows that can be read.
    pub(super) fn good(&self) -> impl Iterator<Item = &[T]> {
        let rows = self.cells.chunks_exact(self.width).enumerate();
        rows.filter(|(row, _)| !self.bad.contains_key(row)).map(|(_, cells)| cells)
    }

    /// Errors, once, if a row of these cannot be read.
    pub(super) fn expect(&mut self, rows: Range<usize>) -> Result<(), Error> {
        let bad = self.bad.range(rows).next().map(|(row, _)| *row);
        bad.and_then(|row| self.bad.remove(&row)).map_or(Ok(()), Err)
    }

    /// Returns the rows with other cells, which `each` makes of the number of a row and its cells.
    pub(super) fn map<U>(self, each: impl FnMut((usize, T)) -> U) -> Rows<U> {
        let cells = self.cells.into_iter().enumerate().map(each).collect();
        Rows { cells, width: self.width, bad: self.bad }
    }
}

impl Labels {
    /// Reads a file of `rows` rows; `None` if it is not there.
    pub(super) fn read(folder: &mut Folder, name: &str, rows: usize) -> Result<Option<Self>, Error> {
        let Some(rows) = integers(folder, name, rows)? else { return Ok(None) };
        let (mut starts, mut least, width) = (vec![0], Vec::new(), rows.width);
        for column in 0..width {
            let of_column = || rows.good().map(|cells| cells[column]);
            let (first, last) = (of_column().min().unwrap_or(0), of_column().max().unwrap_or(0));
            let classes = last.checked_sub(first).filter(|classes| *classes < MAX_CLASSES);
            let classes = classes.ok_or_else(|| {
                let expected = format!("labels within {MAX_CLASSES} of each other in column {}", column + 1);
                FormatError::wrong(folder.path(name), "", expected, format!("{first} and {last}"))
            })?;
            starts.push(starts[column] + classes as usize + 1);
            least.push(first);
        }
        let rows = rows.map(|(at, cell)| (cell.saturating_sub(least[at % width])) as u32);
        Ok(Some(Self { path: folder.path(name), rows, starts }))
    }

    /// Errors, once, if a row of these cannot be read.
    pub(super) fn expect(&mut self, rows: Range<usize>) -> Result<(), Error> {
        self.rows.expect(rows)
    }

    /// Columns of the one-hot form.
    pub(super) fn classes(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// Zeros for the one-hot form of the rows of a graph.
    pub(super) fn zeros(&self, graph: usize, rows: usize) -> Result<Vec<f64>, Error> {
        let numbers = self.classes().saturating_mul(rows);
        if numbers > MAX_NUMBERS {
            let expected = format!("labels whose one-hot form has at most {MAX_NUMBERS} numbers");
            let found = format!("{rows} rows of {} numbers", self.classes());
            return Err(FormatError::wrong(&self.path, format!("graph {}", graph + 1), expected, found));
        }
        Ok(vec![0.0; numbers])
    }

    /// Adds the one-hot form of a row to `to`.
    pub(super) fn add(&self, row: usize, to: &mut [f64]) {
        for (cell, start) in self.rows.row(row).iter().zip(&self.starts) {
            to[start + *cell as usize] += 1.0;
        }
    }
}

/// The integers of a file of `rows` rows; `None` if it is not there.
pub(super) fn integers(folder: &mut Folder, name: &str, rows: usize) -> Result<Option<Rows<i64>>, Error> {
    Rows::read(folder, name, rows, CsvRows::integer)
}

/// The numbers of a file of `rows` rows, NaN where a label is missing; `None` if it is not there.
pub(super) fn numbers(folder: &mut Folder, name: &str, rows: usize) -> Result<Option<Rows<f64>>, Error> {
    Rows::read(folder, name, rows, CsvRows::double)
}

/// The numbers of a file of `rows` nodes or edges, none of which may be missing; `None` if it is not there.
pub(super) fn features(folder: &mut Folder, name: &str, rows: usize) -> Result<Option<Rows<f64>>, Error> {
    Rows::read(folder, name, rows, CsvRows::finite)
}
