//! Csv files of which one row is in memory: [`CsvRows`] of numbers, without a header, [`CsvRecords`] with one;
//! [`CellKind`]: whether all cells of a column are integers.

use super::{FormatError, ReadError, compressed};
use csv::{ByteRecord, Reader, ReaderBuilder, StringRecord, Terminator, Trim};
use graphpack_loader::Error;
use std::io::{self, Cursor, Read};
use std::mem;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A csv file of numbers without a header, of which one row is in memory. A row is a line: empty lines are refused,
/// except at the end.
pub struct CsvRows {
    path: PathBuf,
    reader: Reader<Bounded>,
    record: ByteRecord,
    rows: u64,
}

impl CsvRows {
    /// The rows of an open file; `path` is only for messages.
    pub fn new(path: &Path, from: Box<dyn Read + Send>, delimiter: u8) -> Self {
        // csv counts lines at `\n`; one is appended so that the last row's number is right. A `\r` before it stays in
        // its cell, where it is trimmed.
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter).terminator(Terminator::Any(b'\n'));
        let reader = builder.from_reader(Bounded::new(from.chain(&b"\n"[..])));
        Self { path: path.to_owned(), reader, record: ByteRecord::new(), rows: 0 }
    }

    /// Opens a file, decompressing it if it is compressed.
    pub fn open(path: &Path, delimiter: u8) -> Result<Self, Error> {
        Ok(Self::new(path, compressed::open(path)?, delimiter))
    }

    /// Reads `path`, or `path` without its `.gz` if only that is there, whose rows must have `width` integers each.
    /// Returns the path that was read and the integers.
    pub fn read_integers(path: &Path, width: usize) -> Result<(PathBuf, Vec<i64>), Error> {
        let path = compressed::existing(path);
        let (mut rows, mut cells) = (Self::open(&path, b',')?, Vec::new());
        while rows.advance()? {
            rows.expect_width(width)?;
            for column in 0..width {
                cells.push(rows.integer(column)?);
            }
        }
        Ok((path, cells))
    }

    /// Goes to the next row; returns false if there is none.
    pub fn advance(&mut self) -> Result<bool, Error> {
        let line = self.rows + 1;
        loop {
            self.reader.get_mut().begin_record();
            let more = self.reader.read_byte_record(&mut self.record);
            if !more.map_err(|error| ReadError::csv(&self.path, line, error))? {
                return Ok(false);
            }
            if self.width() > 1 || self.record.as_slice() != b"\r" {
                break;
            }
        }
        self.rows = line;
        // Empty lines were passed over; rows would no longer be lines.
        if self.reader.position().line() > line + 1 {
            return Err(self.wrong(line, " is empty"));
        }
        Ok(true)
    }

    /// The line of this row, from 1.
    pub fn line(&self) -> u64 {
        self.rows
    }

    /// Cells of this row.
    pub fn width(&self) -> usize {
        self.record.len()
    }

    /// Checks that this row has `expected` cells.
    pub fn expect_width(&self, expected: usize) -> Result<(), Error> {
        let found = self.width();
        if found == expected {
            return Ok(());
        }
        Err(self.wrong(self.rows, format!(": {found} cells, expected {expected}")))
    }

    /// Checks that this row has `expected` cells, like those before it.
    pub fn expect_same_width(&self, expected: usize) -> Result<(), Error> {
        let found = self.width();
        if found == expected {
            return Ok(());
        }
        Err(self.wrong(self.rows, format!(": {found} cells, the lines before have {expected}")))
    }

    /// The text in a column, without blanks around it.
    pub fn cell(&self, column: usize) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.record.get(column).unwrap_or_default().trim_ascii())
    }

    /// The integer in a column.
    pub fn integer(&self, column: usize) -> Result<i64, Error> {
        let number = self.text(column).and_then(|text| text.parse().ok());
        number.ok_or_else(|| self.not(column, "an integer"))
    }

    /// The number in a column; NaN if it is empty. One that is too large for float32 is an error, but for `inf`, and so
    /// is an integer that float32 would round: it may be an id.
    pub fn float(&self, column: usize) -> Result<f32, Error> {
        let Some(text) = self.text(column) else { return Err(self.not(column, "a number")) };
        let number = if text.is_empty() { Ok(f32::NAN) } else { text.parse() };
        let number: f32 = number.map_err(|_| self.not(column, "a number"))?;
        let is_beyond = number.is_infinite() && text.bytes().any(|byte| byte.is_ascii_digit());
        if is_beyond {
            return Err(self.not(column, "within float32"));
        }
        if text.parse::<i128>().is_ok_and(|integer| number as i128 != integer) {
            return Err(self.not(
                column,
                "an integer that float32 holds exactly: cells that are no integers make the feature float32",
            ));
        }
        Ok(number)
    }

    /// The number in a column, with all digits of float64; NaN if it is empty. One that is infinite is an error, since
    /// nothing can be trained with it.
    pub fn double(&self, column: usize) -> Result<f64, Error> {
        let text = self.text(column);
        let number = text.and_then(|text| if text.is_empty() { Some(f64::NAN) } else { text.parse().ok() });
        match number {
            Some(number) if f64::is_infinite(number) => Err(self.not(column, "a finite number")),
            number => number.ok_or_else(|| self.not(column, "a number")),
        }
    }

    /// The number in a column where one is needed: an empty cell, NaN or an infinite number is an error.
    pub(crate) fn finite(&self, column: usize) -> Result<f64, Error> {
        let number = self.double(column)?;
        if number.is_nan() { Err(self.not(column, "a finite number")) } else { Ok(number) }
    }

    /// Whether a cell is empty or a number, of any size.
    pub fn is_number(&self, column: usize) -> bool {
        self.text(column).is_some_and(|text| text.is_empty() || text.parse::<f64>().is_ok())
    }

    /// Whether a cell is an integer, of any size.
    pub(super) fn is_integer(&self, column: usize) -> bool {
        let text = self.text(column).unwrap_or_default();
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// The error that a cell is not what it must be.
    pub(super) fn not(&self, column: usize, expected: &'static str) -> Error {
        let cell = self.record.get(column).unwrap_or_default();
        let cell = String::from_utf8_lossy(cell.strip_suffix(b"\r").unwrap_or(cell)).into_owned();
        self.wrong(self.rows, format!(", column {}: {cell:?} is not {expected}", column + 1))
    }

    fn wrong(&self, line: u64, problem: impl Into<String>) -> Error {
        FormatError::Csv { path: self.path.clone(), line, problem: problem.into() }.into()
    }

    fn text(&self, column: usize) -> Option<&str> {
        str::from_utf8(self.record.get(column)?.trim_ascii()).ok()
    }
}

