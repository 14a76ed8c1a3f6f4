//! What is wrong with a file: [`ReadError`] if it cannot be read, [`FormatError`] if it is not as its format must be;
//! [`Place`]: where in it that is.

use graphpack_loader::extend::Cause;
use graphpack_loader::{BoxError, Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// A file that is not as its format must be.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FormatError {
    #[error("{}, line {line}{problem}", .path.display())]
    Csv { path: PathBuf, line: u64, problem: String },
    #[error("{}: {source}", .path.display())]
    Refused { path: PathBuf, source: BoxError },
    #[error("{}{}: expected {expected}, found {found}", .path.display(), comma(.place))]
    Wrong { path: PathBuf, place: String, expected: String, found: String },
}

impl Cause for FormatError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Format
    }

    fn graph(&self) -> Option<u64> {
        match self {
            Self::Refused { source, .. } => source.downcast_ref::<Error>()?.graph(),
            _ => None,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Csv { path, .. } | Self::Refused { path, .. } | Self::Wrong { path, .. } => Some(path),
        }
    }
}

impl FormatError {
    /// An error of a store or of a change, with the file that the graphs are of.
    pub(crate) fn refused(path: &Path, source: impl Into<BoxError>) -> Error {
        Self::Refused { path: path.to_owned(), source: source.into() }.into()
    }

    /// An error at a place of a file.
    pub(crate) fn wrong(
        path: impl Into<PathBuf>,
        place: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Error {
        let (path, place) = (path.into(), place.into());
        Self::Wrong { path, place, expected: expected.into(), found: found.into() }.into()
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
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {source}", .path.display(), .line.map(|line| format!(", line {line}")).unwrap_or_default())]
pub(crate) struct ReadError {
    pub(crate) path: PathBuf,
    pub(crate) line: Option<u64>,
    #[source]
    pub(crate) source: io::Error,
}

impl Cause for ReadError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::File
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }
}

impl ReadError {
    /// A file that cannot be opened.
    pub(crate) fn open(path: &Path, source: io::Error) -> Error {
        Self { path: path.to_owned(), line: None, source }.into()
    }

    /// A file that cannot be read beyond `line`. Line 1 is named only if its text is wrong; other errors there are
    /// about the whole file.
    pub(crate) fn at(path: &Path, line: u64, source: io::Error) -> Error {
        let is_text = source.kind() == io::ErrorKind::InvalidData;
        Self { path: path.to_owned(), line: (line > 1 || is_text).then_some(line), source }.into()
    }

    /// An error of the csv reader, at the line that it was at.
    pub(crate) fn csv(path: &Path, line: u64, error: csv::Error) -> Error {
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
    pub(crate) fn wrong(&self, part: &str, expected: impl Into<String>, found: impl Into<String>) -> Error {
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
