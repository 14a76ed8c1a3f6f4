//! A data set larger than memory: millions of graphs on disk, planned and read in shuffled order with a few hundred
//! megabytes of memory. `cargo run --release --example larger_than_memory -- --graphs 5000000`

use clap::Parser;
use graphpack_core::Packer;
use graphpack_loader::{Batching, Column, Level, Loader, Source, Store, StoreFiles, StoreFilesWriter, molecules};
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

/// Writes generated molecules into several files, unless they are there, and reads an epoch of them.
#[derive(Parser)]
struct Args {
    #[arg(long, default_value_t = 1_000_000)]
    graphs: usize,
    /// Folder of the files [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Graphs of a block that is read as a whole; 0 to shuffle all with all
    #[arg(long, default_value_t = 2000)]
    block: usize,
    #[arg(long, default_value_t = 1)]
    workers: usize,
}

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Graphs per file.
const GRAPHS_PER_FILE: usize = 100_000;

fn main() -> Outcome<()> {
    let args = Args::parse();
    let temporary = tempfile::tempdir()?;
    let folder = args.folder.clone().unwrap_or_else(|| temporary.path().join("molecules"));
    if !folder.join("index.json").exists() {
        let begun = Instant::now();
        write(&folder, args.graphs)?;
        println!("written in {:.0} s", begun.elapsed().as_secs_f64());
    }
    let data = StoreFiles::open(&folder)?;
    let bytes: u64 = fs::read_dir(&folder)?.filter_map(|file| Some(file.ok()?.metadata().ok()?.len())).sum();
    println!(
        "{} graphs, {:.2} GB on disk; anonymous memory {} MB",
        data.len(),
        bytes as f64 / 1e9,
        anonymous_megabytes()
    );

    let begun = Instant::now();
    let options = Loader::new(data).batch_graphs(128).batching(Batching::Packed(Packer::Demand)).workers(args.workers);
    let options = if args.block > 0 { options.shuffle_blocks(1, args.block) } else { options.shuffle(1) };
    let loader = options.build()?;
    println!("planned in {:.2} s; anonymous memory {} MB", begun.elapsed().as_secs_f64(), anonymous_megabytes());

    let mut most = 0;
    let mut epoch = loader.epoch(0);
    let mut batches = 0_usize;
    for batch in epoch.by_ref() {
        drop(batch?);
        batches += 1;
        if batches.is_multiple_of(1000) {
            most = most.max(anonymous_megabytes());
        }
    }
    most = most.max(anonymous_megabytes());
    let stats = epoch.stats();
    println!(
        "{} graphs in {:.1} s, {:.0} graphs/s, {:.0} MB/s of batches; at most {most} MB of anonymous memory",
        stats.real.graphs(),
        stats.elapsed.as_secs_f64(),
        stats.real.graphs() as f64 / stats.elapsed.as_secs_f64(),
        stats.bytes_per_second() / 1e6
    );
    println!("{}", epoch.report());
    Ok(())
}

/// Molecules with their features as bytes, a file at a time.
fn write(folder: &PathBuf, graphs: usize) -> Outcome<()> {
    let mut writer = StoreFilesWriter::create(folder)?;
    for from in (0..graphs).step_by(GRAPHS_PER_FILE) {
        let wide = molecules::generate(from as u64, GRAPHS_PER_FILE.min(graphs - from));
        let narrow =
            |name: &str| Ok::<_, Box<dyn Error>>(wide.values::<i64>(name)?.into_iter().map(|v| v as u8).collect());
        let (x, edge_attr): (Vec<u8>, Vec<u8>) = (narrow("x")?, narrow("edge_attr")?);
        let (mut ptr, mut rows) = ([vec![0_u64], vec![0_u64]], [Vec::new(), Vec::new()]);
        for graph in 0..wide.len() {
            for (ptr, size) in ptr.iter_mut().zip(wide.size(graph).exact::<2>().0) {
                ptr.push(ptr[ptr.len() - 1] + u64::from(size));
            }
            let (sources, targets) = wide.edges(graph);
            rows[0].extend(sources);
            rows[1].extend(targets);
        }
        let [node_ptr, edge_ptr] = ptr;
        let columns = vec![
            Column::new("x", Level::NODE, 9, x),
            Column::new("edge_attr", Level::EDGE, 3, edge_attr),
            Column::new("y", Level::Graph, 1, wide.values::<i64>("y")?),
        ];
        writer.push(&Store::new(node_ptr, edge_ptr, rows, columns)?)?;
    }
    Ok(writer.finish()?)
}

/// Memory of this process that is not of files; 0 where the system does not say.
fn anonymous_megabytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
