//! Classes of the nodes of one large graph, by a network that never sees all of it at once: parts of the graph as batches, with the edges between
//! them (Cluster-GCN), or sampled neighbourhoods (GraphSAGE); `--full` for comparison.

mod blocks;
mod sage;

use clap::{Parser, ValueEnum};
use graphpack_core::Limits;
use graphpack_loader::partition::{
    Assignment, ChunkedGraph, ClusterGroups, ClusterOptions, Clusters, Cut, LargeGraph, Metis, NeighbourOptions,
    Neighbours,
};
use graphpack_loader::{Batching, Draw, DrawnLoader, Shape, Source};
use graphpack_tch::{Adam, BridgeError, CapturedStep, DeviceLoader, Pinned, TensorBatch, masked_mean};
use indicatif::{ProgressBar, ProgressStyle};
use sage::{Sage, Whole};
use serde_json::json;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use tch::{Kind, Tensor, nn};

/// Trains GraphSAGE to classify the nodes of a graph that it generates or reads, on parts of it or on sampled neighbourhoods.
#[derive(Parser)]
struct Args {
    /// Folder of a graph in DGL's Chunked Graph Format whose nodes have x (float32), y (int64), train_mask, val_mask and test_mask (uint8 or bool)
    #[arg(long = "in", value_name = "DIR")]
    input: Option<PathBuf>,
    /// Nodes of the graph that is generated
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(100..100_000_000))]
    nodes: u64,
    /// Classes of the graph that is generated
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..=50))]
    classes: u64,
    /// How the graph is cut
    #[arg(long, value_enum, default_value_t = Method::Metis)]
    method: Method,
    #[arg(long, default_value_t = 200)]
    parts: usize,
    /// Parts in a batch, drawn anew each epoch, with the edges between them
    #[arg(long, default_value_t = 10)]
    clusters: usize,
    /// Leaves the edges between the parts of a batch out
    #[arg(long)]
    apart: bool,
    /// Samples neighbourhoods instead: the most neighbours in each hop, such as 10,5
    #[arg(long, value_delimiter = ',', conflicts_with = "full")]
    fan_outs: Option<Vec<u32>>,
    /// Training nodes in a batch of neighbourhoods
    #[arg(long, default_value_t = 512)]
    seeds: u32,
    /// Trains on the whole graph, a step per epoch
    #[arg(long)]
    full: bool,
    /// Default 10, with --full 200
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
    /// json: one object per epoch and one at the end, a line each
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
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("large_graph: {error}");
            ExitCode::FAILURE
        }
    }
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
    let limits = pieces.limits(epochs, args.seeds);
    let mut options = DrawnLoader::new(pieces).batching(Batching::Dynamic).limits(limits);
    options = options.shuffle(args.seed).workers(args.workers);
    if device.is_cuda() {
        options = options.memory(Pinned);
    }
    let loader = options.build()?;
    let prepared = cutting.elapsed().as_secs_f64();
    let store = nn::VarStore::new(device);
    let hops = args.fan_outs.as_ref().map_or(2, Vec::len);
    let mut widths = vec![HIDDEN; hops + 1];
    (widths[0], widths[hops]) = (whole.x.size2()?.1, whole.classes);
    let network = Sage::new(&store.root(), &widths, DROPOUT);
    let mut optimizer = Adam::new(&store, args.learning_rate, 0.0)?;
    let mut step = CapturedStep::new(device, |batch| {
        let loss = loader.draws().loss(&network, batch)?;
        optimizer.backward_step(&loss)?;
        Ok(loss.detach())
    });
    if args.format == Format::Text {
        let (nodes, edges) = (graph.nodes(), graph.edges());
        println!("{nodes} nodes, {edges} edges ({read:.1} s), {what} ({prepared:.1} s)");
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
            Format::Json => println!("{}", json!({ "epoch": epoch, "loss": loss, "seconds": took })),
            Format::Text => println!("epoch {}: loss {loss:.4}; {took:.2} s, {steps} steps", epoch + 1),
        }
    }
    let peak = crate::memory("VmHWM");
    let [train, valid, test] = whole.accuracy(&network)?;
    let layout = loader.layout().ok_or("epochs of one shape")?;
    let (Shape { nodes, edges, .. }, bytes) = (layout.shape(), layout.bytes());
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
        // Of the process, data included; the peak of the time in training alone where the system lets it be reset.
        "resident_mib_before": mib(memory[0]),
        "resident_mib_peak": mib(peak),
        "peak_is_of_training": memory[1].is_some(),
    });
    match args.format {
        Format::Json => println!("{summary}"),
        Format::Text => {
            println!("accuracy: training nodes {train:.4}, validation {valid:.4}, test {test:.4}");
            println!(
                "{:.2} s per epoch; batches of {nodes} nodes, {edges} edges, {:.1} MiB",
                seconds / epochs as f64,
                bytes as f64 / f64::from(1 << 20)
            );
            if let (Some(before), Some(peak)) = (mib(memory[0]), mib(peak)) {
                let what = if memory[1].is_some() { "in training" } else { "so far" };
                println!("memory of the process: {before:.0} MiB before training, at most {peak:.0} MiB {what}");
            }
        }
    }
    Ok(())
}

