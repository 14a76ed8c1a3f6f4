//! [`DataFile`]: a file or folder, and what is wanted of it.

use super::{FileFormat, Pieces, ReadOptions};
use crate::FormatError;
use crate::gather::Fields;
use graphpack_loader::{Data, Error, StoreFiles};
use std::path::PathBuf;

/// A file or folder of any format, and what is wanted of it; only the path must be given.
#[derive(Clone, Debug, Default)]
pub struct DataFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its format; recognised if `None`.
    pub format: Option<FileFormat>,
    /// The fields to take. A choice is an error for a store.
    pub fields: Fields,
    /// How it is read.
    pub options: ReadOptions,
    /// A csv file with a row for each graph, and its columns that become fields; an error for a store.
    pub targets: Option<(PathBuf, Vec<String>)>,
    /// Whether a store is copied into memory, as other files are.
    pub memory: bool,
}

impl DataFile {
    /// Opens a store, and reads any other file into memory. Returns the graphs, and what was passed over and why, one
    /// line each: graphs after a record that is left out have other numbers than in the file. No graphs are an error.
    pub fn read(&self) -> Result<(Data, Vec<String>), Error> {
        let format = self.options.format(&self.path, self.format)?;
        self.options.check(&self.path, format)?;
        if format != FileFormat::Store {
            // A split has the fields of the whole data set, and the numbers of its graphs there.
            let options = ReadOptions { split: None, ..self.options.clone() };
            let mut pieces = Self { options, ..self.clone() }.pieces()?;
            let graphs = Data::from(pieces.read()?);
            let Some(name) = &self.options.split else { return Ok((graphs, pieces.skipped())) };
            let split = pieces.graphs_of(&crate::ogb::graphs_of_split(&self.path, name)?);
            if split.is_empty() {
                return Err(FormatError::wrong(&self.path, format!("split {name}"), "graphs", "none"));
            }
            return Ok((graphs.subset(split)?, pieces.skipped()));
        }
        let wrong = |expected, found| Err(FormatError::wrong(&self.path, "", expected, found));
        if self.fields != Fields::default() || self.targets.is_some() {
            return wrong("a file whose fields and targets can be chosen", format.name());
        }
        let graphs = self.of_store()?;
        if graphs.is_empty() {
            return wrong("graphs", "none");
        }
        Ok((graphs, Vec::new()))
    }

    /// Opens the file to be read piece by piece.
    pub fn pieces(&self) -> Result<Pieces, Error> {
        let format = self.options.format(&self.path, self.format)?;
        let mut pieces = Pieces::with(&self.path, format, &self.fields, &self.options)?;
        if let Some((csv, columns)) = &self.targets {
            pieces = pieces.with_targets(csv, columns)?;
        }
        Ok(pieces)
    }

    fn of_store(&self) -> Result<Data, Error> {
        let files = StoreFiles::open(&self.path)?;
        Ok(if self.memory { files.part(0..files.len())?.into() } else { files.into() })
    }
}
