//! [`Lines`]: a text file, of which one line is in memory. Of a comment: [`pairs`], its keys and values; [`value`], what a
//! value says; [`number`], as programs write numbers.

use crate::atoms::{Place, Value, float, json, quoted};
use crate::common::Values;
use crate::{ReadError, compressed};
use graphpack_loader::Error;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A key and its value; none where it stands alone.
pub(super) type Pair = (String, Option<String>);

/// Splits a comment as ASE's `key_val_str_to_dict` does, except that a value of two quotes is empty.
pub(super) fn pairs(comment: &str) -> Vec<Pair> {
    let mut split = Split::default();
    let (mut closing, mut escaped) = (None, false);
    for letter in comment.trim().chars() {
        match letter {
            _ if escaped => {
                escaped = false;
                split.push(letter);
            }
            '\\' => escaped = true,
            _ if closing == Some(letter) => closing = None,
            _ if closing.is_some() => split.push(letter),
            '\'' | '"' | '{' | '[' => {
                split.quoted = true;
                closing = Some(match letter {
                    '{' => '}',
                    '[' => ']',
                    quote => quote,
                });
            }
            _ if letter.is_whitespace() => split.blank(),
            '=' => split.equals(),
            _ => split.push(letter),
        }
    }
    split.finish();
    split.pairs
}

/// Pairs, of which the last is not complete.
#[derive(Default)]
struct Split {
    pairs: Vec<Pair>,
    key: String,
    value: Option<String>,
    /// Whether a quote stands in the part that is read, which may then be empty.
    quoted: bool,
}

impl Split {
    fn push(&mut self, letter: char) {
        self.value.as_mut().unwrap_or(&mut self.key).push(letter);
    }

    fn blank(&mut self) {
        // Blanks after `=` stand before the value.
        if self.quoted || self.value.as_ref().is_none_or(|value| !value.is_empty()) {
            self.finish();
        }
    }

    fn equals(&mut self) {
        if self.key.is_empty() && self.value.is_none() {
            // Blanks before `=`: it belongs to the pair before.
            (self.key, self.value) = self.pairs.pop().unwrap_or_default();
        }
        self.quoted = false;
        match &mut self.value {
            Some(value) => value.push('='),
            None => self.value = Some(String::new()),
        }
    }

    fn finish(&mut self) {
        let key = std::mem::take(&mut self.key);
        if !key.is_empty() {
            self.pairs.push((key, self.value.take()));
        }
        (self.value, self.quoted) = (None, false);
    }
}

/// What a value says: integers, else numbers, else truth values, else a list in JSON after `_JSON`, else text. Integers
/// of which one is beyond int64 are text: floating point numbers would round it.
pub(super) fn value(text: &str) -> Value {
    let words = || text.split(|letter: char| letter.is_whitespace() || letter == ',').filter(|word| !word.is_empty());
    let integers = || words().map(|word| word.parse().ok()).collect::<Option<Vec<i64>>>().map(Values::I64);
    let is_whole = |word: &str| word.strip_prefix(['+', '-']).unwrap_or(word).bytes().all(|byte| byte.is_ascii_digit());
    let floats = || words().map(|word| number(word.as_bytes())).collect::<Option<Vec<f64>>>().map(Values::F64);
    let logicals = || words().map(|word| logical(word.as_bytes())).collect::<Option<Vec<bool>>>().map(Values::Bool);
    let integers = integers();
    if integers.is_none() && words().all(is_whole) {
        return Value::Text(text.to_owned());
    }
    if let Some(values) = integers.or_else(floats).or_else(logicals) {
        return Value::list(values);
    }
    match text.strip_prefix("_JSON ").map(|json| json::parse(json.as_bytes(), None)) {
        Some(Ok(value)) => value,
        _ => Value::Text(text.to_owned()),
    }
}

/// A number as most programs write it, or as Fortran does, `-1.2D-06`, or Mathematica, `1.2*^-6`.
pub(super) fn number(text: &[u8]) -> Option<f64> {
    float(text).or_else(|| {
        let at = text.iter().position(|byte| matches!(byte, b'd' | b'D' | b'*'))?;
        let exponent = match &text[at..] {
            [b'*', b'^', exponent @ ..] => exponent,
            // Fortran's numbers have a point, which tells them from words such as `3D2`.
            [b'd' | b'D', exponent @ ..] if text[..at].contains(&b'.') => exponent,
            _ => return None,
        };
        float(&[&text[..at], b"e", exponent].concat())
    })
}

/// True or false as ASE writes and reads it.
pub(super) fn logical(word: &[u8]) -> Option<bool> {
    match word {
        b"T" | b"true" | b"True" | b"TRUE" => Some(true),
        b"F" | b"false" | b"False" | b"FALSE" => Some(false),
        _ => None,
    }
}

/// The longest line that is read.
const LONGEST: u64 = 1 << 26;

