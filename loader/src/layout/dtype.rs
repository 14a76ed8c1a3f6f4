//! [`Dtype`]: the element types that fields may have.

use bytemuck::CheckedBitPattern;
use half::f16;
use std::fmt;

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

    /// The dtype of a field that has this one in some graphs and `other` in others: bools become integers, narrow
    /// numbers wide ones, and integers floating point, where none may be [rounded](Self::rounds). `None` for bools
    /// beside floating point numbers.
    pub(crate) fn joined(self, other: Self) -> Option<Self> {
        let order = |dtype: Self| (dtype.is_float(), dtype != Self::Bool, dtype.bytes());
        let (narrow, wide) = if order(self) < order(other) { (self, other) } else { (other, self) };
        (narrow != Self::Bool || !wide.is_float()).then_some(wide)
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

    /// Bytes per element.
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

/// The first byte that is not a bool.
pub(super) fn no_bool(bytes: &[u8]) -> u8 {
    bytes.iter().copied().find(|&byte| byte > 1).unwrap_or_default()
}

impl Dtype {
    /// Whether `value` is a value of this type, and finite, as files can keep it.
    pub(super) fn holds(self, value: f64) -> bool {
        let whole = |from: f64, to: f64| value.fract() == 0.0 && (from..=to).contains(&value);
        match self {
            Self::F16 => f16::from_f64(value).is_finite(),
            Self::F32 => (value as f32).is_finite(),
            Self::F64 => value.is_finite(),
            // Whole numbers of up to 53 bits are exact in a float.
            Self::I64 => whole(-9_007_199_254_740_992.0, 9_007_199_254_740_992.0),
            Self::I32 => whole(i32::MIN.into(), i32::MAX.into()),
            Self::U8 => whole(0.0, 255.0),
            Self::Bool => whole(0.0, 1.0),
        }
    }
}
