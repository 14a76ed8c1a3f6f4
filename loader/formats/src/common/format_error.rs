//! [`FormatError`]: a file that is not as its format must be; [`quoted`]: what is there.

use super::{CsvError, ReadError};
use graphpack_loader::FileError;
use std::error::Error;
use std::path::PathBuf;

/// A file that is not as its format must be.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file of numbers has something else.
    #[error(transparent)]
    Csv(#[from] CsvError),
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
#[cfg(any(
    feature = "ase_db",
    feature = "aselmdb",
    feature = "hdf5",
    feature = "npz",
    feature = "sdf",
    feature = "smiles",
    feature = "targets",
    feature = "xyz"
))]
pub(crate) fn quoted(text: impl AsRef<[u8]>) -> String {
    let text = String::from_utf8_lossy(text.as_ref());
    match text.char_indices().nth(100) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}
