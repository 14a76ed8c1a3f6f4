//! `graphpack convert`: writes a data set as a store that loaders read in place.

use crate::arguments::{DataSet, DataSetArgs};
use crate::output::{Outcome, bar, print};
use graphpack_loader::{Source, Store, StoreFilesWriter, molecules};
use std::error::Error;
use std::path::{Path, PathBuf};

/// Write a data set as a store in safetensors: one file, or a folder of several
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: DataSetArgs,
    /// Instead of a data set, this many generated molecules
    #[arg(long, value_name = "COUNT", conflicts_with = "input")]
    molecules: Option<usize>,
    /// Seed of the generated molecules
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write: a file, or with --shard-graphs a folder
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// Write a folder of files with this many graphs each
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    shard_graphs: Option<u32>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let written = match (args.molecules, args.shard_graphs) {
        (Some(count), Some(each)) => folder(&args.out, count, each as usize, |from, to| {
            // Each file has molecules of its own, so that only one file's are in memory at a time.
            Ok(molecules::generate(args.seed.wrapping_add(from as u64), to - from))
        })?,
        (Some(count), None) => file(&args.out, &molecules::generate(args.seed, count))?,
        (None, each) => {
            let data = args.input.read()?;
            let graphs = data.len();
            let part = |from, to| {
                Ok(match &data {
                    DataSet::Memory(store) => store.part(from..to)?,
                    DataSet::Files(files) => files.part(from..to)?,
                })
            };
            match each {
                None => file(&args.out, &part(0, graphs)?)?,
                Some(each) => folder(&args.out, graphs, each as usize, part)?,
            }
        }
    };
    print(format_args!("{}: {written} graphs", args.out.display()))?;
    Ok(())
}

fn file(path: &Path, store: &Store) -> Result<usize, Box<dyn Error>> {
    store.save(path)?;
    Ok(store.len())
}

/// Writes `each` graphs per file; `part` has those from one number to another.
fn folder(
    path: &Path,
    graphs: usize,
    each: usize,
    part: impl Fn(usize, usize) -> Result<Store, Box<dyn Error>>,
) -> Result<usize, Box<dyn Error>> {
    let bar = bar("graphs", graphs);
    let mut writer = StoreFilesWriter::create(path)?;
    for from in (0..graphs).step_by(each) {
        let to = graphs.min(from + each);
        writer.push(&part(from, to)?)?;
        bar.inc((to - from) as u64);
    }
    writer.finish()?;
    Ok(graphs)
}
