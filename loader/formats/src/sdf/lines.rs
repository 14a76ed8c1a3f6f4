//! [`Lines`]: the lines of a file, of which one is in memory.

use crate::{FormatError, ReadError, compressed};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The lines of a file, plain or compressed, without what ends them. Text that is not UTF-8 is kept as far as it is.
pub(super) struct Lines {
    path: PathBuf,
    reader: BufReader<Box<dyn Read + Send>>,
    line: u64,
    bytes: Vec<u8>,
    text: String,
}

impl Lines {
    /// Bytes that a line may have.
    const LONGEST: u64 = 1 << 20;

    pub(super) fn open(path: &Path) -> Result<Self, FormatError> {
        let reader = BufReader::new(compressed::open(path)?);
        Ok(Self { path: path.to_owned(), reader, line: 0, bytes: Vec::new(), text: String::new() })
    }

    /// The next line; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<&str>, FormatError> {
        self.bytes.clear();
        let read = self.reader.by_ref().take(Self::LONGEST).read_until(b'\n', &mut self.bytes);
        if read.map_err(|error| ReadError::at(&self.path, self.line + 1, error))? == 0 {
            return Ok(None);
        }
        self.line += 1;
        if self.bytes.last() != Some(&b'\n') && self.bytes.len() as u64 == Self::LONGEST {
            let expected = format!("lines of less than {} bytes", Self::LONGEST);
            return Err(FormatError::wrong(&self.path, self.place(), expected, "a longer one"));
        }
        self.text.clear();
        self.text.push_str(String::from_utf8_lossy(&self.bytes).trim_end_matches(['\n', '\r']));
        Ok(Some(&self.text))
    }

    /// The next line; an error if the file ends before it.
    pub(super) fn expect(&mut self, expected: &str) -> Result<&str, FormatError> {
        if self.next()?.is_none() {
            return Err(FormatError::wrong(&self.path, self.place(), expected, "the end of the file"));
        }
        Ok(&self.text)
    }

    /// The last line that was read.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where that is.
    pub(super) fn place(&self) -> String {
        format!("line {}", self.line)
    }
}
