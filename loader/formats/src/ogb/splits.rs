//! Splits: which graphs are for training, validation and testing.

use crate::{CsvRows, FormatError, ReadError, compressed};
use std::fs;
use std::path::{Path, PathBuf};

/// The graphs of a split, `PART` or `KIND/PART`, of a data set of `available` graphs.
pub(super) fn graphs(directory: &Path, name: &str, available: usize) -> Result<Vec<u32>, FormatError> {
    let (path, graphs) = CsvRows::read_integers(&file(directory, name)?, 1)?;
    let number = |(line, &graph): (usize, &i64)| match u32::try_from(graph) {
        Ok(number) if (number as usize) < available => Ok(number),
        _ => {
            let place = format!("line {}", line + 1);
            Err(FormatError::wrong(&path, place, format!("a graph below {available}"), graph.to_string()))
        }
    };
    graphs.iter().enumerate().map(number).collect()
}

/// The file of a split, which may lack its `.gz`.
fn file(directory: &Path, name: &str) -> Result<PathBuf, FormatError> {
    let split = directory.join("split");
    let missing = |folder: &Path, name: &str, found: Vec<String>| {
        let found = if found.is_empty() { "none".into() } else { found.join(", ") };
        FormatError::wrong(folder, "", format!("a split {name}"), found)
    };
    let (kind, part) = match name.split_once('/') {
        Some((kind, part)) if split.join(kind).is_dir() => (kind.to_owned(), part),
        Some((kind, _)) => return Err(missing(&split, kind, kinds(&split)?)),
        None => match <[String; 1]>::try_from(kinds(&split)?) {
            Ok([only]) => (only, name),
            Err(kinds) => {
                let kinds: Vec<_> = kinds.iter().map(|kind| format!("{kind}/{name}")).collect();
                return Err(missing(&split, "of one kind, or the name of one of several", kinds));
            }
        },
    };
    let folder = split.join(kind);
    let file = folder.join(format!("{part}.csv.gz"));
    if compressed::existing(&file).exists() { Ok(file) } else { Err(missing(&folder, part, parts(&folder)?)) }
}

/// The kinds of split.
pub(super) fn kinds(split: &Path) -> Result<Vec<String>, FormatError> {
    let mut kinds = names(split)?;
    kinds.retain(|name| split.join(name).is_dir());
    Ok(kinds)
}

/// The splits of a kind.
fn parts(kind: &Path) -> Result<Vec<String>, FormatError> {
    let names = names(kind)?;
    let parts = names.iter().filter_map(|name| name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".csv"));
    Ok(parts.map(str::to_owned).collect())
}

/// What is in a folder, in alphabetical order.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, FormatError> {
    let entries = fs::read_dir(folder).map_err(|source| ReadError::open(folder, source))?;
    let names = entries.filter_map(Result::ok).map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<_> = names.collect();
    names.sort();
    Ok(names)
}
