//! [`DataSetArgs`]: the data set that a subcommand reads.

use crate::output::spinner;
use graphpack_formats::{OgbCsv, targets, xyz};
use graphpack_loader::{Edges, Source, Store, StoreFiles};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

/// Where graphs come from.
#[derive(clap::Args)]
pub(crate) struct DataSetArgs {
    /// Folder of a data set in OGB's raw layout (with raw/ in it)
    #[arg(long, value_name = "DIR", group = "input")]
    ogb: Option<PathBuf>,
    /// A store in safetensors: a file, or a folder of several
    #[arg(long, value_name = "PATH", group = "input")]
    store: Option<PathBuf>,
    /// Structures in an XYZ file, plain or gzip
    #[arg(long, value_name = "FILE", group = "input")]
    xyz: Option<PathBuf>,
    /// With --ogb, only this split: train, valid or test; with several kinds of split, KIND/PART as in scaffold/train
    #[arg(long, requires = "ogb")]
    split: Option<String>,
    /// With --ogb, take edges as they are, without adding the inverse of each
    #[arg(long, requires = "ogb")]
    directed: bool,
    /// With --xyz, a csv file with a header and a row of targets for each structure
    #[arg(long, value_name = "FILE", requires = "xyz", requires = "target")]
    targets: Option<PathBuf>,
    /// With --targets, the columns that become y, separated by commas
    #[arg(long, value_name = "COLUMN", requires = "targets", value_delimiter = ',')]
    target: Vec<String>,
    /// With --xyz, which atoms have edges: full, radius:LENGTH or nearest:K
    #[arg(long, default_value = "full", requires = "xyz")]
    edges: Edges,
}

/// A data set that was read.
pub(crate) enum DataSet {
    Memory(Store),
    Files(StoreFiles),
}

impl DataSetArgs {
    /// Reads the data set, with a spinner on a terminal.
    pub(crate) fn read(&self) -> Result<DataSet, Box<dyn Error>> {
        let _spinner = spinner("reading");
        Ok(match (&self.ogb, &self.store, &self.xyz) {
            (Some(folder), _, _) => {
                let data = if self.directed { OgbCsv::open_directed(folder)? } else { OgbCsv::open(folder)? };
                DataSet::Memory(match &self.split {
                    Some(split) => data.split(split)?.to_store()?,
                    None => (**data.store()).clone(),
                })
            }
            (None, Some(path), _) => DataSet::Files(StoreFiles::open(path)?),
            (None, None, Some(path)) => {
                let mut structures = xyz::read(path)?;
                if let Some(csv) = &self.targets {
                    let columns: Vec<&str> = self.target.iter().map(String::as_str).collect();
                    structures = targets::add(structures, csv, &columns)?;
                }
                DataSet::Memory(structures.connect(self.edges)?)
            }
            (None, None, None) => return Err("expected a data set: --ogb, --store or --xyz".into()),
        })
    }
}

impl DataSet {
    /// Number of graphs.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Memory(store) => store.len(),
            Self::Files(files) => files.len(),
        }
    }

    /// The graphs, wherever they are.
    pub(crate) fn into_source(self) -> Arc<dyn Source> {
        match self {
            Self::Memory(store) => Arc::new(store),
            Self::Files(files) => Arc::new(files),
        }
    }
}
