//! [`ReadError`]: a file that cannot be read.

use std::io;
use std::path::{Path, PathBuf};

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

    /// A file that cannot be read further than `line`. At the first line that is only named if its text is wrong; else
    /// the whole file is not what it must be.
    pub fn at(path: &Path, line: u64, source: io::Error) -> Self {
        let is_text = source.kind() == io::ErrorKind::InvalidData;
        Self { path: path.to_owned(), line: (line > 1 || is_text).then_some(line), source }
    }

    /// The same, where the csv reader failed.
    pub(super) fn csv(path: &Path, line: u64, error: csv::Error) -> Self {
        let source = match error.into_kind() {
            csv::ErrorKind::Io(source) => source,
            csv::ErrorKind::Utf8 { .. } => io::Error::new(io::ErrorKind::InvalidData, "the text is not UTF-8"),
            other => io::Error::other(format!("{other:?}")),
        };
        Self::at(path, line, source)
    }
}
