//! [`Column`]: an array in a file, compared row by row.

use super::VerifyError;
use crate::dgl::{TensorInfo, stored};
use crate::{ArrayType, ChunkedError, input_file};
use graphpack_formats::npy::Header;
use graphpack_loader::IoError;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Rows of an array in a file, which are read from the first to the last.
pub(super) struct Column {
    path: PathBuf,
    /// What is in it, for messages.
    what: String,
    file: BufReader<File>,
    row: usize,
    rows: usize,
    buffer: Vec<u8>,
    /// The elements that the file has others for.
    stored_from: Option<ArrayType>,
}

/// Bytes of a row that messages show.
const SHOWN: usize = 16;

impl Column {
    /// All rows of an array in a file of DGL's.
    pub(super) fn of_tensor(path: &Path, info: &TensorInfo, row_bytes: usize) -> Result<Self, VerifyError> {
        let rows = info.shape.first().copied().unwrap_or(0);
        Self::at(path, format!("array {:?}", info.name), info.start, 0..rows, row_bytes)
    }

    /// Some rows of a npy file, which must have int64 of shape `[all]`.
    pub(super) fn of_npy(path: &Path, rows: std::ops::Range<usize>, all: usize) -> Result<Self, VerifyError> {
        let io = |source| VerifyError::Io(IoError { path: path.to_owned(), source });
        let wrong = |problem| ChunkedError::File { path: path.to_owned(), problem };
        let mut file = input_file::open(path).map_err(io)?;
        let header = Header::read(&mut file).map_err(wrong)?;
        header.expect(ArrayType::I64).map_err(wrong)?;
        let found = header.shape().map_err(wrong)?;
        let length = file.metadata().map_err(io)?.len();
        if found != [all] || length != header.start() + 8 * all as u64 {
            let (expected, found) = (format!("[{all}]"), format!("{found:?} in {length} bytes"));
            return Err(VerifyError::Differs { path: path.to_owned(), what: "the shape".into(), expected, found });
        }
        Self::at(path, "the array".into(), header.start() + 8 * rows.start as u64, rows, 8)
    }

    fn at(
        path: &Path,
        what: String,
        start: u64,
        rows: std::ops::Range<usize>,
        row_bytes: usize,
    ) -> Result<Self, VerifyError> {
        let open = || {
            let mut file = BufReader::with_capacity(1 << 16, input_file::open(path)?);
            file.seek(SeekFrom::Start(start))?;
            Ok(file)
        };
        let file = open().map_err(IoError::at(path))?;
        let buffer = vec![0; row_bytes];
        Ok(Self { path: path.to_owned(), what, file, row: rows.start, rows: rows.end, buffer, stored_from: None })
    }

    /// Expects elements as DGL's files have them for these.
    pub(super) fn stored_from(mut self, element: ArrayType) -> Self {
        self.stored_from = Some(element);
        self
    }

    /// Reads the next row, if there is one.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, VerifyError> {
        if self.row == self.rows {
            return Ok(None);
        }
        self.file.read_exact(&mut self.buffer).map_err(|source| self.io(source))?;
        self.row += 1;
        Ok(Some(&self.buffer))
    }

    /// Compares the next row, which is of a node or an edge; `of` says which.
    pub(super) fn compare(&mut self, expected: &[u8], of: impl FnOnce() -> String) -> Result<(), VerifyError> {
        let row = self.row;
        let expected = match self.stored_from {
            Some(element) => &*stored(element, expected).map_err(|source| self.io(source))?,
            None => expected,
        };
        if self.next()? == Some(expected) {
            return Ok(());
        }
        let text = |bytes: &[u8]| match <[u8; 8]>::try_from(bytes) {
            Ok(number) if bytes.len() == 8 => format!("{} (int64)", i64::from_le_bytes(number)),
            _ => format!("{:02x?}{}", &bytes[..bytes.len().min(SHOWN)], if bytes.len() > SHOWN { ".." } else { "" }),
        };
        let place = self.buffer.iter().zip(expected).position(|(found, expected)| found != expected).unwrap_or(0);
        let place = place / SHOWN * SHOWN;
        let found = if row == self.rows { "missing".into() } else { text(&self.buffer[place..]) };
        Err(VerifyError::Differs {
            path: self.path.clone(),
            what: format!("row {row} of {}, {}{}", self.what, of(), from(place)),
            expected: text(&expected[place.min(expected.len())..]),
            found,
        })
    }

    /// Fails if rows are left.
    pub(super) fn end(&self) -> Result<(), VerifyError> {
        if self.row == self.rows {
            return Ok(());
        }
        let (expected, found) = (format!("{} rows", self.row), format!("{}", self.rows));
        Err(VerifyError::Differs { path: self.path.clone(), what: self.what.clone(), expected, found })
    }

    /// The error for something in it.
    pub(super) fn differs(&self, what: String, expected: String, found: String) -> VerifyError {
        VerifyError::Differs { path: self.path.clone(), what, expected, found }
    }

    fn io(&self, source: io::Error) -> VerifyError {
        VerifyError::Io(IoError { path: self.path.clone(), source })
    }
}

fn from(place: usize) -> String {
    if place > 0 { format!(", from byte {place}") } else { String::new() }
}
