//! The files below a folder.

use crate::run::Outcome;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Returns the paths of all files, relative to the folder and in order; leaves out hidden folders and `target`.
pub fn paths(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut paths = Vec::new();
    list(folder, Path::new(""), &mut paths).map_err(|error| format!("{}: {error}", folder.display()))?;
    paths.sort();
    Ok(paths)
}

fn list(folder: &Path, below: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder.join(below))? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), below.join(entry.file_name()));
        if !entry.file_type()?.is_dir() {
            paths.push(path);
        } else if name != "target" && !name.to_string_lossy().starts_with('.') {
            list(folder, &path, paths)?;
        }
    }
    Ok(())
}

/// Returns paths and contents of the files whose path passes the filter.
pub fn contents(folder: &Path, filter: impl Fn(&Path) -> bool) -> Outcome<BTreeMap<PathBuf, Vec<u8>>> {
    let read = |path: PathBuf| {
        let file = folder.join(&path);
        fs::read(&file).map_err(|error| format!("{}: {error}", file.display())).map(|bytes| (path, bytes))
    };
    paths(folder)?.into_iter().filter(|path| filter(path)).map(read).collect()
}

/// Returns paths and contents likewise, of files in UTF-8.
pub fn texts(folder: &Path, filter: impl Fn(&Path) -> bool) -> Outcome<BTreeMap<PathBuf, String>> {
    let text = |(path, bytes): (PathBuf, Vec<u8>)| match String::from_utf8(bytes) {
        Ok(text) => Ok((path, text)),
        Err(error) => Err(format!("{}: expected UTF-8, found {error}", path.display())),
    };
    contents(folder, filter)?.into_iter().map(text).collect()
}
