//! `graphpack convert`: writes files of any format as a store that loaders read in place.

use crate::arguments::{
    DataSetArgs, Replace, TargetArgs, check_ending, check_outside, config_of, explained, graph_folder, once,
};
use crate::output::{Outcome, bar, graphs, graphs_read, left_out, print, spinner, write};
use graphpack_formats::{Change, Convert, Fields, FileFormat};
use graphpack_loader::store::StoreWriter;
use graphpack_loader::{Data, Store, molecules};
use graphpack_partition::Clusters;
use graphpack_partition::pieces::{ClusterOptions, NodeIds};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fs, thread};

fn format_help() -> String {
    let names = FileFormat::ALL.map(FileFormat::name).join(", ");
    format!("The format of the files, where it cannot be recognised: {names}")
}

/// The most notes about graphs that were passed over.
const NOTES: usize = 10;

/// Write files of any format as one store in safetensors: a file, or a folder of several. Fields that some graphs lack
/// are 0 there, and has_NAME says which graphs have them
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("outputs").multiple(true)))]
pub(crate) struct Args {
    #[command(flatten)]
    input: DataSetArgs,
    #[command(flatten)]
    targets: TargetArgs,
    #[arg(long, help = format_help())]
    format: Option<FileFormat>,
    /// Only these fields, separated by commas, beside z, pos, cell, pbc and edge_index
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    select: Option<Vec<String>>,
    /// Rename fields, separated by commas. A new name that readers know, such as z or forces, says what the field is
    #[arg(long, value_name = "OLD=NEW", value_delimiter = ',', value_parser = renamed)]
    rename: Vec<(String, String)>,
    /// Write codes of these texts of structures, such as config_type, separated by commas
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    labels: Vec<String>,
    /// Write all floating point numbers with 64 bits, or with 32 for --double=false. If not given, energies of graphs
    /// have 64 bits and others 32
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    double: Option<bool>,
    /// Files that are read at once; one for each core by default
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Write all notes about graphs that were passed over to a file
    #[arg(long, value_name = "FILE", group = "outputs")]
    skipped: Option<PathBuf>,
    /// Instead of a data set, this many generated molecules
    #[arg(long, value_name = "COUNT")]
    #[arg(conflicts_with_all = ["input", "format", "select", "rename", "labels", "double", "threads", "skipped", "targets"])]
    #[arg(conflicts_with_all = DataSetArgs::OPTIONS)]
    molecules: Option<usize>,
    /// Seed of the generated molecules
    #[arg(long, default_value_t = 0, conflicts_with = "input")]
    seed: u64,
    /// Instead of a data set, the parts of a large graph, each a graph: NAME.json of `graphpack partition` or
    /// `dispatch`, or of DGL, or the folder with it. --select takes features, feat or with the type paper/feat
    #[arg(
        long,
        value_name = "NAME.json",
        conflicts_with_all = ["input", "molecules", "seed", "format", "rename", "labels", "double", "threads", "skipped"]
    )]
    #[arg(conflicts_with = "targets")]
    #[arg(conflicts_with_all = DataSetArgs::OPTIONS)]
    parts: Option<PathBuf>,
    /// With --parts: also the nodes of other parts from which each part's own are reached in the hops of the HALO, and
    /// the edges on the way, with features from the parts that own them
    #[arg(long, conflicts_with_all = ["input", "molecules"])]
    halo: bool,
    /// With --parts: node_id is the original id, from orig_nids.dgl beside each part
    #[arg(long, conflicts_with_all = ["input", "molecules"])]
    original_ids: bool,
    /// Where to write: a file, or with --graphs-per-file a folder
    #[arg(long, value_name = "PATH", group = "outputs")]
    out: PathBuf,
    #[command(flatten)]
    replace: Replace,
    /// Write a folder of files with this many graphs each
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    graphs_per_file: Option<u32>,
}

fn renamed(text: &str) -> Result<(String, String), String> {
    let names = text.split_once('=').filter(|(old, new)| !old.is_empty() && !new.is_empty());
    names.map(|(old, new)| (old.into(), new.into())).ok_or_else(|| format!("expected OLD=NEW, found {text:?}"))
}

