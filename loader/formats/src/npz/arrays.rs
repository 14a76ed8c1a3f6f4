//! [`Archive`]: the arrays of a npz file; [`Rows`]: one of them, read row by row.

use crate::common::{OfRecord, Values, ZipFiles};
use crate::{ArrayType, FormatError, npy};
use graphpack_loader::Error;
use std::io::{BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

/// The longest text that is read.
const LONGEST: usize = 1000;

/// The arrays of a npz file.
pub(super) struct Archive {
    pub(super) path: PathBuf,
    files: ZipFiles,
}

/// An array, opened.
pub(super) enum Opened {
    Numbers(Rows),
    /// A text, if it is a single one.
    Text(Option<String>),
    /// What it is instead.
    Other(String),
}

impl Archive {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self { path: path.to_owned(), files: ZipFiles::open(path)? })
    }

    /// The names of all arrays, in the order of the file.
    pub(super) fn names(&self) -> Result<Vec<String>, Error> {
        let name = |file: &str| match file.strip_suffix(".npy") {
            Some(name) => Ok(name.to_owned()),
            None => Err(FormatError::wrong(&self.path, "", "arrays NAME.npy in the archive", file)),
        };
        self.files.names().map(name).collect()
    }

    /// Opens an array of [`names`](Self::names).
    pub(super) fn array(&mut self, name: &str) -> Result<Opened, Error> {
        let wrong = |problem: String| FormatError::wrong(&self.path, format!("array {name}"), "numbers", problem);
        let Some(file) = self.files.file(&format!("{name}.npy"))? else { return Err(wrong("nothing".into())) };
        let mut from = BufReader::new(file);
        let header = npy::Header::read(&mut from).map_err(wrong)?;
        if let Some(bytes) = header.text_bytes() {
            let is_one = header.shape().is_ok_and(|shape| shape.iter().all(|&n| n == 1));
            if !is_one || bytes > LONGEST {
                return Ok(Opened::Text(None));
            }
            let mut text = vec![0; bytes];
            from.read_exact(&mut text).map_err(|error| wrong(error.to_string()))?;
            return Ok(Opened::Text(Some(header.text(&text))));
        }
        let (element, is_big_endian) = match header.element_of_any_order() {
            Ok(found) => found,
            Err(found) => return Ok(Opened::Other(found)),
        };
        let shape = header.any_shape().map_err(wrong)?.to_vec();
        let bytes = header.data_bytes(element).map_err(wrong)?;
        let from = if header.by_row().map_err(wrong)? || shape.len() < 2 {
            from
        } else {
            // Rows are all over such an array, so it is in memory as a whole.
            let mut columns = Vec::new();
            from.take(bytes as u64 + 1).read_to_end(&mut columns).map_err(|error| wrong(error.to_string()))?;
            if columns.len() != bytes {
                return Err(wrong(format!("{} bytes for shape {shape:?}", columns.len())));
            }
            BufReader::new(Box::new(Cursor::new(by_row(&columns, &shape, element.bytes()))) as Box<dyn Read + Send>)
        };
        let (path, name) = (self.path.clone(), name.to_owned());
        Ok(Opened::Numbers(Rows { path, name, element, is_big_endian, shape, from, bytes: Vec::new() }))
    }
}

/// The elements row by row of an array that has them in Fortran's order: the first index runs fastest.
fn by_row(columns: &[u8], shape: &[usize], element: usize) -> Vec<u8> {
    let mut rows = Vec::with_capacity(columns.len());
    let mut index = vec![0; shape.len()];
    while rows.len() < columns.len() {
        let at = index.iter().zip(shape).rev().fold(0, |at, (index, size)| at * size + index) * element;
        rows.extend_from_slice(&columns[at..at + element]);
        for (index, size) in index.iter_mut().zip(shape).rev() {
            *index += 1;
            if *index < *size {
                break;
            }
            *index = 0;
        }
    }
    rows
}

/// An array that is read row by row. The bytes of its shape are within `usize`.
pub(super) struct Rows {
    path: PathBuf,
    pub(super) name: String,
    pub(super) element: ArrayType,
    is_big_endian: bool,
    pub(super) shape: Vec<usize>,
    from: BufReader<Box<dyn Read + Send>>,
    bytes: Vec<u8>,
}

impl Rows {
    /// Reads the next rows.
    pub(super) fn take(&mut self, rows: usize) -> OfRecord<Values> {
        let row = self.shape.iter().skip(1).fold(self.element.bytes(), |bytes, &n| bytes.saturating_mul(n));
        let expected = rows.saturating_mul(row);
        self.bytes.clear();
        // Grows with what is there, not with what the header says.
        let read = self.from.by_ref().take(expected as u64).read_to_end(&mut self.bytes);
        read.map_err(|error| self.wrong("all its numbers", error.to_string()))?;
        if self.bytes.len() != expected {
            return Err(self.wrong(format!("{expected} bytes more"), self.bytes.len().to_string()));
        }
        if self.is_big_endian {
            self.bytes.chunks_exact_mut(self.element.bytes()).for_each(<[u8]>::reverse);
        }
        let values = Values::from_bytes(self.element, &self.bytes);
        Ok(values.ok_or_else(|| self.wrong("integers within int64", "one beyond")))
    }

    /// Reads the next rows, which must be integers.
    pub(super) fn integers(&mut self, rows: usize) -> OfRecord<Vec<i64>> {
        Ok(match self.take(rows)? {
            Ok(Values::I64(numbers)) => Ok(numbers),
            Ok(_) => Err(self.wrong("integers", self.element.to_string())),
            Err(error) => Err(error),
        })
    }

    /// Checks that nothing follows, where the checksum is compared, too.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        let more = self.from.read(&mut [0]);
        match more {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.wrong("as many numbers as its shape says", "more")),
            Err(error) => Err(self.wrong("all its numbers", error.to_string())),
        }
    }

    /// The error that it is not what it must be.
    pub(super) fn not(&self, expected: impl Into<String>) -> Error {
        self.wrong(expected, format!("{} of shape {:?}", self.element, self.shape))
    }

    pub(super) fn wrong(&self, expected: impl Into<String>, found: impl Into<String>) -> Error {
        FormatError::wrong(&self.path, format!("array {}", self.name), expected, found)
    }
}
