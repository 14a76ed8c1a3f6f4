//! [`Archive`]: the arrays of a npz file.

use super::rows::Rows;
use crate::common::ZipFiles;
use crate::{FormatError, npy};
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
    pub(super) fn open(path: &Path) -> Result<Self, FormatError> {
        Ok(Self { path: path.to_owned(), files: ZipFiles::open(path)? })
    }

    /// The names of all arrays, in the order of the file.
    pub(super) fn names(&self) -> Result<Vec<String>, FormatError> {
        let name = |file: &str| match file.strip_suffix(".npy") {
            Some(name) => Ok(name.to_owned()),
            None => Err(FormatError::wrong(&self.path, "", "arrays NAME.npy in the archive", file)),
        };
        self.files.names().map(name).collect()
    }

    /// Opens an array of [`names`](Self::names).
    pub(super) fn array(&mut self, name: &str) -> Result<Opened, FormatError> {
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
        let (element, is_big) = match header.element_of_any_order() {
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
        Ok(Opened::Numbers(Rows::new(self.path.clone(), name.to_owned(), (element, is_big), shape, from)))
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
