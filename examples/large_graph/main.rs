//! Classifies the nodes of one large graph with a network that never sees the whole graph in training: batches are
//! parts of the graph with the edges between them (Cluster-GCN) or sampled neighbourhoods (GraphSAGE), with `--full`
//! the whole graph for comparison. `cargo run --release --features tch --example large_graph -- --help`

mod blocks;
#[path = "../common/memory.rs"]
mod memory;
mod pieces;
#[path = "../common/print.rs"]
mod print;
mod sage;

use clap::{Parser, ValueEnum};
use graphpack_loader::{Data, Grouping, Loader, Options, Order};
use graphpack_partition::chunked::ChunkedGraph;
use graphpack_tch::{Adam, CapturedStep, DeviceLoader, Pinned};
use indicatif::{ProgressBar, ProgressStyle};
use memory::memory;
use pieces::Pieces;
use print::{exit, print};
use sage::{Sage, Whole};
use serde_json::json;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use tch::{Kind, Tensor, nn};

/// Trains GraphSAGE to classify the nodes of a graph, generated or read, on parts of it or on sampled neighbourhoods.
#[derive(Parser)]
struct Args {
    /// Folder of a graph in DGL's Chunked Graph Format whose nodes have x (float32), y (int64), and train_mask,
    /// val_mask and test_mask (uint8 or bool)
    #[arg(long = "in", value_name = "DIR")]
    input: Option<PathBuf>,
    /// Nodes of the generated graph
    #[arg(long, default_value_t = 200_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(100..100_000_000))]
    nodes: u64,
    /// Classes of the generated graph
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..=50))]
    classes: u64,
    /// How the graph is cut
    #[arg(long, value_enum, default_value_t = Method::Metis)]
    method: Method,
    #[arg(long, default_value_t = 200)]
    parts: usize,
    /// Parts in a batch, with the edges between them; each epoch draws which
    #[arg(long, default_value_t = 10)]
    clusters: usize,
    /// Leave out the edges between the parts of a batch
    #[arg(long)]
    apart: bool,
    /// Sample neighbourhoods instead of parts: the most neighbours in each hop, such as 10,5
    #[arg(long, value_delimiter = ',', conflicts_with = "full")]
    fan_outs: Option<Vec<u32>>,
    /// Training nodes in a batch of neighbourhoods
    #[arg(long, default_value_t = 512)]
    roots: u32,
    /// Train on the whole graph, one step per epoch
    #[arg(long)]
    full: bool,
    /// [default: 10, with --full 200]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    epochs: Option<u64>,
    #[arg(long, default_value_t = 0.01)]
    learning_rate: f64,
    /// Threads that make batches
    #[arg(long, default_value_t = 1)]
    workers: usize,
    /// cpu, cuda, cuda:N or cuda:rank
    #[arg(long, default_value = "cpu")]
    device: String,
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// json: a line for each epoch and one at the end
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Method {
    Metis,
    Random,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Text,
    Json,
}

type Outcome<T> = Result<T, Box<dyn Error>>;

const HIDDEN: i64 = 32;
const DROPOUT: f64 = 0.2;

fn main() -> ExitCode {
    exit(run(&Args::parse()))
}

