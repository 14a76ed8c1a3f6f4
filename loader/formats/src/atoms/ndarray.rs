//! [`ndarray`]: arrays of NumPy as ASE encodes them.

use super::{Numbers, Value};
use crate::Values;

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
            from_bytes(dtype, blob.get(usize::try_from(offset[0]).ok()?..)?, count)?
        }
        (values, _) => std::mem::replace(values, Values::Bool(vec![])),
    };
    (values.len() == count).then_some(Numbers { shape, values })
}

/// The first numbers of a type in bytes, little-endian; none if they are fewer, or are other than numbers.
pub(crate) fn from_bytes(dtype: &str, bytes: &[u8], count: usize) -> Option<Values> {
    fn take<const N: usize, T>(bytes: &[u8], count: usize, convert: impl Fn([u8; N]) -> T) -> Option<Vec<T>> {
        let bytes = bytes.get(..count.checked_mul(N)?)?;
        Some(bytes.as_chunks().0.iter().map(|&chunk| convert(chunk)).collect())
    }
    Some(match dtype {
        "float64" => Values::F64(take(bytes, count, f64::from_le_bytes)?),
        "float32" => Values::F64(take(bytes, count, |chunk| f32::from_le_bytes(chunk).into())?),
        "int64" => Values::I64(take(bytes, count, i64::from_le_bytes)?),
        "int32" => Values::I64(take(bytes, count, |chunk| i32::from_le_bytes(chunk).into())?),
        "int16" => Values::I64(take(bytes, count, |chunk| i16::from_le_bytes(chunk).into())?),
        "int8" => Values::I64(take(bytes, count, |chunk| i8::from_le_bytes(chunk).into())?),
        "uint8" => Values::I64(take(bytes, count, |chunk| u8::from_le_bytes(chunk).into())?),
        "uint16" => Values::I64(take(bytes, count, |chunk| u16::from_le_bytes(chunk).into())?),
        "uint32" => Values::I64(take(bytes, count, |chunk| u32::from_le_bytes(chunk).into())?),
        "bool" => Values::Bool(take(bytes, count, |[byte]: [u8; 1]| byte != 0)?),
        _ => return None,
    })
}
