//! [`Place`]: where in a file something is.

use crate::FormatError;
use std::fmt;
use std::path::Path;

/// Where in a file something is: `alloys.db, row 17`, `mace.h5, /config_batch_0/config_7`.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) path: &'a Path,
    /// What the number counts, or the whole place.
    pub(crate) unit: &'a str,
    pub(crate) number: Option<u64>,
}

impl Place<'_> {
    /// An error at this place; `part` says where in it and may be empty.
    pub(crate) fn wrong(&self, part: &str, expected: impl Into<String>, found: impl Into<String>) -> FormatError {
        let comma = if part.is_empty() { "" } else { ", " };
        FormatError::wrong(self.path, format!("{self}{comma}{part}"), expected, found)
    }
}

/// Writes the place without the file.
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            Some(number) => write!(f, "{} {number}", self.unit),
            None => f.write_str(self.unit),
        }
    }
}
