//! [`Place`]: where in a file something is.

use crate::FormatError;
use std::path::Path;

/// Where in a file something is: `alloys.db, row 17`.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) path: &'a Path,
    /// What the number counts.
    pub(crate) unit: &'static str,
    pub(crate) number: u64,
}

impl Place<'_> {
    /// An error at this place; `part` says where in it and may be empty.
    pub(crate) fn wrong(&self, part: &str, expected: impl Into<String>, found: impl Into<String>) -> FormatError {
        let comma = if part.is_empty() { "" } else { ", " };
        FormatError::wrong(self.path, format!("{} {}{comma}{part}", self.unit, self.number), expected, found)
    }
}
