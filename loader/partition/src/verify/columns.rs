//! [`Files`]: the files of a partition and the graph that they are compared with; [`Column`]: an array in a file,
//! compared row by row; [`differs`]: the error for what is not as in the graph.

use crate::chunked::{ChunkedError, ChunkedFeature, ChunkedGraph};
use crate::dgl::{ORIGINAL_EDGES, ORIGINAL_NODES, PartReader, TensorFile, TensorInfo, map_files, stored, stored_as};
use crate::problem::problem_in;
use crate::{ArrayType, PartitionBook, files};
use graphpack_formats::npy::Header;
use graphpack_loader::extend::file_error;
use graphpack_loader::store::SharedFile;
use graphpack_loader::{Error, ErrorKind};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The files of a partition, and the graph.
pub(super) struct Files<'a> {
    pub(super) parts: PartReader,
    pub(super) graph: &'a ChunkedGraph,
    /// Whether there are original ids of nodes and of edges.
    pub(super) has_ids: bool,
}

impl Files<'_> {
    /// The JSON file.
    pub(super) fn path(&self) -> &Path {
        &self.parts.path
    }

    /// The ranges of ids of the parts.
    pub(super) fn book(&self) -> &PartitionBook {
        &self.parts.config.book
    }

    /// Refuses files of original ids that some parts or types have and others lack.
    pub(super) fn originals_of_all(&self) -> Result<(), Error> {
        let beside =
            |file| (0..self.book().parts()).map(|part| self.parts.beside(part, file)).collect::<Result<_, _>>();
        for paths in [beside(ORIGINAL_NODES)?, beside(ORIGINAL_EDGES)?].into_iter().chain(self.maps()) {
            let paths: Vec<PathBuf> = paths;
            let (found, missing): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| path.exists());
            if let (Some(found), Some(path)) = (found.first(), missing.into_iter().next()) {
                let expected = format!("there, as {} is", found.display());
                return Err(differs(&path, "the file", &expected, "missing"));
            }
        }
        Ok(())
    }

    /// Original ids of the nodes of a part, if `orig_nids.dgl` is there.
    pub(super) fn original_nodes(&self, kind: usize, part: usize) -> Result<Option<Column>, Error> {
        let book = self.book();
        self.original(ORIGINAL_NODES, book.node_types(), kind, part, book.node_range(kind, part))
    }

    /// Original ids of the edges of a part, if `orig_eids.dgl` is there.
    pub(super) fn original_edges(&self, kind: usize, part: usize) -> Result<Option<Column>, Error> {
        let book = self.book();
        self.original(ORIGINAL_EDGES, book.edge_names(), kind, part, book.edge_range(kind, part))
    }

    /// Original ids of the nodes of a part in `node_map.npy`, or in a file per type, if that is there.
    pub(super) fn node_map(&self, kind: usize, part: usize) -> Result<Option<Column>, Error> {
        map(&self.maps()[0][kind], part, self.book().parts(), |part| self.book().node_range(kind, part))
    }

    /// Original ids of the edges of a part in `edge_map.npy`, or in a file per type, if that is there.
    pub(super) fn edge_map(&self, kind: usize, part: usize) -> Result<Option<Column>, Error> {
        map(&self.maps()[1][kind], part, self.book().parts(), |part| self.book().edge_range(kind, part))
    }

    /// Where the maps of all types are, if there are any: of nodes, and of edges.
    fn maps(&self) -> [Vec<PathBuf>; 2] {
        map_files(self.path().parent().unwrap_or(Path::new("")), self.book())
    }

    fn original(
        &self,
        file: &str,
        names: &[String],
        kind: usize,
        part: usize,
        ids: Range<i64>,
    ) -> Result<Option<Column>, Error> {
        let path = self.parts.beside(part, file)?;
        if !path.exists() {
            return Ok(None);
        }
        let file = TensorFile::open(&path)?;
        // DGL writes them in any order.
        let sorted = |names: &mut dyn Iterator<Item = &String>| names.cloned().collect::<BTreeSet<_>>();
        let found = sorted(&mut file.arrays.iter().map(|array| &array.name));
        same(&path, "the list of arrays", &sorted(&mut names.iter()), &found)?;
        let what = format!("array {:?}", names[kind]);
        let Some(array) = file.named(&names[kind]).cloned() else {
            return Err(differs(&path, &what, "there", "missing"));
        };
        let expected = (ArrayType::I64, vec![ids.count()]);
        same(&path, &what, &expected, &(array.element, array.shape.clone()))?;
        Column::of_tensor(file, &array, 8).map(Some)
    }

    /// The rows of a feature that a part owns; `of` is its type and `level` 0 for nodes, 1 for edges.
    pub(super) fn feature(
        &self,
        level: usize,
        of: &str,
        feature: &ChunkedFeature,
        part: usize,
        rows: usize,
    ) -> Result<Column, Error> {
        let file = self.parts.features(part, level == 1)?;
        let (path, name) = (file.path.clone(), format!("{of}/{}", feature.name()));
        let expected = stored_as(feature.element());
        let shape: Vec<usize> = [rows].into_iter().chain(feature.row().iter().copied()).collect();
        let what = format!("feature {name:?}");
        let Some(array) = file.named(&name).cloned() else {
            return Err(differs(&path, &what, &format!("{expected} {shape:?}"), "missing"));
        };
        // Files may have uint16 and so on as they are, which only DGL does not read.
        let as_it_is = array.element == feature.element();
        let expected = if as_it_is { array.element } else { expected };
        same(&path, &what, &(expected, shape), &(array.element, array.shape.clone()))?;
        let row_bytes = feature.row_bytes() / feature.element().bytes() * array.element.bytes();
        let column = Column::of_tensor(file, &array, row_bytes)?;
        Ok(if as_it_is { column } else { column.stored_from(feature.element()) })
    }

    /// Refuses features that the graph does not have.
    pub(super) fn only(&self, level: usize, part: usize, known: &[String]) -> Result<(), Error> {
        let TensorFile { path, arrays, .. } = self.parts.features(part, level == 1)?;
        let mut found: Vec<_> = arrays.into_iter().map(|array| array.name).collect();
        let mut known = known.to_vec();
        found.sort();
        known.sort();
        same(&path, "the list of features", &known, &found)
    }
}

