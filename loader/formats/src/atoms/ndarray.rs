//! [`ndarray`]: arrays of NumPy as ASE encodes them.

use super::{Numbers, Value};
use crate::{ArrayType, Values};

/// The array that ASE writes as these parts: shape, type, and the numbers or their place in `blob`.
pub(super) fn ndarray(parts: &mut [Value], blob: Option<&[u8]>) -> Option<Numbers> {
    let [shape, Value::Text(dtype), contents] = parts else { return None };
    let shape = match &shape.numbers()?.values {
        Values::I64(shape) => shape.iter().map(|&n| usize::try_from(n).ok()).collect::<Option<Vec<_>>>()?,
        // The empty list, which is the shape of one number.
        values => values.is_empty().then(Vec::new)?,
    };
    let count = shape.iter().try_fold(1, |count: usize, &n| count.checked_mul(n))?;
    let Value::Numbers(contents) = contents else { return None };
    let values = match (&mut contents.values, blob) {
        (Values::I64(offset), Some(blob)) if contents.shape.is_empty() => {
            let element = ArrayType::from_name(dtype)?;
            let bytes = blob.get(usize::try_from(offset[0]).ok()?..)?.get(..element.bytes_of(&shape)?)?;
            Values::from_bytes(element, bytes)?
        }
        (values, _) => std::mem::replace(values, Values::Bool(vec![])),
    };
    (values.len() == count).then_some(Numbers { shape, values })
}
