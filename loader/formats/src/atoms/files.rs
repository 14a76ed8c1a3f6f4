//! [`files_in`]: the files of a data set.

use crate::{FormatError, ReadError};
use std::fs;
use std::path::{Path, PathBuf};

/// The file itself, or the files of a folder whose names end in one of `endings`, in the order of their names; and how
/// many bytes they have. Errors if there are none.
pub(crate) fn files_in(path: &Path, endings: &[impl AsRef<str>]) -> Result<(Vec<PathBuf>, u64), FormatError> {
    let wrong = |path: &Path| {
        let path = path.to_owned();
        move |source| FormatError::from(ReadError::open(&path, source))
    };
    let metadata = fs::metadata(path).map_err(wrong(path))?;
    if !metadata.is_dir() {
        return Ok((vec![path.to_owned()], metadata.len()));
    }
    let (mut files, mut bytes) = (Vec::new(), 0);
    for entry in fs::read_dir(path).map_err(wrong(path))? {
        let file = entry.map_err(wrong(path))?.path();
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let metadata = fs::metadata(&file).map_err(wrong(&file))?;
        if metadata.is_file() && endings.iter().any(|ending| name.ends_with(ending.as_ref())) {
            bytes += metadata.len();
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        let endings = endings.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
        return Err(FormatError::wrong(path, "", format!("files {endings}"), "none"));
    }
    Ok((files, bytes))
}
