//! [`Array`]: numbers of one type and any shape, as files hold them.

use graphpack_loader::extend::Cause;
use graphpack_loader::{Dtype, Error, ErrorKind};
use std::fmt;

/// Numbers of one type and any shape, row by row, little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    element: ArrayType,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// The type of an [`Array`]'s elements: files have more types than the [`Dtype`]s of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "a letter for signed, unsigned or floating point, then bits")]
pub enum ArrayType {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
    Bool,
}

/// Bytes that are too many or too few for an array's type and shape.
#[derive(Debug, thiserror::Error)]
#[error("an array of {element} and shape {shape:?} does not have {bytes} bytes")]
struct ShapeError {
    element: ArrayType,
    shape: Vec<usize>,
    bytes: usize,
}

impl Cause for ShapeError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Data
    }
}

impl Array {
    /// An array whose elements are `bytes`; an error if they are not what the shape needs.
    pub fn new(element: ArrayType, shape: Vec<usize>, bytes: Vec<u8>) -> Result<Self, Error> {
        if element.bytes_of(&shape) != Some(bytes.len()) {
            return Err(ShapeError { element, shape, bytes: bytes.len() }.into());
        }
        Ok(Self { element, shape, bytes })
    }

    /// An array of one dimension, of int64.
    pub fn of_i64(numbers: &[i64]) -> Self {
        Self { element: ArrayType::I64, shape: vec![numbers.len()], bytes: bytemuck::cast_slice(numbers).to_vec() }
    }

    /// The type of its elements.
    pub fn element(&self) -> ArrayType {
        self.element
    }

    /// Its shape, the number of rows first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The elements, little-endian.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Number of rows: 1 for a single number.
    pub fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(1)
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> usize {
        self.shape.iter().skip(1).fold(self.element.bytes(), |bytes, &n| bytes.saturating_mul(n))
    }

    /// The rows with the given numbers, in that order; `None` if one is out of range.
    pub fn select(&self, rows: impl ExactSizeIterator<Item = usize>) -> Option<Self> {
        // An array without rows may be wider than memory.
        if self.rows() == 0 && rows.len() > 0 {
            return None;
        }
        let width = self.row_bytes();
        let mut shape = self.shape.clone();
        *shape.first_mut()? = rows.len();
        let mut bytes = Vec::with_capacity(rows.len() * width);
        for row in rows {
            if row >= self.rows() {
                return None;
            }
            bytes.extend_from_slice(&self.bytes[row * width..(row + 1) * width]);
        }
        Some(Self { element: self.element, shape, bytes })
    }
}

impl ArrayType {
    /// Bytes of an array of this shape; `None` if it, or one row of it, is larger than memory.
    pub fn bytes_of(self, shape: &[usize]) -> Option<usize> {
        // The bytes of a row first: with no rows, the product is 0 even where that is too large.
        let mut sizes = shape.iter().skip(1).chain(shape.first());
        sizes.try_fold(self.bytes(), |bytes, &n| bytes.checked_mul(n))
    }

    /// Bytes of an element.
    pub const fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Bool => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// Whether its numbers are integers.
    pub const fn is_integer(self) -> bool {
        !matches!(self, Self::F16 | Self::F32 | Self::F64 | Self::Bool)
    }

    /// The value of an integer or a bool, from its little-endian bytes; `None` of floating point.
    pub fn integer(self, element: &[u8]) -> Option<i128> {
        let mut low = [0; 8];
        low.iter_mut().zip(element).for_each(|(low, &byte)| *low = byte);
        let value = u64::from_le_bytes(low);
        Some(match self {
            Self::I8 => i128::from(value as i8),
            Self::I16 => i128::from(value as i16),
            Self::I32 => i128::from(value as i32),
            Self::I64 => i128::from(value as i64),
            Self::U8 | Self::U16 | Self::U32 | Self::U64 | Self::Bool => i128::from(value),
            Self::F16 | Self::F32 | Self::F64 => return None,
        })
    }

