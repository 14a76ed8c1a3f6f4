//! QM9's original files: a comment of 15 properties, atoms with their charges, and three more lines.

use super::comment::number;
use super::lines::Lines;
use crate::FormatError;
use std::borrow::Cow;

/// The properties in the order of the comment, after `gdb` and the number of the molecule.
pub(super) const PROPERTIES: [&str; 15] =
    ["A", "B", "C", "mu", "alpha", "homo", "lumo", "gap", "r2", "zpve", "u0", "u", "h", "g", "cv"];

/// The name and the properties in a comment such as `gdb 1 157.7118 ...`; `None` if it is another.
pub(super) fn properties(lines: &Lines) -> Option<Result<(String, [f64; 15]), FormatError>> {
    let mut words = lines.text().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let number_of = words.by_ref().take(2).collect::<Vec<_>>();
    let [b"gdb" | b"gdb9", molecule] = number_of[..] else { return None };
    let numbers: Vec<_> = words.map(|word| number(word).filter(|number| number.is_finite())).collect();
    // Other files may have the name alone.
    numbers.first().copied()??;
    let properties = numbers.iter().copied().collect::<Option<Vec<f64>>>().and_then(|all| all.try_into().ok());
    let name = format!("gdb {}", String::from_utf8_lossy(molecule));
    Some(properties.map(|properties| (name, properties)).ok_or_else(|| lines.wrong("gdb, a number and 15 properties")))
}

/// Passes over the lines of frequencies, SMILES and InChI.
pub(super) fn pass_tail(lines: &mut Lines) -> Result<(), FormatError> {
    fn words(lines: &Lines) -> impl Iterator<Item = Cow<'_, str>> {
        lines.text().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(String::from_utf8_lossy)
    }
    let expected = ["QM9's line of frequencies", "QM9's line of two SMILES", "QM9's line of two InChI"];
    for (part, expected) in expected.into_iter().enumerate() {
        let more = lines.advance()?;
        let is_right = match part {
            0 => words(lines).all(|word| number(word.as_bytes()).is_some()),
            1 => words(lines).count() == 2,
            _ => words(lines).all(|word| word.starts_with("InChI=")),
        };
        if !more || !is_right {
            return Err(lines.wrong(expected));
        }
    }
    Ok(())
}
