//! Times of training: batches copied in line, ahead, and with the step captured.

use super::Outcome;
use super::task::Task;
use graphpack_tch::{BridgeError, CapturedStep, Stream, TensorBatch};
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;
use tch::Device;

/// Both networks, in every way of feeding them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder that `prepare` wrote
    data: PathBuf,
    /// cpu, cuda or cuda:N
    #[arg(long, default_value = "cuda")]
    device: String,
    /// Graphs per batch
    #[arg(long, value_delimiter = ',', default_values_t = [64, 128, 256, 512])]
    batch_graphs: Vec<u32>,
    /// Epochs of each measurement, of which the median is taken; one more comes before them
    #[arg(long, default_value_t = 3)]
    epochs: u64,
    /// Most steps of an epoch
    #[arg(long, default_value_t = usize::MAX)]
    steps: usize,
    /// Threads that make batches
    #[arg(long, default_value_t = 2)]
    workers: usize,
}

/// Batches that are on the device at once, so that they are not all in its cache.
const RESIDENT: usize = 16;

/// How batches get to the device, and what the step is.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// Copied when they are asked for.
    InLine,
    /// Copied while the step before computes.
    Ahead,
    /// Likewise, and the step is a CUDA graph.
    Captured,
}

const WAYS: [(&str, Way); 3] =
    [("graphpack, copied in line", Way::InLine), ("graphpack", Way::Ahead), ("graphpack, captured", Way::Captured)];

/// An epoch.
#[derive(Clone, Copy)]
struct Epoch {
    seconds: f64,
    steps: usize,
    graphs: usize,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let device = graphpack_tch::device(&args.device)?;
    for task in Task::all(&args.data)? {
        for &graphs in &args.batch_graphs {
            for (name, way) in WAYS {
                // Nothing is captured on a CPU, nor copied.
                if way != Way::Ahead && !device.is_cuda() {
                    continue;
                }
                measure(args, device, &task, graphs, (name, way))?;
            }
        }
    }
    Ok(())
}

/// Does the step for a batch.
type Step = Box<dyn FnMut(&TensorBatch) -> Outcome>;

/// A step on a new network.
fn step(task: &Task, device: Device, way: Way) -> Outcome<Step> {
    let mut training = task.training(device, 0.1, 0, 0.0)?;
    if way != Way::Captured {
        return Ok(Box::new(move |batch| Ok(training.step(batch).map(drop)?)));
    }
    let mut captured = CapturedStep::new(device, move |batch| training.step(batch));
    Ok(Box::new(move |batch| Ok(captured.run(batch).map(drop)?)))
}

fn measure(args: &Args, device: Device, task: &Task, batch_graphs: u32, (name, way): (&str, Way)) -> Outcome {
    let loader = task.loader(batch_graphs, device, args.workers)?;
    let mut step = step(task, device, way)?;
    let mut epochs = Vec::new();
    for number in 0..=args.epochs {
        let epoch = if way == Way::InLine {
            let batches = loader.epoch(number).map(|batch| TensorBatch::new(batch?, device));
            epoch(device, args.steps, batches, &mut step)?
        } else {
            epoch(device, args.steps, task.batches(&loader, number, device), &mut step)?
        };
        epochs.push(epoch);
    }
    epochs.remove(0);
    epochs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let median = epochs[epochs.len() / 2];

    // The same work on batches that are there already, and loading alone.
    let resident = resident(args, device, task, batch_graphs, way, median.steps)?;
    let loading = epoch(device, args.steps, task.batches(&loader, 1, device), |_| Ok(()))?.seconds;
    let hidden = device.is_cuda().then(|| 1.0 - ((median.seconds - resident) / loading).clamp(0.0, 1.0));
    println!(
        "{}",
        json!({
            "task": task.name,
            "loader": name,
            "device": args.device,
            "batch_graphs": batch_graphs,
            "steps": median.steps,
            "graphs": median.graphs,
            "seconds_per_epoch": median.seconds,
            "step_ms": 1e3 * resident / median.steps.max(1) as f64,
            "wait_share": (1.0 - resident / median.seconds).max(0.0),
            "loading_seconds": loading,
            "loading_hidden": hidden,
            "graphs_per_second": median.graphs as f64 / median.seconds,
        })
    );
    Ok(())
}

/// Seconds of so many steps on batches that are on the device.
fn resident(args: &Args, device: Device, task: &Task, batch_graphs: u32, way: Way, steps: usize) -> Outcome<f64> {
    let loader = task.loader(batch_graphs, device, args.workers)?;
    let mut step = step(task, device, way)?;
    let batches = task.batches(&loader, 0, device).take(RESIDENT).collect::<Result<Vec<_>, _>>()?;
    for batch in batches.iter().cycle().take(10) {
        step(batch)?;
    }
    finish(device)?;
    let start = Instant::now();
    for batch in batches.iter().cycle().take(steps) {
        step(batch)?;
    }
    finish(device)?;
    Ok(start.elapsed().as_secs_f64())
}

/// One pass, until the device is done.
fn epoch(
    device: Device,
    most: usize,
    batches: impl Iterator<Item = Result<TensorBatch, BridgeError>>,
    mut step: impl FnMut(&TensorBatch) -> Outcome,
) -> Outcome<Epoch> {
    let start = Instant::now();
    let mut epoch = Epoch { seconds: 0.0, steps: 0, graphs: 0 };
    for batch in batches.take(most) {
        let batch = batch?;
        step(&batch)?;
        epoch.steps += 1;
        epoch.graphs += batch.real().graphs;
    }
    finish(device)?;
    epoch.seconds = start.elapsed().as_secs_f64();
    Ok(epoch)
}

/// Waits for the device.
fn finish(device: Device) -> Outcome {
    if device.is_cuda() {
        Stream::current(device)?.synchronize()?;
    }
    Ok(())
}
