//! Arrays and objects as ASE's SQLite databases hold them: bytes of NumPy, little-endian.

use super::json::{self, JsonError};
use super::{Numbers, Value};
use crate::{ArrayType, Values};

/// The numbers in a blob of a type; `None` unless its length is that of the shape.
pub(crate) fn array(bytes: &[u8], dtype: &str, shape: &[usize]) -> Option<Value> {
    let element = ArrayType::from_name(dtype).filter(|element| element.bytes_of(shape) == Some(bytes.len()))?;
    let values = Values::from_bytes(element, bytes)?;
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

#[cfg(test)]
mod tests {
    use super::{array, object};
    use crate::Values;
    use crate::atoms::{Numbers, Value};

    #[test]
    fn whatever_the_bytes_are_they_become_numbers_or_nothing() {
        let json = "{\"q\": {\"__ndarray__\": [[2], \"float32\", 8]}, \"n\": [1, 2.5], \"text\": \"\\u00e9\"}";
        let sound = [&16_i64.to_le_bytes()[..], &[0, 0, 192, 63, 0, 0, 32, 192], json.as_bytes()].concat();
        let Ok(Value::Object(entries)) = object(&sound) else { panic!("an object") };
        let q = Numbers { shape: vec![2], values: Values::F64(vec![1.5, -2.5]) };
        assert_eq!(entries[0], ("q".to_owned(), Value::Numbers(q)));
        for at in 0..sound.len() {
            let _ = object(&sound[..at]);
            for byte in 0..=255 {
                let mut bytes = sound.clone();
                bytes[at] = byte;
                let _ = object(&bytes);
            }
        }
        let shape = |bytes: usize, shape: &[usize]| array(&vec![0; bytes], "float64", shape).is_some();
        assert_eq!([shape(48, &[2, 3]), shape(47, &[2, 3]), shape(49, &[2, 3])], [true, false, false]);
        assert!(!shape(8, &[usize::MAX, 3]) && !shape(0, &[usize::MAX / 4]) && shape(0, &[0, 3]));
    }
}
