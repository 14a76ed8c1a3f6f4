//! Training from data set to test score: packs graphs, prefetches the batches and trains a GINE network on the CPU or a
//! GPU. `cargo xtask train` finds libtorch and runs this.

mod data;
mod epoch;
#[path = "../common/memory.rs"]
mod memory;
mod metrics;
mod network;
#[path = "../common/print.rs"]
mod print;
mod task;
mod way;

use clap::{Parser, ValueEnum};
use data::Input;
use epoch::{Seen, run_epoch};
use graphpack_loader::extend::mix;
use graphpack_loader::{Data, Loader, Options, Order, State};
use graphpack_tch::{Adam, CapturedStep, Checkpoint, DeviceLoader, Pinned, TensorBatch};
use indicatif::{ProgressBar, ProgressStyle};
use memory::memory;
use network::{Network, NetworkName};
use print::{exit, print};
use serde_json::json;
use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use tch::nn;
use tch::{Device, Tensor};
use way::Way;

/// Trains a GINE network, by default of about 100k parameters, to predict a property of graphs, generated molecules or
/// those of a file: yes or no, a class, or a number, whatever its values are.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    input: Input,
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// Graphs per step, on average
    #[arg(long, default_value_t = 128)]
    batch_graphs: u32,
    /// Most packs per batch: one large pack is fuller, several small ones mix sizes better
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    packs: u32,
    /// How batches are filled; each has room for --packs graphs of the largest size [default: packed for
    /// --batch-graphs]
    #[arg(long, value_enum, conflicts_with = "batch_graphs", requires = "packs")]
    way: Option<Way>,
    #[arg(long, value_enum, default_value_t = NetworkName::Gine)]
    model: NetworkName,
    /// Numbers that represent a node
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(i64).range(1..=4096))]
    width: i64,
    /// The learning rate
    #[arg(long, default_value_t = 1e-3)]
    rate: f64,
    /// The learning rate is for steps of this many graphs, and in proportion for others
    #[arg(long, value_name = "GRAPHS")]
    rate_per: Option<f64>,
    /// Threads that make batches
    #[arg(long, default_value_t = 1)]
    workers: usize,
    /// cpu, cuda, cuda:N or cuda:rank
    #[arg(long, default_value = "cpu")]
    device: String,
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Go on from the training saved in this file, if it is there, and save to it
    #[arg(long, value_name = "FILE.safetensors")]
    resume: Option<PathBuf>,
    /// Steps after which the training is saved; it is saved after each epoch, too
    #[arg(long, default_value_t = 100, requires = "resume", value_parser = clap::value_parser!(u64).range(1..))]
    save_every: u64,
    /// Write the loss of each step, too, which waits for the device
    #[arg(long)]
    losses: bool,
    /// json: a line for each epoch and one at the end
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Text,
    Json,
}

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    exit(run(&Args::parse()))
}

