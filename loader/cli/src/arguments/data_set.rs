//! [`DataSetArgs`]: the data set that a subcommand reads; [`ReadArgs`]: how; [`Connecting`]: how its atoms are
//! connected; [`TargetArgs`]: labels beside it; [`HistogramFile`]: a file of sizes, or the data set that has them.

use crate::output::{left_out, note, remark, spinner};
use graphpack_core::{Histogram, Limits, Size};
use graphpack_formats::histogram_csv::{self, SizeCounts};
use graphpack_formats::{DataFile, FileFormat, ReadOptions};
use graphpack_loader::{Data, Edges, ErrorKind, Store};
use std::collections::HashSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where graphs come from.
#[derive(clap::Args)]
pub(crate) struct DataSetArgs {
    /// A file or folder of any format, which is recognised from what is in it, or a store
    #[arg(value_name = "FILE", group = "input")]
    pub(crate) files: Vec<PathBuf>,
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

    /// Errors if a file is given twice.
    pub(crate) fn check_each_once(&self) -> Result<(), String> {
        let mut before = HashSet::new();
        let twice = |path: &&PathBuf| fs::canonicalize(path).is_ok_and(|path| !before.insert(path));
        match self.files.iter().find(twice) {
            Some(path) => Err(format!("{}: expected each file once, found this one twice", path.display())),
            None => Ok(()),
        }
    }

    /// Errors if an option has no effect on a file: those of reading on formats that they are not for, and those of
    /// `not_of_stores` that are given on a store. All files have this format, if it is given.
    pub(crate) fn check(
        &self,
        format: Option<FileFormat>,
        not_of_stores: &[(&'static str, bool)],
    ) -> Result<(), Box<dyn Error>> {
        let not_of_stores = not_of_stores.iter().find(|(_, given)| *given).map(|(flag, _)| *flag);
        if not_of_stores.is_none() && !self.reading.are_given() {
            return Ok(());
        }
        for path in &self.files {
            let format = self.reading.options().format(path, format).map_err(|error| explained(&self.files, error))?;
            self.reading.check(path, format)?;
            let (path, found) = (path.display(), format.description());
            if let Some(flag) = not_of_stores.filter(|_| format == FileFormat::Store) {
                return Err(format!("{path}: {flag} is for files that are no store yet, found {found}").into());
            }
        }
        Ok(())
    }

    /// One of the files, as these options read it.
    pub(crate) fn file(&self, path: &Path) -> DataFile {
        DataFile { path: path.into(), options: self.reading.options(), ..DataFile::default() }
    }
}

/// How files are read.
#[derive(clap::Args)]
pub(crate) struct ReadArgs {
    /// Of OGB, only this split, in the order of the data set: train, valid or test; with several kinds of split,
    /// KIND/PART as in scaffold/train
    #[arg(long)]
    split: Option<String>,
    /// Of OGB, take edges as they are, without adding the inverse of each
    #[arg(long)]
    directed: bool,
    /// The column of SMILES in a csv or parquet file, where neither its name nor its cells say so
    #[arg(long, value_name = "COLUMN")]
    smiles_column: Option<String>,
    /// Of SDF, keep hydrogen atoms as nodes. Otherwise they are numbers at their neighbours, as in OGB's graphs
    #[arg(long)]
    hydrogens: bool,
    /// What happens at a record that cannot be read: the command fails, or leaves it out and lists it with the reason
    #[arg(long, value_enum, default_value_t = OnError::Fail)]
    on_error: OnError,
}

/// What happens at a record that cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum OnError {
    Fail,
    Skip,
}

impl ReadArgs {
    /// Whether one is given.
    fn are_given(&self) -> bool {
        self.options() != ReadOptions::default()
    }

    /// Whether records that cannot be read are left out.
    pub(crate) fn skips_errors(&self) -> bool {
        self.on_error == OnError::Skip
    }

