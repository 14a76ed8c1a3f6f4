//! The words of [`Oversize`] and [`Padding`]: how messages and the Python package call their values.

use super::{Oversize, Padding};
use std::fmt;

impl Oversize {
    /// Each value and its word in messages and in Python.
    pub const WORDS: &[(&str, Self)] =
        &[("error", Self::Error), ("skip", Self::Skip), ("alone", Self::Alone), ("trim", Self::Trim)];
}

impl Padding {
    /// Each value and its word in messages and in Python.
    pub const WORDS: &[(&str, Self)] = &[
        ("self_loops", Self::SelfLoops),
        ("two_nodes", Self::TwoNodes),
        ("apart", Self::Apart),
        ("jraph", Self::Jraph),
    ];
}

/// Writes the word in `words` for `value`.
fn write_word<T: PartialEq>(f: &mut fmt::Formatter<'_>, words: &[(&str, T)], value: &T) -> fmt::Result {
    let named = words.iter().find(|(_, other)| other == value);
    f.write_str(named.map_or("", |(word, _)| word))
}

/// Writes the option as errors name it.
impl fmt::Display for Oversize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_word(f, Self::WORDS, self)
    }
}

/// Writes the option as errors name it.
impl fmt::Display for Padding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_word(f, Self::WORDS, self)
    }
}