fn run(args: &Args) -> Outcome<()> {
    let device = graphpack_tch::device(&args.device)?;
    tch::manual_seed(args.seed as i64);
    let start = Instant::now();
    let graph = Arc::new(match &args.input {
        Some(folder) => ChunkedGraph::open(folder)?.to_memory()?,
        None => blocks::generate(args.seed, args.nodes as usize, args.classes as usize)?,
    });
    let whole = Whole::new(&graph, device)?;
    let read = start.elapsed().as_secs_f64();
    let epochs = args.epochs.unwrap_or(if args.full { 200 } else { 10 });
    let cutting = Instant::now();
    let (pieces, what) = Pieces::new(graph.clone(), &whole, args)?;
    let limits = pieces.limits(epochs, args.roots);
    let mut options = Options::default().grouping(Grouping::InOrder).capacity(limits);
    options = options.order(Order::Shuffled).seed(args.seed).workers(args.workers);
    if device.is_cuda() {
        options = options.memory(Pinned);
    }
    let pieces = Arc::new(pieces);
    let drawn = pieces.clone();
    let loader = Loader::new(Data::each_epoch(move |epoch| Ok(drawn.epoch(epoch))), options)?;
    let prepared = cutting.elapsed().as_secs_f64();
    let store = nn::VarStore::new(device);
    let hops = args.fan_outs.as_ref().map_or(2, Vec::len);
    let mut widths = vec![HIDDEN; hops + 1];
    (widths[0], widths[hops]) = (whole.x.size2()?.1, whole.classes);
    let network = Sage::new(&store.root(), &widths, DROPOUT);
    let optimizer = Adam::new(&store, args.learning_rate, 0.0)?;
    let mut step = CapturedStep::new(device, |batch| {
        let loss = pieces.loss(&network, batch)?;
        optimizer.backward_step(&loss)?;
        Ok(loss.detach())
    });
    if args.format == Format::Text {
        let (nodes, edges) = (graph.nodes(), graph.edges());
        print(format_args!("{nodes} nodes, {edges} edges ({read:.1} s), {what} ({prepared:.1} s)"))?;
    }

    let memory = [memory("VmRSS"), reset_peak()];
    let (mut seconds, mut steps) = (0.0, 0);
    for epoch in 0..epochs {
        let start = Instant::now();
        let batches = loader.epoch(epoch);
        let bar = progress(batches.size_hint().1.unwrap_or(0), &format!("epoch {}", epoch + 1), args.format);
        let mut sum = Tensor::f_zeros([] as [i64; 0], (Kind::Double, device))?;
        steps = 0;
        for batch in DeviceLoader::new(batches, device) {
            let _ = sum.f_add_(step.run(&batch?)?)?;
            steps += 1;
            bar.inc(1);
        }
        bar.finish_and_clear();
        let loss = f64::try_from(&sum)? / f64::from(steps.max(1));
        let took = start.elapsed().as_secs_f64();
        seconds += took;
        match args.format {
            Format::Json => print(json!({ "epoch": epoch, "loss": loss, "seconds": took }))?,
            Format::Text => {
                print(format_args!("epoch {}: loss {loss:.4}; {took:.2} s, {steps} steps", epoch + 1))?;
            }
        }
    }
    let peak = memory::memory("VmHWM");
    let [train, valid, test] = whole.accuracy(&network)?;
    let layout = loader.layout().ok_or("epochs of one shape")?;
    let (shape, bytes) = (layout.shape(), layout.bytes());
    let (nodes, edges) = (shape.nodes(), shape.edges());
    let mib = |bytes: Option<u64>| bytes.map(|bytes| bytes as f64 / f64::from(1 << 20));
    let summary = json!({
        "batches": what,
        "train_accuracy": train,
        "valid_accuracy": valid,
        "test_accuracy": test,
        "epochs": epochs,
        "steps_per_epoch": steps,
        "seconds_per_epoch": seconds / epochs as f64,
        "seconds_to_prepare": prepared,
        "shape": { "nodes": nodes, "edges": edges },
        "batch_mib": bytes as f64 / f64::from(1 << 20),
        // Memory of the process, data included. Where the system allows a reset, the peak is that of training alone.
        "resident_mib_before": mib(memory[0]),
        "resident_mib_peak": mib(peak),
        "peak_is_of_training": memory[1].is_some(),
    });
    match args.format {
        Format::Json => print(summary)?,
        Format::Text => {
            print(format_args!("accuracy: training nodes {train:.4}, validation {valid:.4}, test {test:.4}"))?;
            print(format_args!(
                "{:.2} s per epoch; batches of {nodes} nodes, {edges} edges, {:.1} MiB",
                seconds / epochs as f64,
                bytes as f64 / f64::from(1 << 20)
            ))?;
            if let (Some(before), Some(peak)) = (mib(memory[0]), mib(peak)) {
                let what = if memory[1].is_some() { "in training" } else { "so far" };
                print(format_args!(
                    "memory of the process: {before:.0} MiB before training, at most {peak:.0} MiB {what}"
                ))?;
            }
        }
    }
    Ok(())
}

/// Resets the peak of memory; `None` where the system does not allow it.
fn reset_peak() -> Option<u64> {
    fs::write("/proc/self/clear_refs", "5").ok()?;
    memory("VmHWM")
}

/// A progress bar on a terminal; hidden where output is piped or in JSON.
fn progress(batches: usize, name: &str, format: Format) -> ProgressBar {
    if format == Format::Json {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(batches as u64).with_style(style).with_prefix(name.to_owned())
}