    /// Errors with the option that has no effect on a file of this format.
    pub(crate) fn check(&self, path: &Path, format: FileFormat) -> Result<(), String> {
        let ReadOptions { smiles_column, keeps_hydrogens, skips_errors, split, directed } = self.options();
        let none = ReadOptions::default;
        for (flag, one) in [
            ("--smiles-column", ReadOptions { smiles_column, ..none() }),
            ("--hydrogens", ReadOptions { keeps_hydrogens, ..none() }),
            ("--on-error", ReadOptions { skips_errors, ..none() }),
            ("--split", ReadOptions { split, ..none() }),
            ("--directed", ReadOptions { directed, ..none() }),
        ] {
            one.check(path, format).map_err(|error| format!("{flag}: {error}"))?;
        }
        Ok(())
    }

    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            smiles_column: self.smiles_column.clone(),
            keeps_hydrogens: self.hydrogens,
            skips_errors: self.skips_errors(),
            split: self.split.clone(),
            directed: self.directed,
        }
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
            let hint = "graphpack plan, limits and shapes take it as --histogram";
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

/// The sizes that are packed, and the most graphs of a pack.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("input").required(true)))]
pub(crate) struct HistogramFile {
    /// Histogram with the header num_nodes,num_edges,count, or num_SET for each of 1 to 16 sets, then count; without
    /// the column count, each line is one graph
    #[arg(long, value_name = "FILE.csv[.gz]", group = "input", conflicts_with_all = DataSetArgs::OPTIONS)]
    histogram: Option<PathBuf>,
    #[command(flatten)]
    data: DataSetArgs,
    #[arg(long, value_name = "G", help = max_graphs_help())]
    max_graphs: Option<MaxGraphs>,
}

/// A histogram, and the data set that has these sizes.
pub(crate) type Counted = (SizeCounts, Option<Data>);

fn max_graphs_help() -> String {
    let default = Limits::DEFAULT_GRAPHS;
    format!(
        "Most graphs of a pack: a number, or max for as many of the smallest graphs as the other limits hold [default: \
         {default}]"
    )
}

/// The most graphs of a pack; `None` for as many as fit.
#[derive(Clone, Copy)]
struct MaxGraphs(Option<u32>);

impl FromStr for MaxGraphs {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let graphs = if text == "max" { Some(None) } else { text.parse().ok().map(Some) };
        graphs.map(Self).ok_or_else(|| format!("expected a number of graphs or max, found {text:?}"))
    }
}

impl HistogramFile {
    /// Reads the histogram, which must have graphs.
    pub(crate) fn read(&self) -> Result<SizeCounts, Box<dyn Error>> {
        Ok(self.read_data(None)?.0)
    }

    /// Reads the histogram, and the data set with these targets if it is that of one.
    pub(crate) fn read_data(&self, targets: Option<&TargetArgs>) -> Result<Counted, Box<dyn Error>> {
        let Some(path) = &self.histogram else {
            let data = self.data.read(targets.and_then(TargetArgs::given))?;
            return Ok((counts(&data)?, Some(data)));
        };
        let counts = histogram_csv::read(path)?;
        if counts.graphs() == 0 {
            return Err(format!("{} has no graphs", path.display()).into());
        }
        Ok((counts, None))
    }

    /// The most graphs of a pack as `--max-graphs` says it; `None` if it is not given.
    pub(crate) fn most_graphs(&self) -> Option<u32> {
        self.max_graphs.map(|most| most.0.unwrap_or(u32::MAX))
    }

    /// The files that are read.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.histogram.iter().chain(&self.data.files).map(PathBuf::as_path)
    }

    /// A function that returns the limits of a size, for the graphs of `histogram`.
    pub(crate) fn limits(&self, histogram: &Histogram) -> impl Fn(Size) -> Limits + use<> {
        let sizes = histogram.entries().iter().map(|(size, _)| *size);
        let smallest = sizes.reduce(|smallest, size| smallest.min_each(&size)).unwrap_or(Size::new([]));
        let graphs = self.max_graphs.map_or(Some(Limits::DEFAULT_GRAPHS), |most| most.0);
        // The number never binds: no pack has more than of graphs that are the smallest in all sets.
        move |size| Limits::new(size).graphs(graphs.unwrap_or_else(|| smallest.times_in(&size).max(1)))
    }
}

/// Counts the sizes of a data set, which must have graphs.
fn counts(data: &Data) -> Result<SizeCounts, Box<dyn Error>> {
    if data.is_empty() {
        return Err("the data set has no graphs".into());
    }
    let histogram = Histogram::from_sizes(data.sizes()?)?;
    Ok(SizeCounts::new(data.schema().sets().iter().cloned(), histogram)?)
}
