//! [`CsvRecords`]: a csv file with a header, of which one record is in memory.

#[cfg(any(feature = "smiles", feature = "targets"))]
use super::FormatError;
use super::{ReadError, gzip};
use csv::{Reader, ReaderBuilder, StringRecord, Terminator, Trim};
use std::io::{Chain, Read};
use std::path::{Path, PathBuf};

/// A csv file with a header, of which one record is in memory. Cells are trimmed, empty lines passed over; records may
/// have more or fewer cells than the header.
pub struct CsvRecords {
    path: PathBuf,
    reader: Reader<Chain<Box<dyn Read + Send>, &'static [u8]>>,
    header: StringRecord,
    record: StringRecord,
}

impl CsvRecords {
    /// Opens a file, decompressing it if its name ends in `.gz`, and reads its header.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        // csv counts lines at `\n`; one is appended so that the last record's number is right.
        let mut builder = ReaderBuilder::new();
        builder.flexible(true).trim(Trim::All).terminator(Terminator::Any(b'\n'));
        let mut reader = builder.from_reader(gzip::open(path)?.chain(&b"\n"[..]));
        let header = reader.headers().map_err(|error| ReadError::csv(path, 1, error))?.clone();
        Ok(Self { path: path.to_owned(), reader, header, record: StringRecord::new() })
    }

    /// The names of the columns.
    pub fn header(&self) -> &StringRecord {
        &self.header
    }

    /// The next record and its line, from 1.
    pub fn advance(&mut self) -> Result<Option<(u64, &StringRecord)>, ReadError> {
        loop {
            let line = self.reader.position().line();
            let more = self.reader.read_record(&mut self.record);
            if !more.map_err(|error| ReadError::csv(&self.path, line, error))? {
                return Ok(None);
            }
            // A line of nothing but `\r` or blanks is empty, too.
            let is_empty = self.record.iter().all(str::is_empty) && self.record.len() <= 1;
            if !is_empty {
                return Ok(Some((self.reader.position().line() - 1, &self.record)));
            }
        }
    }

    /// The next record and its line; an error if it has more or fewer cells than the header.
    #[cfg(any(feature = "smiles", feature = "targets"))]
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
