//! [`Fill`]: what rows are filled with that a type of nodes or edges does not have.

use crate::ArrayType;

/// What types without a feature get in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fill {
    /// Zeros, and false.
    Zeros,
    /// What cannot be taken for a value, as `dummy_values` of PyTorch Geometric: NaN, -1, the largest number without a sign; of masks false.
    Dummy,
}

impl Fill {
    /// Bytes of an element that is filled.
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
