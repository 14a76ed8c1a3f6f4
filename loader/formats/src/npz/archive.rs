//! [`Archive`]: the arrays of a npz file.

use super::rows::Rows;
use crate::common::ZipFiles;
use crate::{FormatError, npy};
use std::io::{BufReader, Read};
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
        let element = header.element().map_err(wrong)?;
        let shape = header.shape().map_err(wrong)?.to_vec();
        header.data_bytes(element).map_err(wrong)?;
        Ok(Opened::Numbers(Rows::new(self.path.clone(), name.to_owned(), element, shape, from)))
    }
}
