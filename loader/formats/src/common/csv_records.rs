//! [`CsvRecords`]: a csv file with a header, of which one record is in memory.

#[cfg(any(feature = "smiles", feature = "targets"))]
use super::FormatError;
use super::{Bounded, ReadError, compressed};
use csv::{Reader, ReaderBuilder, StringRecord, Terminator, Trim};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

/// What is wrong with a file whose last cell begins with a quote.
const OPEN: &str = "expected quotes that are closed, found the end of the file";

/// A csv file with a header, of which one record is in memory. Cells are separated by what separates the names of the
/// columns: tabs, or else semicolons or commas, whichever are more. Cells are trimmed, empty lines passed over; records
/// may have more or fewer cells than the header.
pub struct CsvRecords {
    path: PathBuf,
    delimiter: u8,
    reader: Reader<Bounded>,
    header: StringRecord,
    record: StringRecord,
    /// The line at which the record begins, if one of its cells has several lines.
    of_lines: Option<u64>,
}

impl CsvRecords {
    /// Bytes of a file in which its first lines are looked for.
    pub(crate) const LOOKED_AT: u64 = 1 << 16;

    /// Opens a file, decompressing it if it is compressed, and reads its header.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        Self::with(path, compressed::open(path)?, None)
    }

    /// The records of an open file; `path` is only for messages.
    #[cfg(feature = "smiles")]
    pub(crate) fn of(path: &Path, from: Box<dyn Read + Send>) -> Result<Self, ReadError> {
        Self::with(path, from, None)
    }

    /// The same with names of columns in place of a header: each line, but for blanks around it, is the first cell.
    #[cfg(feature = "smiles")]
    pub(crate) fn of_lines(path: &Path, name: &str) -> Result<Self, ReadError> {
        Self::with(path, compressed::open(path)?, Some(name))
    }

    fn with(path: &Path, mut from: Box<dyn Read + Send>, name: Option<&str>) -> Result<Self, ReadError> {
        let mut start = Vec::new();
        let read = (&mut from).take(Self::LOOKED_AT).read_to_end(&mut start);
        read.map_err(|source| ReadError::at(path, 1, source))?;
        // csv counts lines at `\n`; one is appended so that the last record's number is right.
        let mut builder = ReaderBuilder::new();
        // No text has the byte that separates cells of a line that is one.
        let delimiter = if name.is_none() { delimiter(&start) } else { 0xff };
        builder.flexible(true).trim(Trim::All).terminator(Terminator::Any(b'\n')).delimiter(delimiter);
        builder.has_headers(name.is_none()).quoting(name.is_none());
        let mut reader = builder.from_reader(Bounded::new(Cursor::new(start).chain(from).chain(&b"\n"[..])));
        let header = match name {
            Some(name) => StringRecord::from(vec![name]),
            None => reader.headers().map_err(|error| ReadError::csv(path, 1, error))?.clone(),
        };
        Ok(Self { path: path.to_owned(), delimiter, reader, header, record: StringRecord::new(), of_lines: None })
    }

    /// The names of the columns.
    pub fn header(&self) -> &StringRecord {
        &self.header
    }

    /// What separates cells.
    #[cfg_attr(not(feature = "histogram_csv"), allow(dead_code, reason = "only histograms say what they found"))]
    pub(crate) fn delimiter(&self) -> &'static str {
        match self.delimiter {
            b'\t' => "\t",
            b';' => ";",
            _ => ",",
        }
    }

    /// The next record and its line, from 1.
    pub fn advance(&mut self) -> Result<Option<(u64, &StringRecord)>, ReadError> {
        loop {
            self.reader.get_mut().begin_record();
            let line = self.reader.position().line();
            let more = self.reader.read_record(&mut self.record);
            if !more.map_err(|error| ReadError::csv(&self.path, line, error))? {
                // The last cell has all lines that followed.
                return match self.of_lines.filter(|_| self.reader.get_ref().is_quoted()) {
                    Some(line) => {
                        Err(ReadError::at(&self.path, line, io::Error::new(io::ErrorKind::InvalidData, OPEN)))
                    }
                    None => Ok(None),
                };
            }
            let has_lines = self.reader.position().line() > line + 1;
            let has_lines = has_lines && self.record.iter().any(|cell| cell.contains('\n'));
            self.of_lines = has_lines.then_some(line);
            // A line of nothing but `\r` or blanks is empty, too.
            let is_empty = self.record.iter().all(str::is_empty) && self.record.len() <= 1;
            if !is_empty {
                return Ok(Some((self.reader.position().line() - 1, &self.record)));
            }
        }
    }

    /// The number of the column with a name; `None` if there is none. Errors if there are several.
    #[cfg(any(feature = "smiles", feature = "targets"))]
    pub(crate) fn position(&self, is: impl Fn(&str) -> bool) -> Result<Option<usize>, FormatError> {
        let mut found = self.header.iter().enumerate().filter(|(_, name)| is(name));
        match (found.next(), found.next()) {
            (Some((first, name)), Some((second, _))) => {
                let found = format!("two, columns {} and {}", first + 1, second + 1);
                Err(FormatError::wrong(&self.path, "line 1", format!("one column {name}"), found))
            }
            (first, _) => Ok(first.map(|(position, _)| position)),
        }
    }

    /// The error that a column is not in the header.
    #[cfg(any(feature = "smiles", feature = "targets"))]
    pub(crate) fn missing(&self, column: &str) -> FormatError {
        let header = self.header.iter().collect::<Vec<_>>().join(", ");
        FormatError::wrong(&self.path, "line 1", format!("a column {column}"), header)
    }

    /// The next record and its line; an error if it has more or fewer cells than the header.
    #[cfg(feature = "targets")]
    pub(crate) fn next_whole(&mut self) -> Result<Option<(u64, &StringRecord)>, FormatError> {
        let Some((line, _)) = self.advance()? else { return Ok(None) };
        let (columns, found) = (self.header.len(), self.record.len());
        if found != columns {
            let expected = format!("{columns} cells as in the header");
            return Err(FormatError::wrong(&self.path, format!("line {line}"), expected, found.to_string()));
        }
        Ok(Some((line, &self.record)))
    }
}

/// What separates the names of the columns in the first line that is not empty.
pub(super) fn delimiter(start: &[u8]) -> u8 {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let header = start.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    // Between an even number of quotes, text is outside of them.
    let outside = || header.split(|byte| *byte == b'"').step_by(2).flatten();
    let number = |delimiter: u8| outside().filter(|byte| **byte == delimiter).count();
    match (number(b'\t'), number(b';'), number(b',')) {
        (1.., _, _) => b'\t',
        (_, semicolons, commas) if semicolons > commas => b';',
        _ => b',',
    }
}
