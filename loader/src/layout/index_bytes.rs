//! [`IndexBytes`]: row numbers within a graph, as narrow as a store keeps them, and how a batch widens them.

use super::Dtype;

/// A type of row numbers: u8, u16, u32, i32, i64 or usize.
pub trait RowNumber: bytemuck::NoUninit + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! row_numbers {
    ($($number:ty)*) => {
        $(impl sealed::Sealed for $number {}
        impl RowNumber for $number {})*
    };
}
row_numbers!(u8 u16 u32 i32 i64 usize);

/// The integer type of stored row numbers. Sets of up to 256 rows per graph need one byte per number, of up to 65,536
/// two; the fewer bytes are read, the faster batches are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexWidth {
    /// uint8.
    U8,
    /// uint16.
    U16,
    /// int32.
    I32,
    /// int64.
    I64,
}

impl IndexWidth {
    /// Bytes per number.
    pub(crate) fn bytes(self) -> usize {
        1 << self.shift()
    }

    /// Bytes per number, as a power of two.
    #[inline]
    fn shift(self) -> u32 {
        match self {
            Self::U8 => 0,
            Self::U16 => 1,
            Self::I32 => 2,
            Self::I64 => 3,
        }
    }

    /// Returns the narrowest type that holds all row numbers below `rows`.
    pub(crate) fn for_rows(rows: u64) -> Self {
        match rows {
            0..=0x100 => Self::U8,
            0x101..=0x1_0000 => Self::U16,
            0x1_0001..=0x8000_0000 => Self::I32,
            _ => Self::I64,
        }
    }
}

/// Row numbers, counted from 0 within a graph, as little-endian bytes.
#[derive(Clone, Copy)]
pub(crate) struct IndexBytes<'a> {
    width: IndexWidth,
    bytes: &'a [u8],
}

impl<'a> IndexBytes<'a> {
    /// No numbers.
    pub(crate) const EMPTY: Self = Self { width: IndexWidth::U8, bytes: &[] };

    /// Reads `bytes` as numbers of type `width`. They need no alignment; bytes at the end that do not make up a number
    /// are ignored.
    pub(crate) fn new(width: IndexWidth, bytes: &'a [u8]) -> Self {
        Self { width, bytes }
    }

    /// Borrows the numbers of a slice. Those beyond the signed type of their width are read as negative ones, which no
    /// graph has.
    pub(crate) fn of<T: RowNumber>(rows: &'a [T]) -> Self {
        let width = match size_of::<T>() {
            1 => IndexWidth::U8,
            2 => IndexWidth::U16,
            4 => IndexWidth::I32,
            _ => IndexWidth::I64,
        };
        // The crate compiles on little-endian machines only.
        Self { width, bytes: bytemuck::cast_slice(rows) }
    }

    /// Number of row numbers.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        // Not a division: it would be one of the longest instructions of writing a graph.
        self.bytes.len() >> self.width.shift()
    }

    /// Type of the numbers.
    pub(crate) fn width(&self) -> IndexWidth {
        self.width
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the number at position `place`, which must be below [`len`](Self::len).
    pub(crate) fn at(&self, place: usize) -> i64 {
        let width = self.width.bytes();
        let bytes = &self.bytes[place * width..(place + 1) * width];
        let mut wide = [0; 8];
        wide[..width].copy_from_slice(bytes);
        match self.width {
            IndexWidth::I32 => i64::from(i64::from_le_bytes(wide) as i32),
            _ => i64::from_le_bytes(wide),
        }
    }

    /// The numbers.
    pub(crate) fn iter(self) -> impl Iterator<Item = i64> + 'a {
        (0..self.len()).map(move |place| self.at(place))
    }

    /// Returns the bytes of the numbers as integers of another width, in which they fit.
    pub(crate) fn widened(self, width: IndexWidth) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len() * width.bytes());
        self.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()[..width.bytes()]));
        bytes
    }

    /// Writes the numbers plus `first` into `out`, an array of `dtype`. Returns false if a number is not below `rows`;
    /// the contents of `out` are then meaningless.
    pub(crate) fn write(&self, out: &mut [u8], dtype: Dtype, first: usize, rows: u32) -> bool {
        match dtype {
            Dtype::I32 => self.widen::<i32>(bytemuck::cast_slice_mut(out), first as i32, rows),
            _ => self.widen::<i64>(bytemuck::cast_slice_mut(out), first as i64, rows),
        }
    }

    fn widen<O: Index>(&self, out: &mut [O], first: O, rows: u32) -> bool {
        match self.width {
            IndexWidth::U8 => copy_narrow(self.bytes, out, first, rows, |[byte]: [u8; 1]| byte),
            IndexWidth::U16 => copy_narrow(self.bytes, out, first, rows, u16::from_le_bytes),
            IndexWidth::I32 => copy_wide(self.bytes, out, first, rows, |bytes| i64::from(i32::from_le_bytes(bytes))),
            IndexWidth::I64 => copy_wide(self.bytes, out, first, rows, i64::from_le_bytes),
        }
    }
}

/// An integer type that a batch may have for its indices.
pub(crate) trait Index: Copy + bytemuck::Pod {
    fn plus(self, local: i64) -> Self;
}

impl Index for i32 {
    fn plus(self, local: i64) -> Self {
        self.wrapping_add(local as i32)
    }
}

impl Index for i64 {
    fn plus(self, local: i64) -> Self {
        self.wrapping_add(local)
    }
}

// Two passes, one to find the largest number and one to copy: the compiler vectorizes each, but not one loop that does
// both.
fn copy_narrow<const W: usize, T: Copy + Ord + Into<i64>, O: Index>(
    bytes: &[u8],
    out: &mut [O],
    first: O,
    rows: u32,
    read: impl Fn([u8; W]) -> T,
) -> bool {
    let numbers = bytes.as_chunks::<W>().0;
    let largest = numbers.iter().map(|bytes| read(*bytes)).max();
    for (out, bytes) in out.iter_mut().zip(numbers) {
        *out = first.plus(read(*bytes).into());
    }
    largest.is_none_or(|largest| largest.into() < i64::from(rows))
}

// One pass without a branch, so that the compiler vectorizes it.
fn copy_wide<const W: usize, O: Index>(
    bytes: &[u8],
    out: &mut [O],
    first: O,
    rows: u32,
    read: impl Fn([u8; W]) -> i64,
) -> bool {
    let last = i64::from(rows) - 1;
    // Negative as soon as one number is negative or beyond the last row.
    let mut outside = 0_i64;
    for (out, bytes) in out.iter_mut().zip(bytes.as_chunks::<W>().0) {
        let local = read(*bytes);
        outside |= local | last.wrapping_sub(local);
        *out = first.plus(local);
    }
    outside >= 0
}
