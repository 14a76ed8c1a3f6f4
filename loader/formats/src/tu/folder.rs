//! [`Folder`]: the files of a data set, in a zip or a folder.

use crate::common::ZipFiles;
use crate::{CsvRows, FormatError, ReadError};
use std::fs;
use std::path::{Path, PathBuf};

/// What the name of the file of edges ends in.
const EDGES: &str = "_A.txt";

/// The files of a data set `DS`.
pub(super) struct Folder {
    /// The zip or folder.
    path: PathBuf,
    archive: Option<ZipFiles>,
    /// What is before `A.txt` in the name of the file of edges: `DS/DS_`.
    prefix: String,
}

impl Folder {
    /// Finds the data set in a zip or a folder, in which it may be in a folder `raw`, as PyG unpacks it.
    pub(super) fn open(path: &Path) -> Result<Self, FormatError> {
        if !path.is_dir() {
            let archive = ZipFiles::open(path)?;
            let prefix = only(path, archive.names().map(str::to_owned).collect())?;
            return Ok(Self { path: path.to_owned(), archive: Some(archive), prefix });
        }
        let (mut path, mut found) = (path.to_owned(), names(path)?);
        if found.iter().any(|name| name == "raw") && !found.iter().any(|name| name.ends_with(EDGES)) {
            path.push("raw");
            found = names(&path)?;
        }
        let prefix = only(&path, found)?;
        Ok(Self { path, archive: None, prefix })
    }

    /// The path of a file, for messages.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.path.join(format!("{}{name}.txt", self.prefix))
    }

    /// Names of the files of the data set that are not read.
    pub(super) fn others(&self) -> Result<Vec<String>, FormatError> {
        let known = ["A", "graph_indicator", "graph_labels", "graph_attributes", "node_labels", "node_attributes"];
        let known = [&known[..], &["edge_labels", "edge_attributes"]].concat();
        let names = match &self.archive {
            Some(archive) => archive.names().map(str::to_owned).collect(),
            None => names(&self.path)?,
        };
        let is_other = |name: &&String| {
            let file = name.strip_prefix(&self.prefix).and_then(|name| name.strip_suffix(".txt"));
            file.is_some_and(|file| !known.contains(&file))
        };
        let mut others: Vec<String> = names.iter().filter(is_other).cloned().collect();
        others.sort();
        Ok(others)
    }

    /// The rows of a file; `None` if it is not there.
    pub(super) fn rows(&mut self, name: &str) -> Result<Option<CsvRows>, FormatError> {
        let path = self.path(name);
        let Some(archive) = &mut self.archive else {
            return Ok(if path.exists() { Some(CsvRows::open(&path, b',')?) } else { None });
        };
        let file = archive.file(&format!("{}{name}.txt", self.prefix))?;
        Ok(file.map(|file| CsvRows::new(&path, file, b',')))
    }
}

/// What is in a folder.
fn names(folder: &Path) -> Result<Vec<String>, FormatError> {
    let entries = fs::read_dir(folder).map_err(|error| ReadError::open(folder, error))?;
    Ok(entries.filter_map(Result::ok).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

/// The only name that ends as that of the file of edges does, up to this end.
fn only(path: &Path, mut names: Vec<String>) -> Result<String, FormatError> {
    // Archives made on macOS have a second file `._NAME` for each.
    names.retain(|name| name.ends_with(EDGES) && !name.rsplit('/').next().is_some_and(|name| name.starts_with("._")));
    match &names[..] {
        [name] => Ok(name[..name.len() - EDGES.len() + 1].to_owned()),
        _ => {
            names.sort();
            let found = if names.is_empty() { "none".into() } else { names.join(", ") };
            Err(FormatError::wrong(path, "", "one file DS_A.txt, the edges of a TU data set", found))
        }
    }
}
