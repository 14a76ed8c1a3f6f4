//! [`Dtype`]: the element types that fields may have; [`Element`]: the Rust types of these elements.

use bytemuck::{CheckedBitPattern, Pod};
use core::fmt;
use half::f16;

/// The element type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// 32-bit floating point.
    F32,
    /// 64-bit floating point.
    F64,
    /// 64-bit signed integer, what PyTorch uses for indices.
    I64,
    /// 32-bit signed integer.
    I32,
    /// 8-bit unsigned integer.
    U8,
    /// One byte, 0 or 1.
    Bool,
    /// 16-bit floating point of IEEE, [`f16`](struct@f16).
    F16,
}

impl Dtype {
    /// All dtypes.
    pub const ALL: [Self; 7] = [Self::F16, Self::F32, Self::F64, Self::I64, Self::I32, Self::U8, Self::Bool];

    /// Whether it is floating point.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// Whether an integer would be another number in this floating point type. Integers that become floating point
    /// because other graphs have such numbers are refused then, wherever they meet.
    pub const fn rounds(self, integer: i64) -> bool {
        let digits: u32 = match self {
            Self::F16 => 11,
            Self::F32 => 24,
            Self::F64 => 53,
            _ => return false,
        };
        let size = integer.unsigned_abs();
        let beyond = matches!(self, Self::F16) && size > 65_504;
        beyond || (size != 0 && u64::BITS - size.leading_zeros() - size.trailing_zeros() > digits)
    }

    /// Whether `value` is a value of this type, and finite, as files can keep it.
    pub const fn holds(self, value: f64) -> bool {
        match self {
            Self::F16 => f16::from_f64_const(value).is_finite(),
            Self::F32 => (value as f32).is_finite(),
            Self::F64 => value.is_finite(),
            // Whole numbers of up to 53 bits are exact in a float.
            Self::I64 => value as i64 as f64 == value && value.abs() <= 9_007_199_254_740_992.0,
            Self::I32 => value as i32 as f64 == value,
            Self::U8 => value as u8 as f64 == value,
            Self::Bool => value == 0.0 || value == 1.0,
        }
    }

    /// Bytes per element.
    #[inline]
    pub const fn bytes(self) -> usize {
        match self {
            Self::F64 | Self::I64 => 8,
            Self::F32 | Self::I32 => 4,
            Self::F16 => 2,
            Self::U8 | Self::Bool => 1,
        }
    }
}

/// Writes PyTorch's name without the module: `float32`, `int64`.
impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "float32",
            Self::F64 => "float64",
            Self::I64 => "int64",
            Self::I32 => "int32",
            Self::U8 => "uint8",
            Self::Bool => "bool",
            Self::F16 => "float16",
        })
    }
}

/// A Rust type that is the element of a [`Dtype`]: `f16`, `f32`, `f64`, `i64`, `i32`, `u8` or `bool`.
pub trait Element: CheckedBitPattern + bytemuck::NoUninit + sealed::Sealed {
    /// The dtype whose elements have this type.
    const DTYPE: Dtype;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($rust:ty => $dtype:ident),*) => {
        $(
            impl sealed::Sealed for $rust {}
            impl Element for $rust {
                const DTYPE: Dtype = Dtype::$dtype;
            }
        )*
    };
}

elements!(f16 => F16, f32 => F32, f64 => F64, i64 => I64, i32 => I32, u8 => U8, bool => Bool);

/// Sets all elements to `value`, which is a value of `dtype`.
pub fn fill(elements: &mut [u8], dtype: Dtype, value: f64) {
    match dtype {
        _ if value == 0.0 => elements.fill(0),
        Dtype::F16 => cast(elements).fill(f16::from_f64(value)),
        Dtype::F32 => cast(elements).fill(value as f32),
        Dtype::F64 => cast(elements).fill(value),
        Dtype::I64 => cast(elements).fill(value as i64),
        Dtype::I32 => cast(elements).fill(value as i32),
        Dtype::U8 | Dtype::Bool => elements.fill(value as u8),
    }
}

/// The elements in bytes of an array. Memory of batches is checked once and arrays start at multiples of 64 bytes, so
/// that all are aligned; without a panic, code for a microcontroller is smaller.
#[inline]
pub(super) fn cast<T: Pod>(bytes: &mut [u8]) -> &mut [T] {
    bytemuck::try_cast_slice_mut(bytes).unwrap_or_default()
}