/// Original ids of a part in a map, if that is there.
fn map(path: &Path, part: usize, parts: usize, ids: impl Fn(usize) -> Range<i64>) -> Result<Option<Column>, Error> {
    if !path.exists() {
        return Ok(None);
    }
    let counts: Vec<usize> = (0..parts).map(|part| ids(part).count()).collect();
    let start = counts[..part].iter().sum();
    Column::of_npy(path, start..start + counts[part], counts.iter().sum()).map(Some)
}

/// Compares what a file has with what the graph has.
pub(super) fn same<T: PartialEq + std::fmt::Debug + ?Sized>(
    path: &Path,
    what: &str,
    expected: &T,
    found: &T,
) -> Result<(), Error> {
    if expected == found {
        return Ok(());
    }
    Err(differs(path, what, &format!("{expected:?}"), &format!("{found:?}")))
}

/// The error for what a file has and the graph has otherwise.
pub(super) fn differs(path: &Path, what: &str, expected: &str, found: &str) -> Error {
    problem_in(path, ErrorKind::Format, format!("{}: {what} is {found}, expected {expected}", path.display()))
}

/// Rows of an array in a file.
pub(super) struct Column {
    pub(super) path: PathBuf,
    /// What is in it, for messages.
    what: String,
    file: SharedFile,
    /// Where in the file the rows start.
    start: u64,
    /// The number that messages have for the first row.
    first: usize,
    pub(super) rows: usize,
    row_bytes: usize,
    /// Rows that were read, and their bytes.
    read: Range<usize>,
    block: Vec<u8>,
    compared: usize,
    /// The elements that the file has others for.
    stored_from: Option<ArrayType>,
}

/// Bytes of a row that messages show.
const SHOWN: usize = 16;
/// Bytes of a file that are read at a time, about.
const BLOCK: usize = 1 << 16;

impl Column {
    /// All rows of an array in a file of DGL's.
    pub(super) fn of_tensor(file: TensorFile, info: &TensorInfo, row_bytes: usize) -> Result<Self, Error> {
        let rows = info.shape.first().copied().unwrap_or(0);
        let start = file.bytes_of(info)?.start;
        Ok(Self::at(file.path, format!("array {:?}", info.name), file.file, start, 0..rows, row_bytes))
    }