/// A text file, of which one line is in memory.
pub(super) struct Lines {
    pub(super) path: PathBuf,
    reader: BufReader<Box<dyn Read + Send>>,
    bytes_read: Arc<AtomicU64>,
    /// The number of the line, from 1.
    pub(super) number: u64,
    text: Vec<u8>,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let (reader, bytes_read) = compressed::open_counted(path)?;
        let reader = BufReader::with_capacity(1 << 17, reader);
        Ok(Self { path: path.to_owned(), reader, bytes_read, number: 0, text: Vec::new() })
    }

    /// Goes to the next line; returns false if there is none.
    pub(super) fn advance(&mut self) -> Result<bool, Error> {
        self.text.clear();
        self.number += 1;
        let read = (&mut self.reader).take(LONGEST).read_until(b'\n', &mut self.text);
        let read = read.map_err(|source| ReadError::at(&self.path, self.number, source))?;
        if read as u64 == LONGEST {
            return Err(self.place().wrong("", "a line of at most 64 MiB", "a longer one"));
        }
        if self.number == 1 && self.text.starts_with(b"\xef\xbb\xbf") {
            self.text.drain(..3);
        }
        Ok(read > 0)
    }

    /// Goes on to the first line that `is` so, from line `first` on. Returns whether there is one; the line where it
    /// stands may be that.
    pub(super) fn find(&mut self, first: u64, is: impl Fn(&[u8]) -> bool) -> Result<bool, Error> {
        while self.number < first || !is(self.text()) {
            if !self.advance()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The line, without blanks at its ends.
    pub(super) fn text(&self) -> &[u8] {
        self.text.trim_ascii()
    }

    pub(super) fn place(&self) -> Place<'_> {
        Place { path: &self.path, unit: "line", number: Some(self.number) }
    }

    /// The line is not what it must be.
    pub(super) fn wrong(&self, expected: impl Into<String>) -> Error {
        self.place().wrong("", expected, quoted(self.text()))
    }

    /// Bytes of the file read so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::{pairs, value};
    use crate::atoms::Value;
    use crate::common::Values;

    #[test]
    fn comments_are_split_as_ase_does() {
        let split = |comment: &str| {
            let pair = |(key, value): &(String, Option<String>)| match value {
                Some(value) => format!("{key}={value}"),
                None => key.clone(),
            };
            pairs(comment).iter().map(pair).collect::<Vec<_>>().join("|")
        };
        for (comment, expected) in [
            ("Energy = -76.4 x=1", "Energy=-76.4|x=1"),
            ("a= 1 b =2 c", "a=1|b=2|c"),
            ("key=\"a b\"c d", "key=a bc|d"),
            ("x={1 2 3} y=[1,2,3]", "x=1 2 3|y=1,2,3"),
            ("a='1 2' b", "a=1 2|b"),
            ("\"a b\"=3", "a b=3"),
            ("a=1=2", "a=1=2"),
            ("a=[[1,2],[3,4]] b=1", "a=[1,2,3,4]|b=1"),
            ("a=\"x\\\"y\" b='{\"'", "a=x\"y|b={\""),
            // ASE takes `b=2` for the value of `a`.
            ("a=\"\" b=2", "a=|b=2"),
            ("=3 a", "a"),
            ("a=\"never closed", "a=never closed"),
            ("", ""),
        ] {
            assert_eq!(split(comment), expected, "{comment}");
        }
    }

    #[test]
    fn values_are_integers_numbers_truth_or_text() {
        assert_eq!(value("1 -2"), Value::list(Values::I64(vec![1, -2])));
        assert_eq!(value("1,2.5"), Value::list(Values::F64(vec![1.0, 2.5])));
        assert_eq!(value("T F true"), Value::list(Values::Bool(vec![true, false, true])));
        assert_eq!(value("t"), Value::Text("t".into()));
        assert_eq!(value("[1,2,3,4]"), Value::Text("[1,2,3,4]".into()));
        let Value::Numbers(numbers) = value("_JSON [[1, 2], [3, 4.5]]") else { panic!("a list of numbers") };
        assert_eq!((&numbers.shape[..], numbers.values), (&[2, 2][..], Values::F64(vec![1., 2., 3., 4.5])));
        assert!(matches!(value("_JSON [[1, 2], [3]]"), Value::List(_)));
        for digits in ["99999999999999999999", "1 -9223372036854775809"] {
            assert_eq!(value(digits), Value::Text(digits.into()));
        }
        assert_eq!(value("99999999999999999999 0.5"), Value::list(Values::F64(vec![1e20, 0.5])));
        let numbers = value("-1.5D+02 .25d0 7.D-1 1.2*^-6 3");
        assert_eq!(numbers, Value::list(Values::F64(vec![-150.0, 0.25, 0.7, 1.2e-6, 3.0])));
        for word in ["3D2", "1.5D", "D+02", "1.5D+", "1.5*2", "H.D1"] {
            assert_eq!(value(word), Value::Text(word.into()));
        }
    }
}
