//! [`Json`]: values whose keys keep their order, written as Python's `json.dump(..., indent=4)` writes them.

use serde::{Serialize, Serializer};
use serde_json::ser::{Formatter, PrettyFormatter};
use std::io::{self, Write};

/// A value.
pub(super) enum Json {
    Text(String),
    Number(i64),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(super) fn write(&self, to: impl Write) -> io::Result<()> {
        let python = Python(PrettyFormatter::with_indent(b"    "));
        self.serialize(&mut serde_json::Serializer::with_formatter(to, python)).map_err(io::Error::from)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(number) => serializer.serialize_i64(*number),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(entries) => serializer.collect_map(entries.iter().map(|(key, value)| (key, value))),
        }
    }
}

/// Formats as [`PrettyFormatter`] does, but escapes characters beyond ASCII as Python does.
struct Python(PrettyFormatter<'static>);

impl Formatter for Python {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        for character in fragment.chars() {
            if matches!(character, ' '..='~') {
                write!(writer, "{character}")?;
            } else {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            }
        }
        Ok(())
    }

    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn text_is_what_python_writes() {
        let text = |text: &str| Json::Text(text.into());
        let value = Json::Object(vec![
            ("b".into(), Json::List(vec![Json::Number(-1), text("ü😀\"\\\n\u{7f}\u{1}")])),
            ("a".into(), Json::List(Vec::new())),
            ("".into(), Json::Object(Vec::new())),
        ]);
        let mut written = Vec::new();
        value.write(&mut written).expect("memory takes it");
        // print(json.dumps({"b": [-1, "ü😀\"\\\n\x7f\x01"], "a": [], "": {}}, indent=4))
        let expected = r#"{
    "b": [
        -1,
        "\u00fc\ud83d\ude00\"\\\n\u007f\u0001"
    ],
    "a": [],
    "": {}
}"#;
        assert_eq!(String::from_utf8_lossy(&written), expected);
    }
}
