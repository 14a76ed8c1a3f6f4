//! Values that a graph lacks: NaN becomes 0 where `has_NAME` says so.

use super::{Dtype, Field, Level, Slot, SlotError};
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

/// Makes what a graph lacks of a field 0, and false in its mask: in `rows`, the graph's rows, each NaN of a field of
/// graphs, and in other fields all values if all are NaN. `mask` is of the graph or of each column. Returns false,
/// without a change, if only some columns are NaN and the mask is of the graph.
pub(crate) fn mask_nan(field: &Field, rows: &mut [u8], mask: &mut [u8]) -> bool {
    let is_nan = |element: &[u8]| has_nan(field.dtype, element);
    let (size, of_graph) = (field.dtype.bytes(), field.level == Level::Graph);
    // Most are no NaN; of other sets, the first value tells.
    let read = if of_graph { rows.len() } else { size.min(rows.len()) };
    if !is_nan(&rows[..read]) {
        return true;
    }
    if of_graph && mask.len() * size == rows.len() {
        for (element, has) in rows.chunks_exact_mut(size).zip(mask).filter(|(element, _)| is_nan(element)) {
            element.fill(0);
            *has = 0;
        }
    } else if rows.chunks_exact(size).all(is_nan) {
        rows.fill(0);
        mask.fill(0);
    } else {
        return !of_graph;
    }
    true
}

impl Slot<'_> {
    /// Sets all bytes of a field: to 0, or to 1 for true.
    pub(crate) fn fill(&mut self, field: usize, byte: u8) -> Result<(), Error> {
        let (position, place) = self.place(field)?;
        self.written.set(position);
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
