//! [`Output`]: writes a file piece by piece, which gets its name when it is complete.

use super::input::ARRAY;
use crate::files::{FileSum, Summing};
use crate::{Array, ArrayType};
use graphpack_loader::Error;
use graphpack_loader::extend::file_error;
use graphpack_loader::store::WholeFile;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

/// A writer that counts its bytes.
pub(super) struct Output<'a> {
    to: BufWriter<Summing<&'a File>>,
    position: u64,
}

/// Elements of an array to be written, which need not be in memory.
#[derive(Clone, Copy)]
pub(super) enum Elements<'a> {
    Array(&'a Array),
    I64(&'a [i64]),
    /// A number of ones, then a number of zeros, as uint8.
    Flags(usize, usize),
    /// A number computed from each id, as int32 or int64.
    Each(&'a [i64], ArrayType, &'a dyn Fn(i64) -> i64),
    Rows(&'a FeatureRows<'a>),
}

/// Rows of a feature that are not in memory.
pub(crate) struct FeatureRows<'a> {
    /// Its name with its type.
    pub(crate) name: String,
    pub(crate) element: ArrayType,
    /// Shape of the array, rows first.
    pub(crate) shape: Vec<usize>,
    /// Writes all elements, little-endian.
    pub(crate) write: &'a dyn Fn(&mut dyn Write) -> io::Result<()>,
}

/// Writes a file under a temporary name, then renames it.
pub(super) fn save(path: &Path, write: impl FnOnce(&mut Output<'_>) -> io::Result<()>) -> Result<FileSum, Error> {
    let written = || {
        let whole = WholeFile::create(path)?;
        let sum = {
            let to = BufWriter::with_capacity(1 << 16, Summing::new(whole.file()));
            let mut output = Output { to, position: 0 };
            write(&mut output)?;
            output.to.into_inner().map_err(io::IntoInnerError::into_error)?.sum()
        };
        whole.finish()?;
        Ok(sum)
    };
    written().map_err(file_error(path))
}

impl Output<'_> {
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    pub(super) fn u64(&mut self, number: u64) -> io::Result<()> {
        self.bytes(&number.to_le_bytes())
    }

    pub(super) fn size(&mut self, number: usize) -> io::Result<()> {
        self.u64(number as u64)
    }

    pub(super) fn string(&mut self, text: &str) -> io::Result<()> {
        self.size(text.len())?;
        self.bytes(text.as_bytes())
    }

    pub(super) fn list<T>(&mut self, items: &[T], item: impl Fn(&mut Self, &T) -> io::Result<()>) -> io::Result<()> {
        self.size(items.len())?;
        items.iter().try_for_each(|one| item(self, one))
    }

    pub(super) fn named(&mut self, name: &str, elements: Elements<'_>) -> io::Result<()> {
        self.string(name)?;
        self.array(elements).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => io::Error::new(error.kind(), format!("array {name:?}: {error}")),
            _ => error,
        })
    }

    pub(super) fn array(&mut self, elements: Elements<'_>) -> io::Result<()> {
        let one = [elements.len()];
        let (element, shape) = match elements {
            Elements::Array(array) => (array.element(), array.shape()),
            Elements::I64(_) => (ArrayType::I64, &one[..]),
            Elements::Flags(..) => (ArrayType::U8, &one[..]),
            Elements::Each(_, element, _) => (element, &one[..]),
            Elements::Rows(rows) => (rows.element, &rows.shape[..]),
        };
        let given = element;
        let element = stored_as(given);
        self.u64(ARRAY)?;
        self.u64(0)?;
        // Device 1 0 is the CPU.
        for number in [1, 0, i32::try_from(shape.len()).map_err(io::Error::other)?] {
            self.bytes(&number.to_le_bytes())?;
        }
        let bits = 8 * element.bytes() as u8;
        self.bytes(&[code(element), bits, 1, 0])?;
        shape.iter().try_for_each(|&dimension| self.size(dimension))?;
        let bytes = element.bytes_of(shape).ok_or(io::ErrorKind::OutOfMemory)?;
        self.size(bytes)?;
        match elements {
            Elements::Array(array) => Storing::new(self, given).write_all(array.bytes()),
            Elements::I64(numbers) => self.bytes(bytemuck::cast_slice(numbers)),
            Elements::Flags(ones, zeros) => {
                let mut flags = [(1, ones), (0, zeros)].into_iter();
                flags.try_for_each(|(flag, count)| self.repeat(flag, count))
            }
            Elements::Each(ids, ArrayType::I32, number) => {
                ids.iter().try_for_each(|&id| self.bytes(&(number(id) as i32).to_le_bytes()))
            }
            Elements::Rows(rows) => {
                let end = self.position + bytes as u64;
                (rows.write)(&mut Storing::new(self, given))?;
                let found = self.position;
                if found == end { Ok(()) } else { Err(io::Error::other(format!("byte {found}, expected {end}"))) }
            }
            Elements::Each(ids, _, number) => ids.iter().try_for_each(|&id| self.bytes(&number(id).to_le_bytes())),
        }
    }

    /// Writes a byte `count` times.
    pub(super) fn repeat(&mut self, byte: u8, count: usize) -> io::Result<()> {
        io::copy(&mut io::repeat(byte).take(count as u64), self).map(drop)
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl Elements<'_> {
    fn len(self) -> usize {
        match self {
            Self::Array(array) => array.rows(),
            Self::I64(numbers) => numbers.len(),
            Self::Flags(ones, zeros) => ones + zeros,
            Self::Each(ids, ..) => ids.len(),
            Self::Rows(rows) => rows.shape.first().copied().unwrap_or(1),
        }
    }
}

