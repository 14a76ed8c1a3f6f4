//! What is wrong with a file: [`ReadError`] if it cannot be read, [`FormatError`] if it is not as its format must be;
//! [`Place`]: where in it that is.

use graphpack_loader::FileError;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// A file that is not as its format must be.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A line of a csv file of numbers is not what it must be.
    #[error("{}, line {line}{problem}", .path.display())]
    Csv {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it: `: 3 cells, expected 2`.
        problem: String,
    },
    /// A store cannot be read or written.
    #[error(transparent)]
    Store(#[from] FileError),
    /// Graphs of it cannot be changed as a caller asked for.
    #[error("{}: {source}", .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Something in it is not what it must be.
    #[error("{}{}: expected {expected}, found {found}", .path.display(), comma(.place))]
    Wrong {
        /// The file.
        path: PathBuf,
        /// Where in it: `line 12`, `row 3, column forces`, `/config_batch_0/config_7`. Empty for the whole file.
        place: String,
        /// What must be there.
        expected: String,
        /// What is there.
        found: String,
    },
}

graphpack_core::debug_is_display!(FormatError);

impl FormatError {
    /// An error at a place of a file.
    pub fn wrong(
        path: impl Into<PathBuf>,
        place: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::Wrong { path: path.into(), place: place.into(), expected: expected.into(), found: found.into() }
    }
}

fn comma(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(", {place}") }
}

/// A text in quotes, its first part if it is long.
pub(crate) fn quoted(text: impl AsRef<[u8]>) -> String {
    let text = String::from_utf8_lossy(text.as_ref());
    match text.char_indices().nth(100) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// A file that cannot be read: it is not there, is damaged, ends too early.
#[derive(thiserror::Error)]
#[error("{}{}: {source}", .path.display(), .line.map(|line| format!(", line {line}")).unwrap_or_default())]
pub struct ReadError {
    /// The file.
    pub path: PathBuf,
    /// The line at which reading failed, from 1; none where the file could not be opened or has no lines.
    pub line: Option<u64>,
    /// Why.
    #[source]
    pub source: io::Error,
}

graphpack_core::debug_is_display!(ReadError);

impl ReadError {
    /// A file that cannot be opened.
    pub fn open(path: &Path, source: io::Error) -> Self {
        Self { path: path.to_owned(), line: None, source }
    }

    /// A file that cannot be read beyond `line`. Line 1 is named only if its text is wrong; other errors there are about
    /// the whole file.
    pub fn at(path: &Path, line: u64, source: io::Error) -> Self {
        let is_text = source.kind() == io::ErrorKind::InvalidData;
        Self { path: path.to_owned(), line: (line > 1 || is_text).then_some(line), source }
    }

    /// The same, where the csv reader failed.
    pub(crate) fn csv(path: &Path, line: u64, error: csv::Error) -> Self {
        let source = match error.into_kind() {
            csv::ErrorKind::Io(source) => source,
            csv::ErrorKind::Utf8 { .. } => io::Error::new(io::ErrorKind::InvalidData, "the text is not UTF-8"),
            other => io::Error::other(format!("{other:?}")),
        };
        Self::at(path, line, source)
    }
}

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
