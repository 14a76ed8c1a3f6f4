//! [`open`]: opens a file that is read.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Opens a file to read it. What is no file is an error: a pipe can be read once, and opening one waits for whoever
/// writes it.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    expect(path)?;
    File::open(path)
}

/// Errors if there is something, but no file.
pub(crate) fn expect(path: &Path) -> io::Result<()> {
    let about = fs::metadata(path)?;
    if about.is_file() {
        return Ok(());
    }
    let found = if about.is_dir() { "a folder" } else { "a pipe or a device" };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is not a file, but {found}")))
}
