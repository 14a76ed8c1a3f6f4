//! A data set larger than memory: millions of graphs on disk, planned and read in shuffled order with a few hundred
//! megabytes of memory. `cargo run --release --example larger_than_memory -- --graphs 5000000`
//!
//! `--table` compares reading by position with mapping, for warm and for cold files, in blocks and in full shuffle:
//! `cargo run --release --example larger_than_memory -- --table --graphs 1000000 --graphs 16000000`

#[path = "common/memory.rs"]
mod memory;

use clap::Parser;
use graphpack_core::Packer;
use graphpack_loader::store::StoreFilesWriter;
use graphpack_loader::{Column, Level, Loader, Options, Order, Store, StoreFiles, molecules};
use memory::memory;
use std::error::Error;
use std::fs::{self, File};
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Writes generated molecules into several files, unless they are there, and reads an epoch of them.
#[derive(Parser)]
struct Args {
    /// Number of molecules; may be given several times
    #[arg(long, default_value = "1000000")]
    graphs: Vec<usize>,
    /// Folder, in which each number of molecules has one [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Molecules of a file, the same in each
    #[arg(long, default_value = "100000")]
    graphs_per_file: NonZeroUsize,
    /// Graphs of a block that is read as a whole; 0 to shuffle all with all
    #[arg(long, default_value_t = 2000)]
    block: usize,
    #[arg(long, default_value_t = 1)]
    workers: usize,
    /// Map the files instead of reading them by position
    #[arg(long)]
    map: bool,
    /// Read in all ways, and print a table
    #[arg(long)]
    table: bool,
}

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let args = Args::parse();
    let temporary = tempfile::tempdir()?;
    for &graphs in &args.graphs {
        let folder = args.folder.as_deref().unwrap_or(temporary.path()).join(graphs.to_string());
        if !folder.join("index.json").exists() {
            write(&folder, graphs, args.graphs_per_file.get())?;
        }
        let bytes: u64 = files(&folder)?.iter().filter_map(|file| Some(file.metadata().ok()?.len())).sum();
        println!("{graphs} graphs, {:.2} GB on disk", bytes as f64 / 1e9);
        if !args.table {
            println!("{}", read(&folder, args.map, args.block, args.workers)?.1);
            continue;
        }
        println!(
            "| files | order | read | opened and planned | graphs/s | anonymous memory |\n|---|---|---|---|---|---|"
        );
        for (cold, block, map) in (0..8).map(|row| (row & 4 > 0, if row & 2 > 0 { 0 } else { args.block }, row & 1 > 0))
        {
            for file in files(&folder)? {
                if cold { forget(&file)? } else { io::copy(&mut File::open(file)?, &mut io::sink()).map(|_| ())? }
            }
            let row = read(&folder, map, block, args.workers)?.0;
            let order = if block > 0 { format!("blocks of {block}") } else { "all with all".into() };
            let (files, way) = (if cold { "cold" } else { "warm" }, if map { "mapped" } else { "by position" });
            println!("| {files} | {order} | {way} | {row} |");
        }
    }
    Ok(())
}

/// Reads an epoch. Returns it as a row of the table, and in words.
fn read(folder: &Path, map: bool, block: usize, workers: usize) -> Outcome<(String, String)> {
    let begun = Instant::now();
    // SAFETY: the files are those of this program, which wrote them before and does not change them.
    let data = if map { unsafe { StoreFiles::map(folder)? } } else { StoreFiles::open(folder)? };
    let options = Options::graphs(128).grouping(Packer::Demand).workers(workers);
    let options =
        if block > 0 { options.order(Order::Blocks(block)).seed(1) } else { options.order(Order::Shuffled).seed(1) };
    let loader = Loader::new(data, options)?;
    let mut most = anonymous_megabytes();
    let mut epoch = loader.epoch(0);
    let planned = begun.elapsed().as_secs_f64();
    for (number, batch) in epoch.by_ref().enumerate() {
        drop(batch?);
        if number % 1000 == 0 {
            most = most.max(anonymous_megabytes());
        }
    }
    let stats = epoch.stats();
    let (graphs, seconds) = (stats.real.graphs(), stats.elapsed.as_secs_f64());
    let rate = graphs as f64 / seconds;
    let words = format!(
        "opened and planned in {planned:.2} s; {graphs} graphs in {seconds:.1} s, {rate:.0} graphs/s, {:.0} MB/s of \
         batches; at most {most} MB of anonymous memory\n{}",
        stats.bytes_per_second() / 1e6,
        epoch.report()
    );
    Ok((format!("{planned:.1} s | {:.2} million | {most} MB", rate / 1e6), words))
}

/// Generated molecules.
fn write(folder: &Path, graphs: usize, each: usize) -> Outcome<()> {
    let (begun, molecules) = (Instant::now(), generate(each.min(graphs))?);
    let generated = begun.elapsed().as_secs_f64();
    let (begun, mut writer) = (Instant::now(), StoreFilesWriter::create(folder)?);
    for from in (0..graphs).step_by(each) {
        if graphs - from < each {
            writer.push(&molecules.part(0..graphs - from)?)?;
        } else {
            writer.push(&molecules)?;
        }
    }
    writer.finish()?;
    println!("a file generated in {generated:.1} s, all written in {:.1} s", begun.elapsed().as_secs_f64());
    Ok(())
}

/// Molecules whose features are bytes.
fn generate(graphs: usize) -> Outcome<Store> {
    let wide = molecules::generate(1, graphs);
    let [x, edge_attr] = ["x", "edge_attr"].map(|name| wide.values::<i64>(name));
    let bytes = |values: Vec<i64>| values.into_iter().map(|value| value as u8).collect::<Vec<_>>();
    let columns = vec![
        Column::new("x", Level::NODE, 9, bytes(x?)),
        Column::new("edge_attr", Level::EDGE, 3, bytes(edge_attr?)),
        Column::new("y", Level::Graph, 1, wide.values::<i64>("y")?),
    ];
    let (mut ptr, mut rows) = ([vec![0_u64], vec![0_u64]], [Vec::new(), Vec::new()]);
    for graph in 0..wide.len() {
        for (ptr, size) in ptr.iter_mut().zip(wide.size(graph)?.first::<2>()) {
            ptr.push(ptr[ptr.len() - 1] + u64::from(size));
        }
        let (sources, targets) = wide.edges(graph)?;
        rows[0].extend(sources);
        rows[1].extend(targets);
    }
    let [node_ptr, edge_ptr] = ptr;
    Ok(Store::of_columns(node_ptr, edge_ptr, rows, columns)?)
}

/// The files of a data set.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|file| Ok(file?.path())).collect()
}

/// Makes the system forget what it has of a file in memory.
fn forget(path: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::fadvise(File::open(path)?, 0, None, rustix::fs::Advice::DontNeed)?;
    #[cfg(not(target_os = "linux"))]
    println!("{} may be warm", path.display());
    Ok(())
}

/// Memory of this process that is not of files; 0 where the system does not say.
fn anonymous_megabytes() -> u64 {
    memory("RssAnon").unwrap_or(0) >> 20
}