    /// Returns the type that NumPy calls this name, such as `float32` or `int64`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, other, _)| *other == name).map(|&(element, ..)| element)
    }

    /// The dtype of a batch that has these numbers; `None` if none has all of them in the same width.
    pub const fn dtype(self) -> Option<Dtype> {
        match self {
            Self::F16 => Some(Dtype::F16),
            Self::F32 => Some(Dtype::F32),
            Self::F64 => Some(Dtype::F64),
            Self::I64 => Some(Dtype::I64),
            Self::I32 => Some(Dtype::I32),
            Self::U8 => Some(Dtype::U8),
            Self::Bool => Some(Dtype::Bool),
            Self::I8 | Self::I16 | Self::U16 | Self::U32 | Self::U64 => None,
        }
    }

    /// NumPy's name of each type, and its code without the order of bytes.
    const ALL: [(Self, &str, &str); 12] = [
        (Self::I8, "int8", "i1"),
        (Self::I16, "int16", "i2"),
        (Self::I32, "int32", "i4"),
        (Self::I64, "int64", "i8"),
        (Self::U8, "uint8", "u1"),
        (Self::U16, "uint16", "u2"),
        (Self::U32, "uint32", "u4"),
        (Self::U64, "uint64", "u8"),
        (Self::F16, "float16", "f2"),
        (Self::F32, "float32", "f4"),
        (Self::F64, "float64", "f8"),
        (Self::Bool, "bool", "b1"),
    ];

    /// NumPy's name and code.
    fn names(self) -> (&'static str, &'static str) {
        Self::ALL.iter().find(|(element, ..)| *element == self).map_or(("", ""), |&(_, name, code)| (name, code))
    }

    /// NumPy's code: `f4`, `i8`.
    pub(super) fn code(self) -> &'static str {
        self.names().1
    }

    /// Returns the type that has this code in NumPy.
    pub(super) fn from_code(code: &str) -> Option<Self> {
        Self::ALL.iter().find(|(.., other)| *other == code).map(|&(element, ..)| element)
    }
}

/// Writes NumPy's name: `float32`, `int64`.
impl fmt::Display for ArrayType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.names().0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Array, ArrayType};

    #[test]
    fn rows_are_selected_whole_or_refused() {
        let array = Array::new(ArrayType::I16, vec![3, 2], vec![1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0]);
        let array = array.expect("six numbers");
        let chosen = array.select([2, 0].into_iter()).expect("both are there");
        assert_eq!((chosen.shape(), chosen.bytes()), (&[2, 2][..], &[5, 0, 6, 0, 1, 0, 2, 0][..]));
        assert_eq!(array.select([3].into_iter()), None);
        let none = Array::new(ArrayType::I64, vec![0, 1 << 50, 2], Vec::new()).expect("no bytes");
        assert_eq!((none.select([0].into_iter()), none.select([].into_iter())), (None, Some(none.clone())));
    }

    #[test]
    fn only_integers_have_a_value_as_one() {
        assert_eq!(ArrayType::I16.integer(&[0xfe, 0xff]), Some(-2));
        assert_eq!(ArrayType::U64.integer(&[0xff; 8]), Some(u64::MAX.into()));
        assert_eq!(ArrayType::Bool.integer(&[1]), Some(1));
        assert_eq!(ArrayType::F32.integer(&1.0_f32.to_le_bytes()), None);
    }

    #[test]
    fn bytes_must_be_as_many_as_the_shape_says() {
        let error = Array::new(ArrayType::F32, vec![2, 3], vec![0; 23]).expect_err("one is missing");
        assert_eq!(error.to_string(), "an array of float32 and shape [2, 3] does not have 23 bytes");
        assert!(Array::new(ArrayType::F64, vec![usize::MAX, 2], Vec::new()).is_err());
        assert!(Array::new(ArrayType::F64, vec![0, usize::MAX, 2], Vec::new()).is_err());
    }
}
