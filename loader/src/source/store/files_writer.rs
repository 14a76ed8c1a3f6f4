//! [`StoreFilesWriter`]: a data set written into several files.

use super::file_index::{Entry, FileIndex};
use super::{FileError, Store};
use crate::error::Error;
use crate::layout::Schema;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes a data set into a folder of files, one store at a time, so that a data set larger than memory can be written.
///
/// ```
/// use graphpack_loader::{StoreFiles, StoreFilesWriter, molecules};
///
/// let folder = tempfile::tempdir()?;
/// let mut writer = StoreFilesWriter::create(folder.path())?;
/// for part in 0..3 {
///     writer.push(&molecules::generate(part, 100))?;
/// }
/// writer.finish()?;
/// assert_eq!(StoreFiles::open(folder.path())?.len(), 300);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StoreFilesWriter {
    folder: PathBuf,
    /// The schema of all files.
    schema: Option<Schema>,
    index: FileIndex,
}

impl StoreFilesWriter {
    /// Creates `folder`, which must be empty or not exist.
    pub fn create(folder: impl AsRef<Path>) -> Result<Self, Error> {
        let folder = folder.as_ref().to_owned();
        fs::create_dir_all(&folder).map_err(Error::at(&folder))?;
        FileIndex::expect_empty(&folder)?;
        Ok(Self { folder, schema: None, index: FileIndex::default() })
    }

    /// Writes `store` as the next file. Errors unless its schema is that of the first.
    pub fn push(&mut self, store: &Store) -> Result<(), Error> {
        let file = FileIndex::file(self.index.files.len());
        let first = self.schema.get_or_insert_with(|| store.schema().clone());
        FileIndex::expect_schema(first, &file, store.schema())
            .map_err(|problem| FileError::Index { path: self.folder.join(FileIndex::NAME), problem })?;
        let header = Some(store.save_file(&self.folder.join(&file))?);
        self.index.files.push(Entry { file, graphs: store.len(), header });
        Ok(())
    }

    /// Writes the index, without which the folder cannot be opened. If no store was pushed, first writes a file without
    /// graphs.
    pub fn finish(mut self) -> Result<(), Error> {
        if self.index.files.is_empty() {
            self.push(&Store::new(Schema::default()))?;
        }
        self.index.save(&self.folder)
    }
}
