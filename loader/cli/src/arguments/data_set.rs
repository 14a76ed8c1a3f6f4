//! [`DataSetArgs`]: the data set that a subcommand reads.

use crate::output::spinner;
use graphpack_formats::{Fields, FileFormat, OgbCsv, Pieces};
use graphpack_loader::{Connected, Edges, Source, Store, StoreFiles};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where graphs come from.
#[derive(clap::Args)]
pub(crate) struct DataSetArgs {
    /// A file or folder of any format, which is recognised from what is in it, or a store
    #[arg(value_name = "FILE", group = "input")]
    pub(crate) files: Vec<PathBuf>,
    /// Of OGB, only this split: train, valid or test; with several kinds of split, KIND/PART as in scaffold/train
    #[arg(long)]
    split: Option<String>,
    /// Of OGB, take edges as they are, without adding the inverse of each
    #[arg(long)]
    directed: bool,
    /// A csv file with a header and a row for each graph of the only file
    #[arg(long, value_name = "FILE", requires = "target")]
    targets: Option<PathBuf>,
    /// With --targets, the columns that become fields, separated by commas
    #[arg(long, value_name = "COLUMN", requires = "targets", value_delimiter = ',')]
    target: Vec<String>,
    /// Connect atoms that are less than this far apart
    #[arg(long, value_name = "LENGTH", conflicts_with = "edges")]
    cutoff: Option<f64>,
    /// Connect atoms by a rule: full, radius:LENGTH, nearest:K or nearest:K:LENGTH
    #[arg(long, value_name = "RULE")]
    edges: Option<Edges>,
}

impl DataSetArgs {
    /// Reads the data set, with a spinner on a terminal.
    pub(crate) fn read(&self) -> Result<Arc<dyn Source>, Box<dyn Error>> {
        let [path] = &self.files[..] else {
            let several = "graphpack convert makes one store of several files";
            return Err(match self.files.len() {
                0 => "expected a data set: a file or a folder".into(),
                files => format!("expected one file or folder, found {files}: {several}").into(),
            });
        };
        let _spinner = spinner("reading");
        let format = FileFormat::of(path)?;
        if self.targets.is_some() && matches!(format, FileFormat::Store | FileFormat::Ogb) {
            return Err(format!("{}: --targets goes with files of graphs, not with {format}", path.display()).into());
        }
        let data: Arc<dyn Source> = match self.of_ogb(path, format)? {
            Some(store) => Arc::new(store),
            None if format == FileFormat::Store => Arc::new(StoreFiles::open(path)?),
            None => {
                let pieces = Pieces::of(path, format, &Fields::default())?;
                let pieces = match self.targets() {
                    Some((csv, columns)) => pieces.with_targets(&csv, &columns)?,
                    None => pieces,
                };
                Arc::new(pieces.read()?)
            }
        };
        Ok(match self.rule() {
            Some(rule) => Arc::new(Connected::new(data, rule)?),
            None => data,
        })
    }

    /// A csv file and its columns that become fields.
    pub(crate) fn targets(&self) -> Option<(PathBuf, Vec<String>)> {
        self.targets.clone().map(|csv| (csv, self.target.clone()))
    }

    /// The rule by which atoms are connected, if they are.
    pub(crate) fn rule(&self) -> Option<Edges> {
        self.cutoff.map(Edges::Radius).or(self.edges)
    }

    /// Whether options are given that only data sets of OGB have.
    pub(crate) fn has_options_of_ogb(&self) -> bool {
        self.split.is_some() || self.directed
    }

    /// Reads a data set of OGB with its options; `None` if it is another data set.
    pub(crate) fn of_ogb(&self, path: &Path, format: FileFormat) -> Result<Option<Store>, Box<dyn Error>> {
        if format != FileFormat::Ogb {
            return match self.has_options_of_ogb() {
                true => Err(format!("{}: --split and --directed are for data sets of OGB", path.display()).into()),
                false => Ok(None),
            };
        }
        let data = if self.directed { OgbCsv::open_directed(path)? } else { OgbCsv::open(path)? };
        Ok(Some(match &self.split {
            Some(split) => data.split(split)?.to_store()?,
            None => (**data.store()).clone(),
        }))
    }
}
