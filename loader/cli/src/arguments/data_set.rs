//! [`DataSetArgs`]: the data set that a subcommand reads.

use super::ReadArgs;
use crate::output::{note, spinner};
use graphpack_formats::DataFile;
use graphpack_loader::{Connected, Edges, Source};
use std::error::Error;
use std::fs;
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
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

impl DataSetArgs {
    /// All but the files, which other inputs do not have.
    pub(crate) const OPTIONS: [&str; 8] =
        ["split", "directed", "targets", "cutoff", "edges", "smiles_column", "hydrogens", "on_error"];

    /// Refuses to write a file that is read.
    pub(crate) fn check_outputs<'a>(&self, mut outputs: impl Iterator<Item = &'a PathBuf>) -> Result<(), String> {
        let inputs = self.files.iter().chain(&self.targets).filter_map(|input| fs::canonicalize(input).ok());
        let inputs: Vec<PathBuf> = inputs.collect();
        match outputs.find(|output| fs::canonicalize(output).is_ok_and(|output| inputs.contains(&output))) {
            Some(found) => Err(format!("{}: expected a file to write, found one of the inputs", found.display())),
            None => Ok(()),
        }
    }

    /// Reads the data set, with a spinner on a terminal.
    pub(crate) fn read(&self) -> Result<Arc<dyn Source>, Box<dyn Error>> {
        let [path] = &self.files[..] else {
            let several = "graphpack convert makes one store of several files";
            return Err(match self.files.len() {
                0 => "expected a data set: a file or a folder".into(),
                files => format!("expected one file or folder, found {files}: {several}").into(),
            });
        };
        let spinner = spinner("reading");
        let (data, skipped) = self.file(path).read()?;
        spinner.finish_and_clear();
        note(path, &skipped);
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

    /// One of the files, as these options read it.
    pub(crate) fn file(&self, path: &Path) -> DataFile {
        let (split, directed) = (self.split.clone(), self.directed);
        let options = self.reading.options();
        DataFile { path: path.into(), options, targets: self.targets(), split, directed, ..DataFile::default() }
    }
}
