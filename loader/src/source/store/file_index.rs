//! [`FileIndex`]: the file in a folder that lists the files of a data set.

use super::pages::Sums;
use crate::error::Error;
use crate::layout::Schema;
use crate::source::whole_file::WholeFile;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::{fs, io};

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
    /// Checksum of its header, which has those of all its contents; none of files of earlier releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) header: Option<Sums>,
}

impl FileIndex {
    /// The name of the file with this number.
    pub(super) fn file(number: usize) -> PathBuf {
        format!("graphs-{number:05}.safetensors").into()
    }

    /// Writes the index of a folder.
    pub(super) fn save(&self, folder: &Path) -> Result<(), Error> {
        let path = folder.join(Self::NAME);
        let json = serde_json::to_vec_pretty(self).map_err(io::Error::from);
        let written = json.and_then(|json| WholeFile::write(&path, &json));
        written.map_err(Error::at(&path))
    }

    /// Errors unless `folder` is empty.
    pub(super) fn expect_empty(folder: &Path) -> Result<(), Error> {
        let full = || io::Error::new(io::ErrorKind::AlreadyExists, "the folder is not empty");
        let found = fs::read_dir(folder).and_then(|mut found| found.next().map_or(Ok(()), |_| Err(full())));
        found.map_err(Error::at(folder))
    }

    /// Errors with what is wrong unless the schema of `file` is that of the first file.
    pub(super) fn expect_schema(first: &Schema, file: &Path, found: &Schema) -> Result<(), String> {
        if found == first {
            return Ok(());
        }
        let names = |schema: &Schema| {
            let fields: Vec<_> = schema.fields().iter().map(|field| &field.name).collect();
            let indices: Vec<_> = schema.indices().iter().map(|index| &index.name).collect();
            format!("sets {:?}, fields {fields:?} and indices {indices:?}", &**schema.sets())
        };
        let (file, found, first) = (file.display(), names(found), names(first));
        Err(format!("{file} has {found}, the first file {first}; these, levels, dtypes, widths and padding must agree"))
    }

    /// Name of the index file. It is written last, so that a folder without it is incomplete.
    pub(super) const NAME: &str = "index.json";
}