/// What batches are made of, drawn anew in each epoch.
enum Pieces {
    Clusters(ClusterGroups),
    Neighbours(Neighbours),
}

impl Pieces {
    /// And what they are, in words.
    fn new(graph: Arc<LargeGraph>, whole: &Whole, args: &Args) -> Outcome<(Self, String)> {
        if let Some(fan_outs) = &args.fan_outs {
            let seeds: Vec<i64> =
                (0..).zip(&whole.masks[0]).filter(|(_, train)| **train).map(|(node, _)| node).collect();
            let what = format!("neighbourhoods of {} training nodes, fan-outs {fan_outs:?}", seeds.len());
            let options = NeighbourOptions {
                fan_outs: fan_outs.clone(),
                seed: args.seed,
                features: Some(vec!["x".into()]),
                of_seeds: vec!["y".into()],
            };
            return Ok((Self::Neighbours(Neighbours::new(graph, &seeds, options)?), what));
        }
        let (parts, per_group) = if args.full { (1, 1) } else { (args.parts, args.clusters) };
        let assignment = match args.method {
            Method::Metis if parts > 1 => Metis::new(parts).seed(args.seed).assign(&graph)?,
            _ => Assignment::random(&graph, parts, args.seed)?,
        };
        let cut = 100.0 * assignment.edge_cut(&graph)? as f64 / graph.edges().max(1) as f64;
        let features = Some(["x", "y", "train_mask"].map(String::from).to_vec());
        let options = ClusterOptions { features, ..ClusterOptions::default() };
        let cutting = Cut::new(&graph, &assignment, 1)?;
        let clusters = Clusters::new(cutting.book(), cutting.parts(), &options)?;
        let groups = ClusterGroups::new(Arc::new(clusters), per_group, args.seed)?.between(!args.apart);
        let what = if args.full {
            "the whole graph".into()
        } else {
            let apart = if args.apart { ", none of them in batches" } else { "" };
            format!("{per_group} of {parts} parts, {cut:.1} % of the edges between parts{apart}")
        };
        Ok((Self::Clusters(groups), what))
    }

    /// Limits that all epochs fit.
    fn limits(&self, epochs: u64, seeds: u32) -> Limits<2> {
        match self {
            Self::Clusters(groups) => groups.limits_of(0..epochs),
            Self::Neighbours(neighbours) => neighbours.limits(seeds),
        }
    }

    /// Mean cross-entropy over training nodes: those that parts own, or seeds.
    fn loss(&self, network: &Sage, batch: &TensorBatch) -> Result<Tensor, BridgeError> {
        let logits = network.forward(batch, true)?;
        let (logits, mask) = match self {
            Self::Clusters(_) => {
                let train = batch.get("train_mask")?.f_to_kind(Kind::Bool)?;
                (logits, train.f_logical_and(batch.get("owned")?)?.f_view(-1)?)
            }
            // The first node of each graph; for padding graphs any row.
            Self::Neighbours(_) => {
                let graphs = batch.shape().graphs as i64;
                let first = batch.ptr().f_narrow(0, 0, graphs)?.f_clamp_max(batch.shape().nodes as i64 - 1)?;
                (logits.f_index_select(0, &first)?, batch.graph_mask().shallow_clone())
            }
        };
        let labels = batch.get("y")?.f_to_kind(Kind::Int64)?.f_view([-1, 1])?;
        let likelihood = logits.f_log_softmax(1, Kind::Float)?.f_gather(1, &labels, false)?.f_view(-1)?;
        Ok(masked_mean(&likelihood.f_neg()?, &mask)?)
    }
}

impl Draw for Pieces {
    type Graphs = Arc<dyn Source>;

    fn draw(&self, epoch: u64) -> Arc<dyn Source> {
        match self {
            Self::Clusters(groups) => Arc::new(groups.epoch(epoch)),
            Self::Neighbours(neighbours) => Arc::new(neighbours.epoch(epoch)),
        }
    }
}

/// Bytes that Linux says this process has or had in memory.
fn memory(key: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? << 10)
}

/// Lets the peak start anew; `None` where the system does not.
fn reset_peak() -> Option<u64> {
    fs::write("/proc/self/clear_refs", "5").ok()?;
    memory("VmHWM")
}

/// A bar on a terminal, nothing where output is piped or read by a program.
fn progress(batches: usize, name: &str, format: Format) -> ProgressBar {
    if format == Format::Json {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(batches as u64).with_style(style).with_prefix(name.to_owned())
}
