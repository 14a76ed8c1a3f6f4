//! [`write()`]: a file of results.

use super::Outcome;
use graphpack_loader::WholeFile;
use std::fs;
use std::path::Path;

/// Writes a file completely or not at all. What is no regular file, such as `/dev/stdout`, is written as it is.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Outcome {
    let is_special = fs::metadata(path).is_ok_and(|found| !found.is_file());
    let written = if is_special { fs::write(path, bytes) } else { WholeFile::write(path, bytes) };
    Ok(written.map_err(|error| format!("{}: {error}", path.display()))?)
}
