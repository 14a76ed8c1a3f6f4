//! Values that a graph lacks: NaN becomes 0 where `has_NAME` says so.

use super::{Dtype, Field, Slot, SlotError};
use crate::error::Error;
use half::f16;

/// Whether one of these elements is NaN.
pub(crate) fn has_nan(dtype: Dtype, elements: &[u8]) -> bool {
    match dtype {
        Dtype::F16 => elements.as_chunks().0.iter().any(|&element| f16::from_le_bytes(element).is_nan()),
        Dtype::F32 => elements.as_chunks().0.iter().any(|&element| f32::from_le_bytes(element).is_nan()),
        Dtype::F64 => elements.as_chunks().0.iter().any(|&element| f64::from_le_bytes(element).is_nan()),
        Dtype::I64 | Dtype::I32 | Dtype::U8 | Dtype::Bool => false,
    }
}

/// Makes what is NaN in the rows of a graph 0, and false in its mask, which has a bool for each number, or for all.
/// Returns false, without a change, if only some numbers are NaN and the mask is for all.
pub(crate) fn mask_nan(field: &Field, rows: &mut [u8], mask: &mut [u8]) -> bool {
    if !has_nan(field.dtype, rows) {
        return true;
    }
    let (size, is_nan) = (field.dtype.bytes(), |number: &[u8]| has_nan(field.dtype, number));
    if mask.len() * size == rows.len() {
        for (number, has) in rows.chunks_exact_mut(size).zip(mask).filter(|(number, _)| is_nan(number)) {
            number.fill(0);
            *has = 0;
        }
        return true;
    }
    let lacks_all = rows.chunks_exact(size).all(is_nan);
    if lacks_all {
        rows.fill(0);
        mask.fill(0);
    }
    lacks_all
}

impl Slot<'_> {
    /// Sets all bytes of a field: to 0, or to 1 for true.
    pub(crate) fn fill(&mut self, field: usize, byte: u8) -> Result<(), Error> {
        let (position, place) = self.place(field)?;
        self.progress.written.set(position);
        if let Some((_, range)) = place {
            self.bytes[range].fill(byte);
        }
        Ok(())
    }

    /// Masks what is NaN in the field at a position, as [`mask_nan`] does. Nothing happens unless batches carry both.
    pub(crate) fn mask_nan(&mut self, field: usize, mask: usize) -> Result<(), Error> {
        let (position, rows) = self.place(field)?;
        let (Some((_, rows)), (_, Some((_, has)))) = (rows, self.place(mask)?) else { return Ok(()) };
        let of = &self.layout.schema().fields()[position];
        match self.bytes.get_disjoint_mut([rows, has]).is_ok_and(|[rows, has]| !mask_nan(of, rows, has)) {
            true => Err(SlotError::Nan { field: of.name.clone() }.into()),
            false => Ok(()),
        }
    }

    /// Writes the first value of a mask, which says whether the graph has a field, for all columns of the field.
    pub(crate) fn spread(&mut self, mask: usize) -> Result<(), Error> {
        if let (_, Some((_, range))) = self.place(mask)? {
            let first = self.bytes[range.start];
            self.bytes[range].fill(first);
        }
        Ok(())
    }
}
