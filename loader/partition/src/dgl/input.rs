//! [`Input`]: reads a file piece by piece, and knows its position and the number of bytes left.

use super::DglError;
use crate::{Array, ArrayType, files};
use graphpack_loader::Error;
use graphpack_loader::extend::file_error;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The number that an array starts with.
pub(super) const ARRAY: u64 = 0xDD5E_40F0_96B4_A13F;
/// Number of bytes of the smallest array with a name: an empty name, no dimension, no elements.
pub(super) const NAMED_BYTES: u64 = 8 + ARRAY_BYTES;
/// Number of bytes of the smallest array.
const ARRAY_BYTES: u64 = 40;
/// More dimensions than any feature has.
const MOST_DIMENSIONS: i32 = 64;

/// A file that is being read.
pub(super) struct Input {
    path: PathBuf,
    from: BufReader<File>,
    position: u64,
    length: u64,
}

/// What comes before the elements of an array.
pub(super) struct Header {
    pub(super) element: ArrayType,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: u64,
}

impl Input {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let open = || {
            let file = files::open(path)?;
            let length = file.metadata()?.len();
            Ok((file, length))
        };
        let (file, length) = open().map_err(file_error(path))?;
        Ok(Self { path: path.to_owned(), from: BufReader::with_capacity(1 << 16, file), position: 0, length })
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Number of bytes to the end of the file.
    pub(super) fn left(&self) -> u64 {
        self.length - self.position
    }

    /// The error for something wrong at `offset`.
    pub(super) fn wrong(&self, offset: u64, what: &'static str, expected: impl Display, found: impl Display) -> Error {
        let (expected, found) = (expected.to_string(), found.to_string());
        DglError::Format { path: self.path.clone(), offset, what, expected, found }.into()
    }

    /// Fails unless `bytes` bytes are left.
    fn need(&self, what: &'static str, bytes: u64) -> Result<(), Error> {
        let (offset, found) = (self.position, self.left());
        if bytes <= found {
            return Ok(());
        }
        Err(DglError::Truncated { path: self.path.clone(), offset, what, expected: bytes, found }.into())
    }

    fn fixed<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Error> {
        self.need(what, N as u64)?;
        let mut bytes = [0; N];
        self.from.read_exact(&mut bytes).map_err(file_error(&self.path))?;
        self.position += N as u64;
        Ok(bytes)
    }

    /// Reads `count` bytes, if the file has them.
    fn bytes(&mut self, what: &'static str, count: u64) -> Result<Vec<u8>, Error> {
        self.need(what, count)?;
        let mut bytes =
            vec![0; usize::try_from(count).map_err(|_| file_error(&self.path)(io::ErrorKind::OutOfMemory.into()))?];
        self.from.read_exact(&mut bytes).map_err(file_error(&self.path))?;
        self.position += count;
        Ok(bytes)
    }

    /// Skips `count` bytes.
    pub(super) fn skip(&mut self, what: &'static str, count: u64) -> Result<(), Error> {
        self.need(what, count)?;
        self.position += count;
        self.from.seek(SeekFrom::Start(self.position)).map_err(file_error(&self.path))?;
        Ok(())
    }

    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64, Error> {
        self.fixed(what).map(u64::from_le_bytes)
    }

    pub(super) fn i64(&mut self, what: &'static str) -> Result<i64, Error> {
        self.fixed(what).map(i64::from_le_bytes)
    }

    fn i32(&mut self, what: &'static str) -> Result<i32, Error> {
        self.fixed(what).map(i32::from_le_bytes)
    }

    /// Reads a number that must be `expected`.
    pub(super) fn exactly(&mut self, what: &'static str, expected: u64) -> Result<(), Error> {
        let offset = self.position;
        let found = self.u64(what)?;
        if found == expected { Ok(()) } else { Err(self.wrong(offset, what, expected, found)) }
    }

    /// Reads the number that identifies what follows.
    pub(super) fn magic(&mut self, what: &'static str, expected: u64) -> Result<(), Error> {
        let offset = self.position;
        let found = self.u64(what)?;
        if found == expected {
            return Ok(());
        }
        Err(self.wrong(offset, what, format_args!("{expected:#018x}"), format_args!("{found:#018x}")))
    }

    pub(super) fn bool(&mut self, what: &'static str) -> Result<bool, Error> {
        let offset = self.position;
        match self.fixed(what)? {
            [0] => Ok(false),
            [1] => Ok(true),
            [other] => Err(self.wrong(offset, what, "0 or 1", other)),
        }
    }