/// Whether the cells seen so far are all integers, which makes a column int64, or not, which makes it float32.
#[derive(Default)]
pub struct CellKind {
    floats: bool,
    /// The first integer beyond int64, if there is one.
    beyond: Option<Error>,
}

impl CellKind {
    /// Sees a cell, which must be a number. Returns it as long as all cells were integers of 64 bits.
    pub fn see(&mut self, rows: &CsvRows, column: usize) -> Result<Option<i64>, Error> {
        if let (false, Ok(integer)) = (self.floats, rows.integer(column)) {
            return Ok(Some(integer));
        }
        if !rows.is_number(column) {
            return Err(rows.not(column, "a number"));
        }
        if !rows.is_integer(column) {
            self.floats = true;
        } else if self.beyond.is_none() {
            self.beyond = Some(rows.not(column, "within int64"));
        }
        Ok(None)
    }

    /// Whether all cells were integers. One beyond int64 is an error then: float32 would keep only a few of its digits.
    pub fn are_integers(self) -> Result<bool, Error> {
        match self.beyond {
            Some(error) if !self.floats => Err(error),
            _ => Ok(!self.floats),
        }
    }
}

/// What is wrong with a file whose last cell begins with a quote that is not closed.
const OPEN: &str = "expected quotes that are closed, found the end of the file";

