//! [`write_whole`]: a file written completely or not at all; [`part_of`]: its name until then.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Writes the file `path`, completely or not at all: until it is on disk it is named `part`, in the same folder.
pub(crate) fn write_whole(path: &Path, part: &Path, write: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let written = File::create(part).and_then(|file| {
        write(&file)?;
        file.sync_all()?;
        fs::rename(part, path)
    });
    written.inspect_err(|_| {
        let _ = fs::remove_file(part);
    })
}

/// The name that a file or folder has until it is complete.
pub(crate) fn part_of(path: &Path) -> PathBuf {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    part.into()
}
