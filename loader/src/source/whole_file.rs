//! [`write_whole`]: a file written completely or not at all.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Writes the file `path`, completely or not at all: until it is on disk it is named `part`, in the same folder.
pub(super) fn write_whole(path: &Path, part: &Path, write: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let written = File::create(part).and_then(|file| {
        write(&file)?;
        file.sync_all()?;
        fs::rename(part, path)
    });
    written.inspect_err(|_| {
        let _ = fs::remove_file(part);
    })
}
