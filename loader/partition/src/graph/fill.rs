//! [`Fill`]: the values of rows that a type of nodes or edges does not have.

use crate::ArrayType;

/// The values that types without a feature get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fill {
    /// Zero or false.
    Zeros,
    /// Values that cannot be mistaken for data, as `dummy_values` of PyTorch Geometric: NaN, -1, the largest unsigned
    /// number; false in masks.
    Dummy,
}

impl Fill {
    /// Returns the bytes of a filled element.
    pub(super) fn element(self, of: ArrayType) -> &'static [u8] {
        const ONES: [u8; 8] = [0xFF; 8];
        let bytes = of.bytes();
        match (self, of) {
            (Self::Zeros, _) | (Self::Dummy, ArrayType::Bool) => &[0; 8][..bytes],
            (Self::Dummy, ArrayType::F16) => &[0x00, 0x7E],
            (Self::Dummy, ArrayType::F32) => &[0x00, 0x00, 0xC0, 0x7F],
            (Self::Dummy, ArrayType::F64) => &[0, 0, 0, 0, 0, 0, 0xF8, 0x7F],
            (Self::Dummy, _) => &ONES[..bytes],
        }
    }
}
