//! [`Lines`]: a text file, of which one line is in memory.

use crate::atoms::{Place, quoted};
use crate::{FormatError, ReadError, compressed};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The longest line that is read.
const LONGEST: u64 = 1 << 26;

/// A text file, of which one line is in memory.
pub(super) struct Lines {
    pub(super) path: PathBuf,
    reader: BufReader<Box<dyn Read + Send>>,
    bytes_read: Arc<AtomicU64>,
    /// The number of the line, from 1.
    pub(super) number: u64,
    text: Vec<u8>,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Self, FormatError> {
        let (reader, bytes_read) = compressed::open_counted(path)?;
        let reader = BufReader::with_capacity(1 << 17, reader);
        Ok(Self { path: path.to_owned(), reader, bytes_read, number: 0, text: Vec::new() })
    }

    /// Goes to the next line; returns false if there is none.
    pub(super) fn advance(&mut self) -> Result<bool, FormatError> {
        self.text.clear();
        self.number += 1;
        let read = (&mut self.reader).take(LONGEST).read_until(b'\n', &mut self.text);
        let read = read.map_err(|source| ReadError::at(&self.path, self.number, source))?;
        if read as u64 == LONGEST {
            return Err(self.place().wrong("", "a line of at most 64 MiB", "a longer one"));
        }
        if self.number == 1 && self.text.starts_with(b"\xef\xbb\xbf") {
            self.text.drain(..3);
        }
        Ok(read > 0)
    }

    /// Goes on to a line that is nothing but a number of atoms, from line `first` on. Returns whether there is one.
    pub(super) fn find_count(&mut self, first: u64) -> Result<bool, FormatError> {
        let is_count = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        while self.number < first || !is_count(self.text()) {
            if !self.advance()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The line, without blanks at its ends.
    pub(super) fn text(&self) -> &[u8] {
        self.text.trim_ascii()
    }

    pub(super) fn place(&self) -> Place<'_> {
        Place { path: &self.path, unit: "line", number: Some(self.number) }
    }

    /// The line is not what it must be.
    pub(super) fn wrong(&self, expected: impl Into<String>) -> FormatError {
        self.place().wrong("", expected, quoted(self.text()))
    }

    /// Bytes of the file read so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }
}
