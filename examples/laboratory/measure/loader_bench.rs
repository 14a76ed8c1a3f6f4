//! How fast batches are made, without libtorch: graphs per CPU-second on one thread, and the speedup of two workers. It
//! prints JSON; `cargo xtask lab bench` compares it with other loaders.

use clap::Parser;
use cpu_time::ProcessTime;
use graphpack_loader::{
    Capacity, Data, Dtype, Edges, Estimate, Grouping, Loader, Options, Order, Store, clusters, molecules,
};
use serde_json::json;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

/// Measures the loader alone.
#[derive(Parser)]
struct Args {
    /// Stores in safetensors [default: generated molecules and clusters]
    #[arg(long, value_name = "FILE")]
    store: Vec<PathBuf>,
    /// Epochs per measurement, whose median counts
    #[arg(long, default_value_t = 5)]
    epochs: u64,
    /// Batch sizes, the padding graph included
    #[arg(long, value_delimiter = ',', default_values_t = [128, 32])]
    batch_sizes: Vec<u32>,
}

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let args = Args::parse();
    if args.store.is_empty() {
        let made = Data::from(clusters::generate(1, 20_000)).connect(Edges::FullyConnected)?;
        measure(&args, "clusters", Store::collect(&made)?)?;
        for &batch_size in &args.batch_sizes {
            let options = dynamic(batch_size).order(Order::Shuffled).seed(1).prefetch(8);
            let loader = Loader::new(made.clone(), options)?;
            report(&args, "clusters", ("edges made on the way, int64", batch_size), &loader)?;
        }
        measure(&args, "molecules", molecules::generate(1, 40_000))?;
    }
    for path in &args.store {
        let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        // SAFETY: whoever measures leaves the files alone meanwhile.
        measure(&args, &name, unsafe { Store::map(path)? })?;
    }
    Ok(())
}

fn measure(args: &Args, data: &str, store: Store) -> Outcome<()> {
    let (mapped, memory) = (Data::from(store.clone()), Data::from(store.to_memory()?));
    for &batch_size in &args.batch_sizes {
        let options = || dynamic(batch_size).order(Order::Shuffled).seed(1).prefetch(8);
        let rows = [
            ("mapped file, int64", &mapped, options().workers(0)),
            ("memory, int64", &memory, options().workers(0)),
            ("memory, int32", &memory, options().workers(0).index(Dtype::I32)),
            ("memory, int64, in order", &memory, dynamic(batch_size)),
            ("memory, int64, 1 worker", &memory, options().workers(1)),
            ("memory, int64, 2 workers", &memory, options().workers(2)),
        ];
        // Generated graphs are not in a file.
        for (name, source, options) in rows.into_iter().skip(usize::from(args.store.is_empty())) {
            report(args, data, (name, batch_size), &Loader::new(source, options)?)?;
        }
    }
    Ok(())
}

/// Batches on the thread of the consumer, in the order of the data.
fn dynamic(batch_size: u32) -> Options {
    let options = Options::default().grouping(Grouping::InOrder).workers(0);
    options.capacity(Capacity::estimate(Estimate::Jraph, batch_size))
}

/// Prints a line of JSON.
fn report(args: &Args, data: &str, (name, batch_size): (&str, u32), loader: &Loader) -> Outcome<()> {
    let (mut wall, mut cpu) = (Vec::new(), Vec::new());
    let (mut graphs, mut batches, mut read) = (0, 0, 0);
    // The first epoch is not counted: it allocates the memory of the batches.
    for epoch in 0..=args.epochs {
        (graphs, batches) = (0, 0);
        let (begun, used) = (Instant::now(), ProcessTime::now());
        for batch in loader.epoch(epoch) {
            let batch = batch?;
            graphs += batch.real().graphs();
            batches += 1;
            read += usize::from(*batch.bytes().last().unwrap_or(&0));
        }
        if epoch > 0 {
            wall.push(begun.elapsed().as_secs_f64());
            cpu.push(used.elapsed().as_secs_f64());
        }
    }
    std::hint::black_box(read);
    let median = |mut seconds: Vec<f64>| {
        seconds.sort_by(f64::total_cmp);
        seconds[seconds.len() / 2]
    };
    let (wall, cpu) = (median(wall), median(cpu));
    println!(
        "{}",
        json!({
            "data": data, "what": name, "batch_size": batch_size, "graphs": graphs, "batches": batches,
            "graphs_per_second": graphs as f64 / wall, "graphs_per_cpu_second": graphs as f64 / cpu,
            "batches_per_second": batches as f64 / wall, "ms_per_batch": 1e3 * wall / batches as f64,
        })
    );
    Ok(())
}