/// DGL's code for signed, unsigned and floating-point elements.
const fn code(element: ArrayType) -> u8 {
    match element {
        ArrayType::I8 | ArrayType::I16 | ArrayType::I32 | ArrayType::I64 => 0,
        ArrayType::U8 | ArrayType::U16 | ArrayType::U32 | ArrayType::U64 | ArrayType::Bool => 1,
        ArrayType::F16 | ArrayType::F32 | ArrayType::F64 => 2,
    }
}

/// The elements that a file has in place of those that DGL's readers do not know.
pub(crate) const fn stored_as(element: ArrayType) -> ArrayType {
    match element {
        ArrayType::Bool => ArrayType::U8,
        ArrayType::U16 => ArrayType::I32,
        ArrayType::U32 | ArrayType::U64 => ArrayType::I64,
        other => other,
    }
}

/// Turns little-endian elements into those that a file has. An uint64 that int64 does not hold is an error.
pub(crate) fn stored(element: ArrayType, bytes: &[u8]) -> io::Result<Cow<'_, [u8]>> {
    Ok(match element {
        ArrayType::U16 => Cow::Owned(
            bytes.as_chunks().0.iter().flat_map(|&of| i32::from(u16::from_le_bytes(of)).to_le_bytes()).collect(),
        ),
        ArrayType::U32 => Cow::Owned(
            bytes.as_chunks().0.iter().flat_map(|&of| i64::from(u32::from_le_bytes(of)).to_le_bytes()).collect(),
        ),
        ArrayType::U64 => {
            let mut numbers = bytes.as_chunks().0.iter().map(|&of| u64::from_le_bytes(of));
            match numbers.find(|&number| number > i64::MAX as u64) {
                Some(number) => {
                    let problem = format!("{number} is beyond int64, which DGL has in place of uint64");
                    return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
                }
                None => Cow::Borrowed(bytes),
            }
        }
        _ => Cow::Borrowed(bytes),
    })
}

/// Takes elements in pieces of any length and writes them as a file has them.
struct Storing<'a, 'f> {
    to: &'a mut Output<'f>,
    element: ArrayType,
    /// The start of an element, and memory for pieces.
    rest: Vec<u8>,
}

impl<'a, 'f> Storing<'a, 'f> {
    fn new(to: &'a mut Output<'f>, element: ArrayType) -> Self {
        Self { to, element, rest: Vec::new() }
    }
}

impl Write for Storing<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        const PIECE: usize = 1 << 16;
        if !matches!(self.element, ArrayType::U16 | ArrayType::U32 | ArrayType::U64) {
            return self.to.write(bytes);
        }
        let taken = &bytes[..bytes.len().min(PIECE)];
        self.rest.extend_from_slice(taken);
        let whole = self.rest.len() / self.element.bytes() * self.element.bytes();
        self.to.bytes(&stored(self.element, &self.rest[..whole])?)?;
        self.rest.drain(..whole);
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
