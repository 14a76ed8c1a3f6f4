//! [`DataFile`]: a file or folder, and what is wanted of it.

use super::{FileFormat, Pieces, ReadOptions};
use crate::gather::Fields;
use crate::{FormatError, OgbCsv};
use graphpack_loader::{Data, Error, StoreFiles};
use std::path::PathBuf;

/// A file or folder of any format, and what is wanted of it; only the path must be given.
#[derive(Clone, Debug, Default)]
pub struct DataFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its format; recognised if `None`.
    pub format: Option<FileFormat>,
    /// The fields to take. A choice is an error for a store, and for a data set of OGB with `split` or `directed`.
    pub fields: Fields,
    /// How it is read.
    pub options: ReadOptions,
    /// A csv file with a row for each graph, and its columns that become fields; an error where a choice of fields is.
    pub targets: Option<(PathBuf, Vec<String>)>,
    /// The split to take of a data set of OGB, `train` or `scaffold/train`; `None` for all graphs.
    pub split: Option<String>,
    /// Whether edges of a data set of OGB are taken as they are, without adding the inverse of each.
    pub directed: bool,
    /// Whether a store is copied into memory, as other files are.
    pub memory: bool,
}

impl DataFile {
    /// Opens a store, and reads any other file into memory. Returns the graphs, and what was passed over and why, one
    /// line each: graphs after a record that is left out have other numbers than in the file. No graphs are an error.
    pub fn read(&self) -> Result<(Data, Vec<String>), Error> {
        let format = self.options.format(&self.path, self.format)?;
        let wrong = |expected: &str| Err(FormatError::wrong(&self.path, "", expected, format.name()));
        let of_ogb = self.split.is_some() || self.directed;
        if of_ogb && format != FileFormat::Ogb {
            return wrong("ogb, which has splits and directions");
        }
        if of_ogb || format == FileFormat::Store {
            if self.fields != Fields::default() || self.targets.is_some() {
                return wrong("a file whose fields and targets can be chosen");
            }
            self.options.check(&self.path, format)?;
            if of_ogb && self.options.skips_errors {
                return wrong("either a split or directed edges, or records that are left out, not both");
            }
            let (graphs, skipped) = if of_ogb { self.of_ogb()? } else { (self.of_store()?, Vec::new()) };
            if graphs.is_empty() {
                let place = self.split.as_ref().map(|split| format!("split {split}")).unwrap_or_default();
                return Err(FormatError::wrong(&self.path, place, "graphs", "none"));
            }
            return Ok((graphs, skipped));
        }
        let mut pieces = self.pieces()?;
        Ok((pieces.read()?.into(), pieces.skipped()))
    }

    /// Opens the file to be read piece by piece: all graphs, with both directions of their edges. With `split` or
    /// `directed` that is an error; [`read`](Self::read) has these.
    pub fn pieces(&self) -> Result<Pieces, Error> {
        let format = self.options.format(&self.path, self.format)?;
        let split = self.split.as_ref().map(|split| format!("the split {split}"));
        if let Some(found) = split.or_else(|| self.directed.then(|| "directed edges".into())) {
            let expected = "a file to read in pieces: all its graphs, with both directions of edges";
            return Err(FormatError::wrong(&self.path, "", expected, found));
        }
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

    fn of_ogb(&self) -> Result<(Data, Vec<String>), Error> {
        // Missing labels as in all other files: 0, and which are there.
        let data = OgbCsv::read(&self.path, self.directed, false)?;
        let graphs = match &self.split {
            Some(split) => data.split(split)?,
            None => data.store().clone().into(),
        };
        Ok((graphs, data.skipped().to_vec()))
    }
}