    /// Some rows of a npy file, which must have int64 of shape `[all]`.
    pub(super) fn of_npy(path: &Path, rows: Range<usize>, all: usize) -> Result<Self, Error> {
        let wrong = |problem| Error::from(ChunkedError::File { path: path.to_owned(), problem });
        let mut start = files::open(path).map_err(file_error(path))?;
        let header = Header::read(&mut start).map_err(wrong)?;
        header.expect(ArrayType::I64).map_err(wrong)?;
        let found = header.shape().map_err(wrong)?;
        let file = SharedFile::open(path)?;
        let length = file.bytes();
        if found != [all] || length != header.start() + 8 * all as u64 {
            let (expected, found) = (format!("[{all}]"), format!("{found:?} in {length} bytes"));
            return Err(differs(path, "the shape", &expected, &found));
        }
        let start = header.start() + 8 * rows.start as u64;
        Ok(Self::at(path.to_owned(), "the array".into(), file, start, rows, 8))
    }

    fn at(path: PathBuf, what: String, file: SharedFile, start: u64, rows: Range<usize>, row_bytes: usize) -> Self {
        let (read, block, compared, stored_from) = (0..0, Vec::new(), 0, None);
        let (first, rows) = (rows.start, rows.len());
        Self { path, what, file, start, first, rows, row_bytes, read, block, compared, stored_from }
    }

    /// Expects elements as DGL's files have them for these.
    pub(super) fn stored_from(mut self, element: ArrayType) -> Self {
        self.stored_from = Some(element);
        self
    }

    /// A row, if there is such a one.
    fn row(&mut self, row: usize) -> Result<Option<&[u8]>, Error> {
        if row >= self.rows {
            return Ok(None);
        }
        if !self.read.contains(&row) {
            // Many at a time only where rows follow each other.
            let most = if row == self.read.end { BLOCK / self.row_bytes.max(1) } else { 1 };
            self.read = row..row + most.clamp(1, self.rows - row);
            self.block.resize(self.read.len() * self.row_bytes, 0);
            self.file.read(self.start + (row * self.row_bytes) as u64, &mut self.block)?;
        }
        Ok(Some(&self.block[(row - self.read.start) * self.row_bytes..][..self.row_bytes]))
    }

    /// The id in a row of ids; -1 if there is no such row.
    pub(super) fn id(&mut self, row: usize) -> Result<i64, Error> {
        Ok(self.row(row)?.and_then(|row| row.first_chunk()).map_or(-1, |&id| i64::from_le_bytes(id)))
    }

    /// Compares a row, which is of a node or an edge; `of` says which.
    pub(super) fn compare(&mut self, row: usize, expected: &[u8], of: impl FnOnce() -> String) -> Result<(), Error> {
        let expected = match self.stored_from {
            Some(element) => &*stored(element, expected).map_err(file_error(&self.path))?,
            None => expected,
        };
        self.compared += 1;
        let found = self.row(row)?;
        if found == Some(expected) {
            return Ok(());
        }
        let text = |bytes: &[u8]| match <[u8; 8]>::try_from(bytes) {
            Ok(number) if bytes.len() == 8 => format!("{} (as int64)", i64::from_le_bytes(number)),
            _ => format!("{:02x?}{}", &bytes[..bytes.len().min(SHOWN)], if bytes.len() > SHOWN { ".." } else { "" }),
        };
        let first = found.and_then(|found| found.iter().zip(expected).position(|(found, expected)| found != expected));
        let place = first.unwrap_or(0) / SHOWN * SHOWN;
        let found = found.map_or_else(|| "missing".into(), |found| text(&found[place..]));
        let what = format!("row {} of {}, {}{}", self.first + row, self.what, of(), from(place));
        Err(differs(&self.path, &what, &text(&expected[place.min(expected.len())..]), &found))
    }

    /// Fails if rows were not compared.
    pub(super) fn end(&self) -> Result<(), Error> {
        if self.compared == self.rows {
            return Ok(());
        }
        Err(differs(&self.path, &self.what, &format!("{} rows", self.compared), &self.rows.to_string()))
    }
}

fn from(place: usize) -> String {
    if place > 0 { format!(", from byte {place}") } else { String::new() }
}
