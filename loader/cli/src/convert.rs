//! `graphpack convert`: writes a data set as a store that loaders read in place; `graphpack verify` compares it with its checksums.

use crate::input::{Data, Input};
use crate::progress::bar;
use crate::{Outcome, print};
use graphpack_loader::{ShardWriter, Shards, Source, Store, molecules};
use std::path::{Path, PathBuf};

/// Write a data set as a store in safetensors: one file, or a folder of shards
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// Instead of a data set: so many generated molecules
    #[arg(long, value_name = "COUNT", conflicts_with = "input")]
    molecules: Option<usize>,
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write: a file, or with --shard-graphs a folder
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// Graphs per shard
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    shard_graphs: Option<u32>,
}

/// Read a store whole and compare it with the checksums in it
#[derive(clap::Args)]
pub(crate) struct VerifyArgs {
    /// A file, or a folder of shards
    path: PathBuf,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let written = match (args.molecules, args.shard_graphs) {
        (Some(count), Some(shard)) => shards(&args.out, count, shard as usize, |from, to| {
            // Each shard has molecules of its own, so that no more than one is in memory.
            Ok(molecules::generate(args.seed.wrapping_add(from as u64), to - from))
        })?,
        (Some(count), None) => file(&args.out, &molecules::generate(args.seed, count))?,
        (None, shard) => {
            let data = args.input.read()?;
            let graphs = data.sizes().count();
            let part = |from, to| {
                Ok(match &data {
                    Data::Memory(store) => store.part(from..to)?,
                    Data::Files(shards) => shards.part(from..to)?,
                })
            };
            match shard {
                None => file(&args.out, &part(0, graphs)?)?,
                Some(shard) => shards(&args.out, graphs, shard as usize, part)?,
            }
        }
    };
    print(format_args!("{}: {written} graphs", args.out.display()))?;
    Ok(())
}

pub(crate) fn verify(args: &VerifyArgs) -> Outcome {
    let data = Shards::open(&args.path)?;
    let (path, graphs) = (args.path.display(), data.len());
    match data.verify()? {
        0 => print(format_args!("{path}: {graphs} graphs; there are no checksums to compare, edges are sound"))?,
        tensors => print(format_args!("{path}: {graphs} graphs, {tensors} tensors as they were written"))?,
    }
    Ok(())
}

fn file(path: &Path, store: &Store) -> Result<usize, Box<dyn std::error::Error>> {
    store.save(path)?;
    Ok(store.len())
}

fn shards(
    folder: &Path,
    graphs: usize,
    shard: usize,
    part: impl Fn(usize, usize) -> Result<Store, Box<dyn std::error::Error>>,
) -> Result<usize, Box<dyn std::error::Error>> {
    let bar = bar("graphs", graphs as u64);
    let mut writer = ShardWriter::create(folder)?;
    for from in (0..graphs).step_by(shard) {
        let to = graphs.min(from + shard);
        writer.push(&part(from, to)?)?;
        bar.inc((to - from) as u64);
    }
    writer.finish()?;
    bar.finish_and_clear();
    Ok(graphs)
}
