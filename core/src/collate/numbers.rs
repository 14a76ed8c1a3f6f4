//! [`IndexBytes`]: row numbers within a graph, as narrow as their owner keeps them, and how an index of a batch gets
//! them.

use super::Dtype;
use super::dtype::cast;
#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, vec::Vec};

/// A type of row numbers: u8, u16, u32, i32, i64 or usize.
pub trait RowNumber: bytemuck::NoUninit + sealed::Sealed {}

mod sealed {
    pub trait Sealed {
        const IS_U32: bool;
    }
}

macro_rules! row_numbers {
    ($($number:ty)*) => {
        $(impl sealed::Sealed for $number {
            const IS_U32: bool = size_of::<Self>() == 4 && Self::MIN == 0;
        }
        impl RowNumber for $number {})*
    };
}
row_numbers!(u8 u16 u32 i32 i64 usize);

/// The integer type of stored row numbers. Sets of up to 256 rows per graph need one byte per number, of up to 65,536
/// two; the fewer bytes are read, the faster batches are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexWidth {
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
    #[inline]
    pub const fn bytes(self) -> usize {
        1 << self.shift()
    }

    /// Bytes per number, as a power of two.
    #[inline]
    const fn shift(self) -> u32 {
        match self {
            Self::U8 => 0,
            Self::U16 => 1,
            Self::I32 => 2,
            Self::I64 => 3,
        }
    }

    /// Returns the narrowest type that holds all row numbers below `rows`.
    pub const fn for_rows(rows: u64) -> Self {
        match rows {
            0..=0x100 => Self::U8,
            0x101..=0x1_0000 => Self::U16,
            0x1_0001..=0x8000_0000 => Self::I32,
            _ => Self::I64,
        }
    }
}

/// Row numbers, counted from 0 within a graph, as bytes in native order.
#[derive(Clone, Copy)]
pub struct IndexBytes<'a> {
    width: IndexWidth,
    bytes: &'a [u8],
    /// Of uint32 in the place of int32, so that messages have the numbers as they were given.
    is_u32: bool,
}

impl<'a> IndexBytes<'a> {
    /// No numbers.
    pub const EMPTY: Self = Self::new(IndexWidth::U8, &[]);

    /// Reads `bytes` as numbers of type `width`. They need no alignment; bytes at the end that do not make up a number
    /// are ignored.
    #[inline]
    pub const fn new(width: IndexWidth, bytes: &'a [u8]) -> Self {
        Self { width, bytes, is_u32: false }
    }

    /// Borrows the numbers of a slice. Batches have none of uint32 beyond int32, or of usize beyond int64.
    pub fn of<T: RowNumber>(rows: &'a [T]) -> Self {
        let width = match size_of::<T>() {
            1 => IndexWidth::U8,
            2 => IndexWidth::U16,
            4 => IndexWidth::I32,
            _ => IndexWidth::I64,
        };
        Self { width, bytes: bytemuck::cast_slice(rows), is_u32: T::IS_U32 }
    }

    /// Number of row numbers.
    #[inline]
    pub const fn len(&self) -> usize {
        // Not a division: it would be one of the longest instructions of writing a graph.
        self.bytes.len() >> self.width.shift()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes.
    #[inline]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The numbers.
    pub fn iter(self) -> impl ExactSizeIterator<Item = i64> + 'a {
        self.bytes.chunks_exact(self.width.bytes()).map(move |bytes| match *bytes {
            [byte] => byte.into(),
            [a, b] => u16::from_ne_bytes([a, b]).into(),
            [a, b, c, d] if self.is_u32 => u32::from_ne_bytes([a, b, c, d]).into(),
            [a, b, c, d] => i32::from_ne_bytes([a, b, c, d]).into(),
            _ => i64::from_ne_bytes(bytes.try_into().unwrap_or_default()),
        })
    }

    /// Returns the bytes of the numbers as integers of this width, in which they fit.
    #[cfg(feature = "alloc")]
    pub fn in_width(self, width: IndexWidth) -> Cow<'a, [u8]> {
        if width == self.width {
            return Cow::Borrowed(self.bytes);
        }
        let mut bytes = Vec::with_capacity(self.len() * width.bytes());
        self.iter().for_each(|number| match width {
            IndexWidth::U8 => bytes.push(number as u8),
            IndexWidth::U16 => bytes.extend_from_slice(&(number as u16).to_ne_bytes()),
            IndexWidth::I32 => bytes.extend_from_slice(&(number as i32).to_ne_bytes()),
            IndexWidth::I64 => bytes.extend_from_slice(&number.to_ne_bytes()),
        });
        Cow::Owned(bytes)
    }

    /// Writes the numbers plus `first` into `entries`, bytes of as many integers of type `index`. Returns false if a
    /// number is not below `rows`; the contents of `entries` are then meaningless.
    // Not inlined: collating QM9's sizes took 1.19 times as many instructions.
    pub fn write(&self, entries: &mut [u8], index: Dtype, first: usize, rows: u32) -> bool {
        match index {
            Dtype::I32 => self.widen(cast(entries), first as i32, rows),
            _ => self.widen(cast(entries), first as i64, rows),
        }
    }

    fn widen<O: BatchInteger>(&self, entries: &mut [O], first: O, rows: u32) -> bool {
        match self.width {
            IndexWidth::U8 => copy_narrow(self.bytes, entries, first, rows, |[byte]: [u8; 1]| byte),
            IndexWidth::U16 => copy_narrow(self.bytes, entries, first, rows, u16::from_ne_bytes),
            IndexWidth::I32 => copy_wide(self.bytes, entries, first, rows, |bytes| i32::from_ne_bytes(bytes).into()),
            IndexWidth::I64 => copy_wide(self.bytes, entries, first, rows, i64::from_ne_bytes),
        }
    }
}

/// An integer type that a batch may have for its indices.
pub(super) trait BatchInteger: bytemuck::Pod {
    fn of(number: usize) -> Self;
    fn plus(self, local: i64) -> Self;
    fn number(self) -> usize;
}

macro_rules! batch_integers {
    ($($integer:ty)*) => {
        $(impl BatchInteger for $integer {
            fn of(number: usize) -> Self {
                number as Self
            }

            fn plus(self, local: i64) -> Self {
                self.wrapping_add(local as Self)
            }

            fn number(self) -> usize {
                self as usize
            }
        })*
    };
}
batch_integers!(i32 i64);

// Two passes, one to find the largest number and one to copy: the compiler vectorizes each, but not one loop that does
// both.
fn copy_narrow<const W: usize, T: Copy + Ord + Into<i64>, O: BatchInteger>(
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
fn copy_wide<const W: usize, O: BatchInteger>(
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
