//! [`Rows`]: an array that is read row by row.

use crate::common::OfRecord;
use crate::{ArrayType, FormatError, Values};
use std::io::{BufReader, Read};
use std::path::PathBuf;

/// An array that is read row by row.
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
    /// An array after its header; of its elements, the type and whether they are big-endian. The bytes of the shape
    /// must be within `usize`.
    pub(super) fn new(
        path: PathBuf,
        name: String,
        (element, is_big_endian): (ArrayType, bool),
        shape: Vec<usize>,
        from: BufReader<Box<dyn Read + Send>>,
    ) -> Self {
        Self { path, name, element, is_big_endian, shape, from, bytes: Vec::new() }
    }

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

    /// The same, as integers.
    pub(super) fn integers(&mut self, rows: usize) -> OfRecord<Vec<i64>> {
        Ok(match self.take(rows)? {
            Ok(Values::I64(numbers)) => Ok(numbers),
            Ok(_) => Err(self.wrong("integers", self.element.to_string())),
            Err(error) => Err(error),
        })
    }

    /// Checks that nothing follows, where the checksum is compared, too.
    pub(super) fn end(&mut self) -> Result<(), FormatError> {
        let more = self.from.read(&mut [0]);
        match more {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.wrong("as many numbers as its shape says", "more")),
            Err(error) => Err(self.wrong("all its numbers", error.to_string())),
        }
    }

    /// The error that it is not what it must be.
    pub(super) fn not(&self, expected: impl Into<String>) -> FormatError {
        self.wrong(expected, format!("{} of shape {:?}", self.element, self.shape))
    }

    pub(super) fn wrong(&self, expected: impl Into<String>, found: impl Into<String>) -> FormatError {
        FormatError::wrong(&self.path, format!("array {}", self.name), expected, found)
    }
}
