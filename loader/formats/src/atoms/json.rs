//! JSON as Python writes it: with `NaN` and `Infinity`, and with arrays of NumPy as ASE encodes them. [`array_of_blob`]
//! and
//! [`object_of_blob`] are such values as ASE's SQLite databases hold them: bytes of NumPy, little-endian. [`float`]:
//! numbers in text.

use super::value::{List, Scalar, ndarray};
use super::{Numbers, Value};
use crate::ArrayType;
use crate::common::Values;

/// How deep lists and objects may lie in each other.
const DEPTH: usize = 64;

/// A text that is not JSON.
#[derive(Debug, PartialEq)]
pub(crate) struct JsonError {
    /// The byte, from 0.
    pub(crate) at: usize,
    pub(crate) expected: &'static str,
}

/// Parses a text. `{"__ndarray__": [shape, type, numbers]}` becomes numbers; the third entry may be an offset into
/// `blob` instead, as in ASE's binary data. Numbers are rounded to the nearest float64; integers beyond int64 are text.
pub(crate) fn parse(text: &[u8], blob: Option<&[u8]>) -> Result<Value, JsonError> {
    let mut parser = Parser { text, at: 0, blob };
    let value = parser.value(0)?;
    parser.blanks();
    if parser.at < text.len() { Err(parser.wrong("the end")) } else { Ok(value) }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    blob: Option<&'a [u8]>,
}