pub(crate) fn run(args: &Args) -> Outcome {
    if args.molecules.is_none() && args.parts.is_none() && args.input.files.is_empty() {
        return Err("expected files to convert".into());
    }
    once("--select", args.select.iter().flatten().map(String::as_str))?;
    once("--labels", args.labels.iter().map(String::as_str))?;
    once("--rename", args.rename.iter().map(|(old, _)| old.as_str()))?;
    args.check_files()?;
    let each = args.graphs_per_file.map(|graphs| graphs as usize);
    let mut writer = match each {
        Some(each) => StoreWriter::create_folder(&args.out, each)?,
        None => StoreWriter::create(&args.out)?,
    };
    let (skipped, failed) = match (&args.parts, args.molecules) {
        (Some(config), _) => (parts(args, config, &mut writer)?, 0),
        (None, Some(count)) => {
            // Each file has molecules of its own, so that only one file's are in memory at a time.
            let each = each.unwrap_or(count).max(1);
            for from in (0..count).step_by(each) {
                let graphs = each.min(count - from);
                writer.push(&molecules::generate(args.seed.wrapping_add(from as u64), graphs))?;
            }
            (vec![], 0)
        }
        (None, None) => files(args, &mut writer)?,
    };
    let graphs = writer.len();
    if graphs == 0 {
        return Err(format!("{}: expected graphs to write, found none", args.out.display()).into());
    }
    // Once more: reading may have taken hours.
    args.check_files()?;
    writer.finish()?;
    let listed = args.listed().filter(|_| args.skipped.is_some() || failed > 0);
    if let Some(path) = &listed {
        let lines: String = skipped.iter().map(|line| format!("{line}\n")).collect();
        write(path, lines.as_bytes())?;
    }
    if let Some(path) = args.stale_list(listed.as_deref()) {
        fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    print(format_args!("{}: {graphs} graphs", args.out.display()))?;
    if let (Some(path), Some(are)) = (&listed, left_out(failed)) {
        print(format_args!("  {are}, see {}", path.display()))?;
    }
    skipped.iter().take(NOTES).try_for_each(|line| print(format_args!("  {line}")))?;
    if skipped.len() > NOTES {
        let all = listed.map_or("of which --skipped FILE writes".into(), |path| format!("in {}", path.display()));
        print(format_args!("  and {} more notes, all {all}", skipped.len() - NOTES))?;
    }
    Ok(())
}

impl Args {
    /// Where records that are left out are listed, unless another file is named.
    fn beside(&self) -> PathBuf {
        // Without a slash at the end: the list is not in the folder.
        let mut beside = self.out.components().collect::<PathBuf>().into_os_string();
        beside.push(".skipped");
        PathBuf::from(beside)
    }

    /// Where what was passed over is listed: records that are left out always in a file.
    fn listed(&self) -> Option<PathBuf> {
        self.skipped.clone().or_else(|| self.input.reading.skips_errors().then(|| self.beside()))
    }

    /// Returns the list beside the files that are replaced, if none was written in its place: it would be wrong for the
    /// new files.
    fn stale_list(&self, written: Option<&Path>) -> Option<PathBuf> {
        let beside = self.beside();
        let may_go = |beside: &PathBuf| {
            let outputs = [("--skipped", written), ("--out", Some(beside))];
            self.replace.check(&outputs, &self.inputs()).is_ok()
        };
        Some(beside).filter(|beside| beside.is_file() && may_go(beside))
    }

    /// All files that are read.
    fn inputs(&self) -> Vec<&Path> {
        let files = self.input.files.iter().map(PathBuf::as_path);
        files.chain(self.targets.file()).chain(self.parts.as_deref().map(graph_folder)).collect()
    }

    /// Refuses inputs that are given twice, and outputs that exist, or whose names end as those of other formats do.
    fn check_files(&self) -> Result<(), String> {
        self.input.check_each_once()?;
        let wrong = |error| format!("--out {}: {error}", self.out.display());
        let inputs = self.inputs();
        let listed = self.listed();
        let skipped = ("--skipped", listed.as_deref());
        if self.graphs_per_file.is_some() {
            check_ending(&self.out, "a folder (--graphs-per-file)", &[]).map_err(wrong)?;
            check_outside(&[("--out", Some(&self.out))], &inputs)?;
            if listed.is_none() {
                self.replace.expect_none("--graphs-per-file")?;
            }
            return self.replace.check(&[skipped], &inputs);
        }
        check_ending(&self.out, "safetensors", &["safetensors"]).map_err(wrong)?;
        self.replace.check(&[("--out", Some(&self.out)), skipped], &inputs)
    }
}

/// Writes the parts of a large graph, one in memory at a time; returns what was left out of them.
fn parts(args: &Args, config: &Path, writer: &mut StoreWriter) -> Result<Vec<String>, Box<dyn Error>> {
    let node_ids = if args.original_ids { NodeIds::Files } else { NodeIds::Global };
    let options = ClusterOptions { halo: args.halo, features: args.select.clone(), node_ids };
    let spinner = spinner("reading the sizes of the parts");
    let clusters = Clusters::open(config_of(config)?, &options)?;
    let cut = clusters.cut_edges();
    let clusters = Data::from(clusters);
    spinner.finish_and_clear();
    let bar = bar("parts", clusters.len());
    for part in 0..clusters.len() as u32 {
        writer.push(&Store::collect(clusters.subset([part])?)?)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok((cut > 0).then(|| format!("edges between parts: {cut} left out, --halo has them")).into_iter().collect())
}

/// Writes the graphs of all files; returns what was passed over, and how many records could not be read.
fn files(args: &Args, writer: &mut StoreWriter) -> Result<(Vec<String>, u64), Box<dyn Error>> {
    let fields = Fields {
        select: args.select.clone(),
        rename: args.rename.clone(),
        double: args.double,
        labels: args.labels.clone(),
    };
    let paths = &args.input.files;
    let connecting = args.input.connecting();
    let connect = connecting.as_ref().map(|connecting| |store| connecting.collect(store));
    let of_files = [
        ("--double", args.double.is_some()),
        ("--labels", !args.labels.is_empty()),
        ("--targets", args.targets.given().is_some()),
    ];
    args.input.check(args.format, &of_files)?;
    let threads = args.threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), |n| n as usize);
    let change = connect.as_ref().map(|connect| -> &Change<'_> { connect });
    let targets = args.targets.given();
    let bar = graphs();
    let options = args.input.reading.options();
    let convert = Convert { fields, options, format: args.format, targets, threads, change };
    let converted = convert.run(paths, writer, |progress| graphs_read(&bar, progress.graphs, progress.share));
    let converted = converted.map_err(|error| explained(paths, error))?;
    bar.finish_and_clear();
    if let Some(connecting) = &connecting {
        connecting.check()?;
    }
    Ok((converted.skipped, converted.failed))
}
