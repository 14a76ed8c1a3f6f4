//! Files: real data sets, texts that may not be there, and tables that grow by a row at a time.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use xtask::run::{Outcome, root};

/// The folder of real data sets: that of `GRAPHPACK_DATA`, else one beside the workspace.
pub(crate) fn data() -> PathBuf {
    root().join(env::var_os("GRAPHPACK_DATA").map_or_else(|| "../shared/data".into(), PathBuf::from))
}

/// The text of a file, if there is one.
pub(crate) fn text(path: &Path) -> Outcome<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// Adds lines to a csv file, after its header if it is new.
pub(crate) fn append(path: &Path, header: &str, lines: impl Iterator<Item = String>) -> Outcome {
    let header = if path.exists() { String::new() } else { format!("{header}\n") };
    let text: String = std::iter::once(header).chain(lines).collect();
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| format!("{}: {error}", path.display()))
}
