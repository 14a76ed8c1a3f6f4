//! Errors of which callers need the kind alone: a text says what is wrong, and [`ErrorKind`] of which kind it is.

use graphpack_loader::extend::Cause;
use graphpack_loader::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// What is wrong, in words.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
struct Problem {
    kind: ErrorKind,
    path: Option<PathBuf>,
    text: String,
}

impl Cause for Problem {
    fn kind(&self) -> ErrorKind {
        self.kind
    }

    fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

/// Makes an error with a text.
pub(crate) fn problem(kind: ErrorKind, text: impl Into<String>) -> Error {
    Problem { kind, path: None, text: text.into() }.into()
}

/// Makes an error about a file or a folder, whose path the text has, too.
pub(crate) fn problem_in(path: &Path, kind: ErrorKind, text: impl Into<String>) -> Error {
    Problem { kind, path: Some(path.to_owned()), text: text.into() }.into()
}
