//! [`FileIndex`]: the file in a folder that lists the files of a data set.

use super::FileError;
use crate::source::whole_file::{part_of, write_whole};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The files of a data set in their order, each with its number of graphs.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct FileIndex {
    pub(super) files: Vec<Entry>,
}

/// One file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) file: PathBuf,
    pub(super) graphs: usize,
}

impl FileIndex {
    /// The name of the file with this number.
    pub(super) fn file(number: usize) -> PathBuf {
        format!("graphs-{number:05}.safetensors").into()
    }

    /// Writes the index of a folder.
    pub(super) fn save(&self, folder: &Path) -> Result<(), FileError> {
        let path = folder.join(Self::NAME);
        let written = write_whole(&path, &part_of(&path), |mut file| {
            file.write_all(serde_json::to_string_pretty(self)?.as_bytes())
        });
        written.map_err(|source| FileError::Io { path, source })
    }

    /// Name of the index file. It is written last, so that a folder without it is incomplete.
    pub(super) const NAME: &str = "index.json";
}
