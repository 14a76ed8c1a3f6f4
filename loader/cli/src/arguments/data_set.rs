//! [`DataSetArgs`]: the data set that a subcommand reads; [`Connecting`]: how its atoms are connected; [`TargetArgs`]:
//! labels in a csv file beside it.

use super::ReadArgs;
use crate::output::{left_out, note, remark, spinner};
use graphpack_formats::{DataFile, FileFormat, histogram_csv};
use graphpack_loader::{Data, Edges, ErrorKind, Store};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

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
    pub(crate) const OPTIONS: [&str; 7] =
        ["split", "directed", "cutoff", "edges", "smiles_column", "hydrogens", "on_error"];

    /// Reads the data set, with a spinner on a terminal.
    pub(crate) fn read(&self, targets: Option<(PathBuf, Vec<String>)>) -> Result<Data, Box<dyn Error>> {
        let [path] = &self.files[..] else {
            let several = "graphpack convert makes one store of several files";
            return Err(match self.files.len() {
                0 => "expected a data set: a file or a folder".into(),
                files => format!("expected one file or folder, found {files}: {several}").into(),
            });
        };
        self.check(None, &[("--targets", targets.is_some())])?;
        let spinner = spinner("reading");
        let connecting = self.connecting();
        let file = DataFile { targets, ..self.file(path) };
        if self.reading.skips_errors() {
            let read = file.pieces().and_then(|mut pieces| {
                // Which graphs cannot be connected is known once all are.
                let data = match &connecting {
                    Some(connecting) => pieces.read_changed(&|store| connecting.collect(store))?,
                    None => pieces.read()?,
                };
                Ok((data, pieces))
            });
            let (data, pieces) = read.map_err(|error| explained(&self.files, error))?;
            spinner.finish_and_clear();
            left_out(pieces.failed()).into_iter().for_each(remark);
            note(path, &pieces.skipped(), pieces.failed());
            connecting.map_or(Ok(()), |connecting| connecting.check())?;
            return Ok(data.into());
        }
        let (data, skipped) = file.read().map_err(|error| explained(&self.files, error))?;
        spinner.finish_and_clear();
        note(path, &skipped, 0);
        let Some(connecting) = connecting else { return Ok(data) };
        let connected = connecting.connect(&data).map_err(|error| format!("{}: {error}", path.display()))?;
        connecting.check()?;
        Ok(connected)
    }

    /// How atoms are connected, if they are.
    pub(crate) fn connecting(&self) -> Option<Connecting> {
        let of_cutoff = self.cutoff.map(|cutoff| (Edges::Radius(cutoff), format!("--cutoff {cutoff}")));
        let (rule, flag) = of_cutoff.or_else(|| Some((self.edges?, "--edges".to_owned())))?;
        Some(Connecting { rule, flag, graphs: AtomicUsize::new(0), bare: AtomicUsize::new(0) })
    }

    /// Whether options are given that only data sets of OGB have.
    pub(crate) fn has_options_of_ogb(&self) -> bool {
        self.split.is_some() || self.directed
    }

    /// Errors if an option has no effect on a file: those of OGB on any other data set, those of reading on formats that they
    /// are not for, and those of `not_of_stores` that are given on a store. All files have this format, if it is given.
    pub(crate) fn check(
        &self,
        format: Option<FileFormat>,
        not_of_stores: &[(&'static str, bool)],
    ) -> Result<(), Box<dyn Error>> {
        let of_ogb = [("--split", self.split.is_some()), ("--directed", self.directed)];
        let given = |options: &[(&'static str, bool)]| options.iter().find(|(_, given)| *given).map(|(flag, _)| *flag);
        let (of_ogb, not_of_stores) = (given(&of_ogb), given(not_of_stores));
        if of_ogb.or(not_of_stores).is_none() && !self.reading.are_given() {
            return Ok(());
        }
        if let Some(flag) = of_ogb.filter(|_| self.reading.skips_errors()) {
            return Err(format!("--on-error skip has no effect with {flag}").into());
        }
        for path in &self.files {
            let format = self.reading.options().format(path, format).map_err(|error| explained(&self.files, error))?;
            self.reading.check(path, format)?;
            let (path, found) = (path.display(), format.description());
            if let Some(flag) = of_ogb.filter(|_| format != FileFormat::Ogb) {
                return Err(format!("{path}: {flag} is for data sets of OGB, found {found}").into());
            }
            if let Some(flag) = not_of_stores.filter(|_| format == FileFormat::Store) {
                return Err(format!("{path}: {flag} is for files that are no store yet, found {found}").into());
            }
        }
        Ok(())
    }

    /// One of the files, as these options read it.
    pub(crate) fn file(&self, path: &Path) -> DataFile {
        let (split, directed) = (self.split.clone(), self.directed);
        let options = self.reading.options();
        DataFile { path: path.into(), options, split, directed, ..DataFile::default() }
    }
}

/// How atoms are connected, and in how many graphs none are.
pub(crate) struct Connecting {
    rule: Edges,
    /// The option that says so.
    flag: String,
    graphs: AtomicUsize,
    /// Graphs without an edge.
    bare: AtomicUsize,
}

impl Connecting {
    /// Connects the atoms of some graphs.
    pub(crate) fn connect(&self, data: &Data) -> Result<Data, String> {
        let connected = data.connect(self.rule).map_err(|error| format!("{}: {error}", self.flag))?;
        // The edges are the last set.
        let sizes = connected.sizes().map_err(|error| error.to_string())?;
        let bare = sizes.filter(|size| size.as_slice().last() == Some(&0)).count();
        self.bare.fetch_add(bare, Ordering::Relaxed);
        self.graphs.fetch_add(connected.len(), Ordering::Relaxed);
        Ok(connected)
    }

    /// Writes the edges of some graphs into memory.
    pub(crate) fn collect(&self, graphs: Store) -> Result<Store, Box<dyn Error + Send + Sync>> {
        Ok(Store::collect(self.connect(&graphs.into())?)?)
    }

    /// Errors if no graph has an edge, and says so of some.
    pub(crate) fn check(&self) -> Result<(), String> {
        let [graphs, bare] = [&self.graphs, &self.bare].map(|count| count.load(Ordering::Relaxed));
        let flag = &self.flag;
        match bare {
            0 => Ok(()),
            _ if bare == graphs => {
                let unit = "lengths are in the unit of the positions";
                Err(format!("{flag}: expected edges, found none in any of {graphs} graphs; {unit}"))
            }
            _ => {
                remark(format_args!("{flag}: {bare} of {graphs} graphs have no edges"));
                Ok(())
            }
        }
    }
}

/// The error of files that cannot be read, or that one of them is a histogram.
pub(crate) fn explained(files: &[PathBuf], error: graphpack_loader::Error) -> Box<dyn Error> {
    let is_histogram = |path: &&PathBuf| path.is_file() && histogram_csv::read(path).is_ok();
    match files.iter().find(is_histogram).filter(|_| error.kind() == ErrorKind::Format) {
        Some(path) => {
            let path = path.display();
            let hint = "graphpack plan, limits, shapes and advise take it as --histogram";
            format!("{path}: expected graphs, found a histogram of their sizes; {hint} {path}").into()
        }
        None => error.into(),
    }
}

/// Labels of graphs in a csv file beside them.
#[derive(clap::Args)]
pub(crate) struct TargetArgs {
    /// A csv file with a header and a row for each graph of the only file
    #[arg(long, value_name = "FILE")]
    targets: Option<PathBuf>,
    /// With --targets, the columns that become fields, separated by commas
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    target: Vec<String>,
}

impl TargetArgs {
    /// The file, if it is given.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.targets.as_deref()
    }

    /// The file and its columns that become fields.
    pub(crate) fn given(&self) -> Option<(PathBuf, Vec<String>)> {
        self.targets.clone().map(|csv| (csv, self.target.clone()))
    }
}