impl Parser<'_> {
    fn wrong(&self, expected: &'static str) -> JsonError {
        JsonError { at: self.at, expected }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Takes a byte if it comes next, after blanks.
    fn take(&mut self, byte: u8) -> bool {
        self.blanks();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.blanks();
        if depth > DEPTH {
            return Err(self.wrong("at most 64 lists and objects in each other"));
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(Value::Text(self.string()?)),
            _ => {
                let start = self.at;
                let word = self.word();
                if word == b"null" {
                    return Ok(Value::Null);
                }
                match scalar(word) {
                    Some(scalar) => Ok(scalar.into()),
                    None if is_integer(word) => Ok(Value::Text(String::from_utf8_lossy(word).into_owned())),
                    None => Err(JsonError { at: start, expected: "a value of JSON" }),
                }
            }
        }
    }

    /// Takes letters and what numbers are made of.
    fn word(&mut self) -> &[u8] {
        let start = self.at;
        while let Some(b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z') = self.peek() {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn object(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.at += 1;
        let mut entries = Vec::new();
        if self.take(b'}') {
            return Ok(Value::Object(entries));
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a name in quotes"));
            }
            let name = self.string()?;
            if !self.take(b':') {
                return Err(self.wrong("a colon"));
            }
            entries.push((name, self.value(depth + 1)?));
            if self.take(b'}') {
                break;
            }
            if !self.take(b',') {
                return Err(self.wrong("a comma or the end of an object"));
            }
        }
        if let [(name, Value::List(parts))] = &mut entries[..]
            && name == "__ndarray__"
            && let Some(numbers) = ndarray(parts, self.blob)
        {
            return Ok(Value::Numbers(numbers));
        }
        Ok(Value::Object(entries))
    }

    fn list(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.at += 1;
        let mut list = List::default();
        if self.take(b']') {
            return Ok(Value::Numbers(Numbers::list(Values::F64(vec![]))));
        }
        loop {
            self.blanks();
            let start = self.at;
            match scalar(self.word()) {
                Some(scalar) => list.push_scalar(scalar),
                None => {
                    self.at = start;
                    list.push(self.value(depth + 1)?);
                }
            }
            if self.take(b']') {
                return Ok(list.finish());
            }
            if !self.take(b',') {
                return Err(self.wrong("a comma or the end of a list"));
            }
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'));
            let Some(plain) = plain else { return Err(self.wrong("the end of a string")) };
            bytes.extend_from_slice(&rest[..plain]);
            self.at += plain + 1;
            if rest[plain] == b'"' {
                break;
            }
            let escaped = self.peek();
            self.at += 1;
            match escaped {
                Some(b'n') => bytes.push(b'\n'),
                Some(b't') => bytes.push(b'\t'),
                Some(b'r') => bytes.push(b'\r'),
                Some(b'b') => bytes.push(8),
                Some(b'f') => bytes.push(12),
                Some(byte @ (b'"' | b'\\' | b'/')) => bytes.push(byte),
                Some(b'u') => {
                    let letter = self.letter()?;
                    bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => return Err(self.wrong("an escaped letter")),
            }
        }
        String::from_utf8(bytes).map_err(|_| self.wrong("a string in UTF-8"))
    }

    /// The letter whose four hexadecimal digits come next, or eight in two halves.
    fn letter(&mut self) -> Result<char, JsonError> {
        let first = self.unit()?;
        if !(0xd800..0xdc00).contains(&first) || !self.text[self.at..].starts_with(b"\\u") {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        self.at += 2;
        let second = self.unit()?;
        let letter = (0xdc00..0xe000).contains(&second).then(|| 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
        Ok(letter.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn unit(&mut self) -> Result<u32, JsonError> {
        let digits = self.text.get(self.at..self.at + 4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let unit = digits.and_then(|digits| u32::from_str_radix(str::from_utf8(digits).ok()?, 16).ok());
        let unit = unit.ok_or_else(|| self.wrong("four hexadecimal digits"))?;
        self.at += 4;
        Ok(unit)
    }
}

fn is_integer(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// A number, true or false. An integer beyond int64 is none.
fn scalar(word: &[u8]) -> Option<Scalar> {
    Some(match word {
        b"true" => Scalar::Bool(true),
        b"false" => Scalar::Bool(false),
        b"NaN" => Scalar::Float(f64::NAN),
        b"Infinity" => Scalar::Float(f64::INFINITY),
        b"-Infinity" => Scalar::Float(f64::NEG_INFINITY),
        [b'0'..=b'9', ..] | [b'-', b'0'..=b'9', ..] => {
            if is_integer(word) {
                Scalar::Integer(str::from_utf8(word).ok()?.parse().ok()?)
            } else {
                Scalar::Float(float(word)?)
            }
        }
        _ => return None,
    })
}

/// Powers of ten that are exact.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Returns the nearest number, as `str::parse` does, but faster where digits and power of ten are exact: one division
/// or multiplication rounds once.
pub(crate) fn float(text: &[u8]) -> Option<f64> {
    exact(text).or_else(|| str::from_utf8(text).ok()?.parse().ok())
}

fn exact(text: &[u8]) -> Option<f64> {
    let (negative, mut rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let (mut digits, mut mantissa, mut power) = (0, 0_u64, 0_i32);
    let mut point = false;
    while let [byte, after @ ..] = rest {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                digits += 1;
                power -= i32::from(point);
            }
            b'.' if !point => point = true,
            _ => break,
        }
        rest = after;
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent: i32 = str::from_utf8(exponent).ok()?.parse().ok()?;
        power = power.checked_add(exponent)?;
        rest = &[];
    }
    // 18 digits do not overflow.
    if !rest.is_empty() || !(1..=18).contains(&digits) || mantissa > 1 << 53 {
        return None;
    }
    let scale = *POWERS.get(power.unsigned_abs() as usize)?;
    let value = if power < 0 { mantissa as f64 / scale } else { mantissa as f64 * scale };
    Some(if negative { -value } else { value })
}

/// The numbers in a blob of a type; `None` unless its length is that of the shape.
pub(crate) fn array_of_blob(bytes: &[u8], dtype: &str, shape: &[usize]) -> Option<Value> {
    let element = ArrayType::from_name(dtype).filter(|element| element.bytes_of(shape) == Some(bytes.len()))?;
    let values = Values::from_bytes(element, bytes)?;
    Some(Value::Numbers(Numbers { shape: shape.to_vec(), values }))
}

/// An object as ASE writes it since version 9: where its JSON begins (int64), bytes of its arrays, and JSON, which
/// says where each array begins.
pub(crate) fn object_of_blob(bytes: &[u8]) -> Result<Value, JsonError> {
    let wrong = || JsonError { at: 0, expected: "a number that says where JSON begins" };
    let start = bytes.first_chunk().map(|&start| i64::from_le_bytes(start)).ok_or_else(wrong)?;
    let text = usize::try_from(start).ok().and_then(|start| bytes.get(start..)).ok_or_else(wrong)?;
    parse(text, Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::{JsonError, array_of_blob, float, object_of_blob, parse};
    use crate::atoms::{Numbers, Value};
    use crate::common::Values;

    fn numbers(shape: &[usize], values: Values) -> Value {
        Value::Numbers(Numbers { shape: shape.to_vec(), values })
    }

    #[test]
    fn lists_of_one_shape_are_numbers() {
        let is = |text: &str, expected: Value| assert_eq!(parse(text.as_bytes(), None), Ok(expected), "{text}");
        is(" [ [1 , 2], [3, 4.5] ] ", numbers(&[2, 2], Values::F64(vec![1.0, 2.0, 3.0, 4.5])));
        is("[[0.5], [1]]", numbers(&[2, 1], Values::F64(vec![0.5, 1.0])));
        is("[1, -2]", numbers(&[2], Values::I64(vec![1, -2])));
        is("[true, false]", numbers(&[2], Values::Bool(vec![true, false])));
        is("[]", numbers(&[0], Values::F64(vec![])));
        is("[1, null]", Value::List(vec![Value::integer(1), Value::Null]));
        is("[1, 2, \"a\"]", Value::List(vec![Value::integer(1), Value::integer(2), Value::Text("a".into())]));
        let rows = [numbers(&[2], Values::I64(vec![1, 2])), numbers(&[1], Values::I64(vec![3]))];
        is("[[1, 2], [3]]", Value::List(rows.into()));
        is("[1, true]", Value::List(vec![Value::integer(1), Value::bool(true)]));
        is("99999999999999999999", Value::Text("99999999999999999999".into()));
        let beyond = Value::Text("-9223372036854775809".into());
        is("[1, -9223372036854775809]", Value::List(vec![Value::integer(1), beyond]));
        is("{\"a\\u00e9\\n\": {}}", Value::Object(vec![("a\u{e9}\n".into(), Value::Object(vec![]))]));
        is("{\"__ndarray__\": [[], \"float64\", [2.5]]}", numbers(&[], Values::F64(vec![2.5])));
        is("{\"__ndarray__\": [[0, 3], \"float64\", []]}", numbers(&[0, 3], Values::F64(vec![])));
        let complex = parse(b"{\"__ndarray__\": [[2], \"<U1\", [\"a\", \"b\"]]}", None).unwrap();
        assert!(matches!(complex, Value::Object(_)));
    }

    #[test]
    fn bytes_of_arrays_are_numbers_if_they_are_there() {
        let blob = [0, 0, 1, 0, 255, 255, 7];
        let of = |text: &str| parse(text.as_bytes(), Some(&blob)).unwrap();
        let found = of("{\"__ndarray__\": [[1, 2], \"int16\", 2]}");
        assert_eq!(found, numbers(&[1, 2], Values::I64(vec![1, -1])));
        assert_eq!(of("{\"__ndarray__\": [[2], \"bool\", 5]}"), numbers(&[2], Values::Bool(vec![true, true])));
        for parts in [
            "[2], \"int32\", 0",
            "[9223372036854775807, 9], \"int8\", 0",
            "[1], \"int8\", -1",
            "[1], \"complex128\", 0",
        ] {
            assert!(matches!(of(&format!("{{\"__ndarray__\": [{parts}]}}")), Value::Object(_)), "{parts}");
        }
    }

    #[test]
    fn what_is_not_json_is_refused_at_its_byte() {
        for (text, at) in
            [("", 0), ("[1,]", 3), ("[1 2]", 3), ("{\"a\":1", 6), ("{a:1}", 1), ("nul", 0), ("1 2", 2), ("\"a", 1)]
        {
            assert_eq!(parse(text.as_bytes(), None).map_err(|JsonError { at, .. }| at), Err(at), "{text}");
        }
        assert!(parse(b"\"\xff\"", None).is_err() && parse(b"\"\\u12\"", None).is_err());
        assert_eq!(parse(b"\"\\ud83d\\ude00\\ud83d\"", None), Ok(Value::Text("\u{1f600}\u{fffd}".into())));
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        let texts = "0 -0 1 -0.11553411 1.682666087605936 7.849455883459841 123456789012345678 9007199254740993 1e22 \
                     1e23 -1.5E-7 1e-22 1e-23 0.000000000000000000001 \
                     99999999999999999999 5e-324 1e400 .5 5. +2 inf nan \
                     179769313486231570000e280 1.e3 0e0 00012.50";
        for text in texts.split_whitespace() {
            let expected: f64 = text.parse().unwrap();
            let found = float(text.as_bytes()).unwrap();
            assert_eq!(found.to_bits(), expected.to_bits(), "{text}");
        }
        for text in ["", "-", ".", "1..2", "1e", "1e+", "--1", "1 ", "0x1", "1e99999999999", "1_0", "e5", "1d3"] {
            assert_eq!(float(text.as_bytes()), text.parse().ok(), "{text}");
        }
    }

    #[test]
    fn whatever_the_bytes_are_they_become_numbers_or_nothing() {
        let json = "{\"q\": {\"__ndarray__\": [[2], \"float32\", 8]}, \"n\": [1, 2.5], \"text\": \"\\u00e9\"}";
        let sound = [&16_i64.to_le_bytes()[..], &[0, 0, 192, 63, 0, 0, 32, 192], json.as_bytes()].concat();
        let Ok(Value::Object(entries)) = object_of_blob(&sound) else { panic!("an object") };
        let q = Numbers { shape: vec![2], values: Values::F64(vec![1.5, -2.5]) };
        assert_eq!(entries[0], ("q".to_owned(), Value::Numbers(q)));
        for at in 0..sound.len() {
            let _ = object_of_blob(&sound[..at]);
            for byte in 0..=255 {
                let mut bytes = sound.clone();
                bytes[at] = byte;
                let _ = object_of_blob(&bytes);
            }
        }
        let shape = |bytes: usize, shape: &[usize]| array_of_blob(&vec![0; bytes], "float64", shape).is_some();
        assert_eq!([shape(48, &[2, 3]), shape(47, &[2, 3]), shape(49, &[2, 3])], [true, false, false]);
        assert!(!shape(8, &[usize::MAX, 3]) && !shape(0, &[usize::MAX / 4]) && shape(0, &[0, 3]));
    }
}