    /// Reads a number of items, which must not be negative.
    pub(super) fn size(&mut self, what: &'static str) -> Result<usize, Error> {
        let offset = self.position;
        let found = self.i64(what)?;
        usize::try_from(found).map_err(|_| self.wrong(offset, what, "a number that is not negative", found))
    }

    /// Reads a list of items, each of which has at least `least` bytes.
    pub(super) fn list<T>(
        &mut self,
        what: &'static str,
        least: u64,
        item: impl Fn(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let offset = self.position;
        let count = self.u64(what)?;
        let left = self.left();
        if count > left / least {
            let most = left / least;
            return Err(self.wrong(offset, what, format_args!("at most {most} for the {left} bytes left"), count));
        }
        // Not allocated at once: items are larger in memory than in the file.
        (0..count).map(|_| item(self)).collect()
    }

    pub(super) fn string(&mut self, what: &'static str) -> Result<String, Error> {
        let length = self.u64(what)?;
        let offset = self.position;
        String::from_utf8(self.bytes(what, length)?).map_err(|error| {
            let start = error.utf8_error().valid_up_to();
            let end = error.as_bytes().len().min(start + 8);
            let found = error.as_bytes()[start..end].escape_ascii().to_string();
            self.wrong(offset + start as u64, what, "UTF-8", format_args!("\"{found}\""))
        })
    }

    pub(super) fn named(&mut self, what: &'static str) -> Result<(String, Array), Error> {
        Ok((self.string(what)?, self.array(what)?))
    }

    pub(super) fn array(&mut self, what: &'static str) -> Result<Array, Error> {
        let offset = self.position;
        let Header { element, shape, bytes } = self.header(what)?;
        let bytes = self.bytes(what, bytes)?;
        Array::new(element, shape, bytes).map_err(|error| self.wrong(offset, what, "an array", error))
    }

    pub(super) fn header(&mut self, what: &'static str) -> Result<Header, Error> {
        self.need(what, ARRAY_BYTES)?;
        self.magic(what, ARRAY)?;
        self.exactly("reserved number of an array", 0)?;
        let offset = self.position;
        let device = (self.i32(what)?, self.i32(what)?);
        if device != (1, 0) {
            let found = format!("{} {}", device.0, device.1);
            return Err(self.wrong(offset, "device of an array", "1 0, the processor", found));
        }
        let offset = self.position;
        let dimensions = self.i32(what)?;
        if !(0..=MOST_DIMENSIONS).contains(&dimensions) {
            let expected = format!("0 to {MOST_DIMENSIONS}");
            return Err(self.wrong(offset, "number of dimensions", expected, dimensions));
        }
        let offset = self.position;
        let [code, bits, lanes @ ..] = self.fixed::<4>(what)?;
        let element = element(code, bits).filter(|_| lanes == [1, 0]).ok_or_else(|| {
            let found = format!("code {code} of {bits} bits, {} lanes", u16::from_le_bytes(lanes));
            self.wrong(offset, "type of elements", "code 0, 1 or 2 of 8 to 64 bits, 1 lanes", found)
        })?;
        let shape: Vec<usize> = (0..dimensions).map(|_| self.size("a dimension")).collect::<Result<_, _>>()?;
        let offset = self.position;
        let bytes = self.u64("number of bytes")?;
        let expected = element.bytes_of(&shape);
        if expected.is_none_or(|expected| expected as u64 != bytes) {
            let expected = expected.map_or("fewer elements".to_owned(), |bytes| bytes.to_string());
            let expected = format!("{expected} for {element} of shape {shape:?}");
            return Err(self.wrong(offset, "number of bytes", expected, bytes));
        }
        self.need(what, bytes)?;
        Ok(Header { element, shape, bytes })
    }

    /// Fails if anything is left.
    pub(super) fn end(&self) -> Result<(), Error> {
        if self.position == self.length {
            return Ok(());
        }
        let found = format!("{} bytes further", self.left());
        Err(self.wrong(self.position, "end of the file", "here", found))
    }
}

fn element(code: u8, bits: u8) -> Option<ArrayType> {
    Some(match (code, bits) {
        (0, 8) => ArrayType::I8,
        (0, 16) => ArrayType::I16,
        (0, 32) => ArrayType::I32,
        (0, 64) => ArrayType::I64,
        (1, 8) => ArrayType::U8,
        (1, 16) => ArrayType::U16,
        (1, 32) => ArrayType::U32,
        (1, 64) => ArrayType::U64,
        (2, 16) => ArrayType::F16,
        (2, 32) => ArrayType::F32,
        (2, 64) => ArrayType::F64,
        _ => return None,
    })
}
