//! Arrays and objects as ASE's SQLite databases hold them: bytes of NumPy, little-endian.

use super::json::{self, JsonError, from_bytes};
use super::{Numbers, Value};

/// The numbers in a blob of a type; `None` unless its length is that of the shape.
pub(crate) fn array(bytes: &[u8], dtype: &str, shape: &[usize]) -> Option<Value> {
    let count = shape.iter().try_fold(1, |count: usize, &n| count.checked_mul(n))?;
    let size = if dtype == "int32" { 4 } else { 8 };
    let values = from_bytes(dtype, bytes, count).filter(|_| count.checked_mul(size) == Some(bytes.len()))?;
    Some(Value::Numbers(Numbers { shape: shape.to_vec(), values }))
}

/// An object as ASE writes it since version 9: where its JSON begins (int64), bytes of its arrays, and JSON, which
/// says where each array begins.
pub(crate) fn object(bytes: &[u8]) -> Result<Value, JsonError> {
    let wrong = || JsonError { at: 0, expected: "a number that says where JSON begins" };
    let start = bytes.first_chunk().map(|&start| i64::from_le_bytes(start)).ok_or_else(wrong)?;
    let text = usize::try_from(start).ok().and_then(|start| bytes.get(start..)).ok_or_else(wrong)?;
    json::parse(text, Some(bytes))
}