/// A csv file with a header, of which one record is in memory. Cells are separated by what separates the names of the
/// columns: tabs, or else semicolons or commas, whichever are more. Cells are trimmed, empty lines passed over; records
/// may have more or fewer cells than the header.
pub(crate) struct CsvRecords {
    path: PathBuf,
    delimiter: u8,
    reader: Reader<Bounded>,
    header: StringRecord,
    record: StringRecord,
    /// The line at which the record begins, if one of its cells has several lines.
    of_lines: Option<u64>,
    /// Whether empty lines are records, those before the record that was read, and what each is.
    keeps_empty: bool,
    empty_lines: Range<u64>,
    empty: StringRecord,
    /// Whether the record that was read is still to be returned.
    is_ahead: bool,
}

impl CsvRecords {
    /// Bytes of a file in which its first lines are looked for.
    pub(crate) const LOOKED_AT: u64 = 1 << 16;

    /// Opens a file, decompressing it if it is compressed, and reads its header.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        Self::with(path, compressed::open(path)?, None)
    }

    /// The records of an open file; `path` is only for messages.
    pub(crate) fn of(path: &Path, from: Box<dyn Read + Send>) -> Result<Self, Error> {
        Self::with(path, from, None)
    }

    /// The records of a file without a header, which has one column called `name`: each line, without the blanks around
    /// it, is a cell.
    pub(crate) fn of_lines(path: &Path, name: &str) -> Result<Self, Error> {
        Self::with(path, compressed::open(path)?, Some(name))
    }

    fn with(path: &Path, mut from: Box<dyn Read + Send>, name: Option<&str>) -> Result<Self, Error> {
        let mut start = Vec::new();
        let read = (&mut from).take(Self::LOOKED_AT).read_to_end(&mut start);
        read.map_err(|source| ReadError::at(path, 1, source))?;
        // csv counts lines at `\n`; one is appended so that the last record's number is right.
        let mut builder = ReaderBuilder::new();
        // No text has the byte that separates cells of a line that is one.
        let delimiter = if name.is_none() { delimiter(&start) } else { 0xff };
        builder.flexible(true).trim(Trim::Headers).terminator(Terminator::Any(b'\n')).delimiter(delimiter);
        builder.has_headers(name.is_none()).quoting(name.is_none());
        let mut reader = builder.from_reader(Bounded::new(Cursor::new(start).chain(from).chain(&b"\n"[..])));
        let header = match name {
            Some(name) => StringRecord::from(vec![name]),
            None => reader.headers().map_err(|error| ReadError::csv(path, 1, error))?.clone(),
        };
        let of_lines = header.iter().any(|name| name.contains('\n')).then_some(1);
        let (path, record) = (path.to_owned(), StringRecord::new());
        let (empty_lines, empty) = (0..0, StringRecord::from(vec![""]));
        let (keeps_empty, is_ahead) = (false, false);
        Ok(Self { path, delimiter, reader, header, record, of_lines, keeps_empty, empty_lines, empty, is_ahead })
    }

    /// Makes each empty line a record with an empty cell, if the file has one column: its cells may be empty. Empty
    /// lines at the end of the file are records as long as somebody asks for them.
    pub(crate) fn with_empty_lines(mut self) -> Self {
        self.keeps_empty = self.header.len() == 1;
        self
    }

    /// Whether all records were read, but for empty lines at the end of the file.
    pub(crate) fn is_at_end(&mut self) -> Result<bool, Error> {
        let keeps_empty = self.keeps_empty;
        while let Some((_, record)) = self.advance()? {
            if !keeps_empty || record.iter().any(|cell| !cell.is_empty()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The names of the columns.
    pub(crate) fn header(&self) -> &StringRecord {
        &self.header
    }

    /// What separates cells.
    pub(crate) fn delimiter(&self) -> &'static str {
        match self.delimiter {
            b'\t' => "\t",
            b';' => ";",
            _ => ",",
        }
    }

    /// The next record and its line, from 1.
    pub(crate) fn advance(&mut self) -> Result<Option<(u64, &StringRecord)>, Error> {
        if self.empty_lines.is_empty() && !self.is_ahead {
            let from = self.reader.position().line();
            let lines = self.read()?;
            self.is_ahead = lines.is_some();
            if self.keeps_empty {
                // At the end of the file, the line that was appended is none of it.
                let end = self.reader.position().line().saturating_sub(lines.unwrap_or(1));
                self.empty_lines = from..end.max(from);
            }
        }
        if let Some(line) = self.empty_lines.next() {
            return Ok(Some((line, &self.empty)));
        }
        Ok(mem::take(&mut self.is_ahead).then(|| (self.reader.position().line() - 1, &self.record)))
    }

    /// Reads the next record, whose lines are returned; `None` at the end of the file.
    fn read(&mut self) -> Result<Option<u64>, Error> {
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
            // The end of the last line is in a cell that is not closed, blank as it is.
            let lines = self.record.iter().map(|cell| cell.matches('\n').count() as u64).sum::<u64>();
            self.of_lines = (lines > 0).then_some(line);
            self.record.trim();
            // A line of nothing but `\r` or blanks is empty, too.
            let is_empty = self.record.iter().all(str::is_empty) && self.record.len() <= 1;
            if !is_empty || self.keeps_empty {
                return Ok(Some(1 + lines));
            }
        }
    }

    /// The number of the column with a name; `None` if there is none. Errors if there are several.
    pub(crate) fn position(&self, is: impl Fn(&str) -> bool) -> Result<Option<usize>, Error> {
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
    pub(crate) fn missing(&self, column: &str) -> Error {
        let header = self.header.iter().collect::<Vec<_>>().join(", ");
        FormatError::wrong(&self.path, "line 1", format!("a column {column}"), header)
    }

    /// The next record and its line; an error if it has more or fewer cells than the header.
    pub(crate) fn next_whole(&mut self) -> Result<Option<(u64, &StringRecord)>, Error> {
        let (path, columns) = (self.path.clone(), self.header.len());
        let Some((line, record)) = self.advance()? else { return Ok(None) };
        if record.len() != columns {
            let (expected, found) = (format!("{columns} cells as in the header"), record.len().to_string());
            return Err(FormatError::wrong(&path, format!("line {line}"), expected, found));
        }
        Ok(Some((line, record)))
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

/// The longest record of csv, in bytes. One that is longer has no end: quotes that are not closed, or no line breaks.
const LONGEST: usize = 1 << 22;

/// A file of which no record may be longer than 4 MiB.
pub(crate) struct Bounded {
    from: Box<dyn Read + Send>,
    /// Bytes that the record may still have.
    left: usize,
    /// Whether the number of quotes so far is odd.
    is_quoted: bool,
}

impl Bounded {
    pub(crate) fn new(from: impl Read + Send + 'static) -> Self {
        Self { from: Box::new(from), left: LONGEST, is_quoted: false }
    }

    /// Whether the number of quotes in all that was read is odd.
    pub(crate) fn is_quoted(&self) -> bool {
        self.is_quoted
    }

    /// The next record begins.
    pub(crate) fn begin_record(&mut self) {
        self.left = LONGEST;
    }
}

impl Read for Bounded {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            let text = "expected lines of at most 4 MiB, found a longer one, or quotes that are not closed";
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let bytes = self.from.read(to)?;
        self.left = self.left.saturating_sub(bytes);
        self.is_quoted ^= to[..bytes].iter().filter(|byte| **byte == b'"').count() % 2 == 1;
        Ok(bytes)
    }
}
