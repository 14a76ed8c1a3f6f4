//! [`FileIndex`]: the file in a folder that lists the files of a data set.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The files of a data set in their order, each with its number of graphs.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct FileIndex {
    #[serde(rename = "shards")]
    pub(super) files: Vec<Entry>,
}

/// One file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) file: PathBuf,
    pub(super) graphs: usize,
}

impl FileIndex {
    /// Name of the index file. It is written last, so that a folder without it is incomplete.
    pub(super) const NAME: &str = "index.json";
}