fn run(args: &Args) -> Outcome<()> {
    let device = graphpack_tch::device(&args.device)?;
    tch::manual_seed(args.seed as i64);
    let data = args.input.read(args.seed)?;
    let (task, metric) = (data.task, data.task.metric());
    let store = nn::VarStore::new(device);
    let known = (&data.features, &data.elements[..]);
    let network = Network::new(args.model, &store.root(), known, [args.width, task.outputs()])?;
    let loader = |split, shuffle| loader(split, args, device, shuffle, &data.fields);
    let [train, valid, test] = data.splits;
    let [train, valid, test] = [loader(train, Some(args.seed))?, loader(valid, None)?, loader(test, None)?];
    let graphs_per_step = train.data().len() as f64 / train.batches(0)?.max(1) as f64;
    let rate = args.rate * args.rate_per.map_or(1.0, |graphs| graphs_per_step / graphs);
    let parameters: usize = store.trainable_variables().iter().map(Tensor::numel).sum();
    let optimizer = Adam::adamw(&store, rate, 1e-5)?;
    // On a GPU the step is recorded, once for each of the shapes of an epoch, and then replayed; on the CPU it runs as
    // it is.
    let shapes = train.shapes(0)?.len();
    let mut step = CapturedStep::new(device, |batch| {
        let loss = task.loss(&network.forward(batch, true)?, batch)?;
        optimizer.backward_step(&loss)?;
        Ok(loss.detach())
    });
    // Ways without one shape may meet others in later epochs, which run as they are.
    if args.way.is_some() {
        step = step.shapes(shapes.max(2));
    }
    let checkpoint = args.resume.as_ref().map(Checkpoint::new);
    let save = |state: &State| match &checkpoint {
        Some(checkpoint) => checkpoint.save(&store, &optimizer, state),
        None => Ok(()),
    };
    let mut resumed = match &checkpoint {
        Some(checkpoint) => checkpoint.load(&store, &optimizer)?,
        None => None,
    };
    let first = resumed.as_ref().map_or(0, State::epoch);
    if first >= args.epochs {
        return Err(
            format!("{first} epochs are done already: expected --epochs above {first}, found {}", args.epochs).into()
        );
    }
    if args.format == Format::Text {
        let shapes = train.shapes(0)?;
        let shape = shapes.first().map_or(String::new(), |(shape, _)| shape.to_string());
        let graphs = train.data().len();
        print(format_args!("{graphs} training graphs, batches of {shape}, {parameters} parameters"))?;
        print(format_args!("task: {task:?}, from {:?}", data.features))?;
    }

    // How unlike each other batches are in the target: 1 for random ones.
    let between_batches = match args.format {
        Format::Json => train.sample_quality("y", 0..args.epochs)?.columns.first().map(|column| column.variance.found),
        Format::Text => None,
    };
    let mut best = [f64::NAN; 2];
    let (mut total, mut seconds) = (Seen::default(), 0.0);
    let mut filled = [0.0; 2];
    for number in first..args.epochs {
        let start = Instant::now();
        let epoch = match resumed.take() {
            Some(state) => train.resume(&state)?,
            None => train.epoch(number),
        };
        let bar = progress(epoch.size_hint().1.unwrap_or(0), &format!("epoch {}", number + 1), args.format);
        let one_step = |batch: &TensorBatch| -> Outcome<Tensor> {
            // Dropout follows from epoch and step, so that a resumed training draws what the unbroken one does.
            tch::manual_seed(mix(mix(args.seed, number), batch.step()) as i64);
            let loss = step.run(batch)?.shallow_clone();
            if args.losses {
                print_loss(batch, f64::try_from(&loss)?, args.format)?;
            }
            if (batch.step() + 1).is_multiple_of(args.save_every) {
                save(&batch.state())?;
            }
            Ok(loss)
        };
        let (loss, seen) = run_epoch(one_step, DeviceLoader::new(epoch, device), device, &bar, start)?;
        save(&train.state(number + 1)?)?;
        bar.finish_and_clear();
        let took = start.elapsed().as_secs_f64();
        filled = seen.filled();
        seconds += took;
        total.graphs += seen.graphs;
        total.waited += seen.waited;
        let scores = [task.score(&network, &valid, device)?, task.score(&network, &test, device)?];
        if task.is_better(scores[0], best[0]) {
            best = scores;
        }
        let wait = seen.waited.as_secs_f64() / took;
        match args.format {
            Format::Json => print(json!({
                "epoch": number, "loss": loss, (format!("valid_{metric}")): scores[0],
                (format!("test_{metric}")): scores[1], "seconds": took, "wait_share": wait, "steps": seen.steps,
                "node_slots": seen.rows[0], "edge_slots": seen.rows[1], "shapes": seen.shapes.len(),
            }))?,
            Format::Text => print(format_args!(
                "epoch {}: loss {loss:.4}, valid {metric} {:.4}, test {:.4}; {took:.1} s, {:.0} graphs/s, \
                 {:.2} % of the time waiting for data",
                number + 1,
                scores[0],
                scores[1],
                seen.graphs as f64 / took,
                100.0 * wait
            ))?,
        }
    }
    let summary = json!({
        (format!("valid_{metric}")): best[0],
        (format!("test_{metric}")): best[1],
        "seconds_per_epoch": seconds / (args.epochs - first) as f64,
        "graphs_per_second": total.graphs as f64 / seconds,
        "nodes_filled": filled[0],
        "edges_filled": filled[1],
        "wait_share": total.waited.as_secs_f64() / seconds,
        "between_batches": between_batches,
        "peak_megabytes": memory("VmHWM").unwrap_or(0) >> 20,
    });
    match args.format {
        Format::Json => print(summary)?,
        Format::Text => print(format_args!(
            "best epoch: valid {metric} {:.4}, test {:.4}; batches {:.1} % full of nodes, {:.1} % of edges",
            best[0],
            best[1],
            100.0 * filled[0],
            100.0 * filled[1]
        ))?,
    }
    Ok(())
}

fn loader(split: Data, args: &Args, device: Device, shuffle: Option<u64>, fields: &[String]) -> Outcome<Loader> {
    // A pack must have room for the largest graph: fewer packs if that room would hold more graphs than were asked for.
    let nodes = split.sizes()?.map(|size| size[0]);
    let (sum, largest) = nodes.fold((0.0, 0), |(sum, largest), nodes| (sum + f64::from(nodes), largest.max(nodes)));
    let mean = sum / split.len().max(1) as f64;
    // Not a number where no graph has a node.
    let largest = (f64::from(largest) / mean).max(1.0);
    let packs = (f64::from(args.batch_graphs) / largest).clamp(1.0, f64::from(args.packs)) as u32;
    let options = match (args.way, shuffle) {
        (Some(way), Some(_)) => way.apply(Options::default(), &split, args.packs)?,
        _ => Options::graphs(args.batch_graphs.div_ceil(packs)).packs(packs as usize),
    };
    let mut options = options.workers(args.workers).fields(fields);
    if let Some(seed) = shuffle {
        options = options.order(Order::Shuffled).seed(seed);
    }
    if device.is_cuda() {
        options = options.memory(Pinned);
    }
    Ok(Loader::new(split, options)?)
}

fn print_loss(batch: &TensorBatch, loss: f64, format: Format) -> io::Result<()> {
    let (epoch, step) = (batch.epoch(), batch.step());
    match format {
        Format::Json => print(json!({ "epoch": epoch, "step": step, "loss": loss })),
        Format::Text => print(format_args!("epoch {}, step {step}: loss {loss}", epoch + 1)),
    }
}

/// A progress bar on a terminal; hidden where output is piped or in JSON.
fn progress(batches: usize, name: &str, format: Format) -> ProgressBar {
    if format == Format::Json {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len} {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(batches as u64).with_style(style).with_prefix(name.to_owned())
}
