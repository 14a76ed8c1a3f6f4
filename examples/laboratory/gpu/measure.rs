//! Times of training: with batches copied in line, with batches copied ahead, and with captured steps.

use super::{Outcome, brief, caught};
use clap::ValueEnum;
use example_models::Task;
use graphpack_loader::{Loader, Store};
use graphpack_tch::{CapturedStep, Error, Stream, TensorBatch};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tch::Device;

/// Times the training of both networks, with every way of feeding them.
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
    /// Epochs of each measurement, after one that does not count; the median is taken
    #[arg(long, default_value_t = 3)]
    epochs: u64,
    /// The most steps of an epoch
    #[arg(long, default_value_t = usize::MAX)]
    steps: usize,
    /// Threads that make batches
    #[arg(long, default_value_t = 2)]
    workers: usize,
    /// gine, schnet
    #[arg(long, value_delimiter = ',', default_values = ["gine", "schnet"])]
    tasks: Vec<String>,
    /// How batches get to the device; on a CPU nothing is copied, and only `ahead` is measured
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["in-line", "ahead", "captured"])]
    ways: Vec<Way>,
}

/// Number of batches that lie on the device at once: too many for its cache.
const RESIDENT: usize = 16;

/// How batches get to the device, and whether the step is captured.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Way {
    /// Each is copied when it is asked for; the CPU waits for it before the next.
    InLine,
    /// Each is copied while the step before computes.
    Ahead,
    /// Likewise; the step is a CUDA graph.
    Captured,
}

/// Captured steps come last: after a recording has failed, none succeeds.
const WAYS: [(&str, Way); 3] = [
    ("graphpack, copied in line and waited for", Way::InLine),
    ("graphpack", Way::Ahead),
    ("graphpack, captured", Way::Captured),
];

/// The time of an epoch.
#[derive(Clone, Copy)]
struct Epoch {
    seconds: f64,
    steps: usize,
    graphs: usize,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let device = graphpack_tch::device(&args.device)?;
    let tasks = chosen(&args.data, &args.tasks)?;
    let mut failed = 0;
    for task in &tasks {
        for (name, way) in WAYS {
            if !args.ways.contains(&way) || (way != Way::Ahead && !device.is_cuda()) {
                continue;
            }
            let name = format!("{name}, {} workers", args.workers);
            for &graphs in &args.batch_graphs {
                let known = [("task", json!(task.name())), ("loader", json!(name)), ("device", json!(args.device))];
                let mut row: Map<_, _> = known.map(|(key, value)| (key.to_owned(), value)).into_iter().collect();
                row.insert("batch_graphs".into(), json!(graphs));
                match caught(|| measure(args, device, task, graphs, way)) {
                    Ok(found) => row.extend(found),
                    Err(error) => {
                        failed += 1;
                        row.insert("error".into(), json!(brief(&*error)));
                    }
                }
                println!("{}", Value::Object(row));
            }
        }
    }
    if failed > 0 { Err(format!("{failed} measurements failed").into()) } else { Ok(()) }
}

/// The tasks of these keys, on the data that `prepare` wrote.
fn chosen(folder: &Path, keys: &[String]) -> Outcome<Vec<Task>> {
    let open = |name: &str| -> Outcome<Store> { Ok(Store::open(folder.join(name))?.to_memory()?) };
    let all = Task::both(open("molecules.safetensors")?, open("structures.safetensors")?)?;
    if let Some(key) = keys.iter().find(|key| all.iter().all(|task| task.key() != key.as_str())) {
        return Err(format!("task {key:?} is neither gine nor schnet").into());
    }
    Ok(all.into_iter().filter(|task| keys.iter().any(|key| key == task.key())).collect())
}

/// Runs the step for a batch.
type Step = Box<dyn FnMut(&TensorBatch) -> Outcome>;

/// A step that trains a new network.
fn step(task: &Task, device: Device, way: Way) -> Outcome<Step> {
    let mut training = task.training(device, 0.1, 0, None)?;
    if way != Way::Captured {
        return Ok(Box::new(move |batch| Ok(training.step(batch).map(drop)?)));
    }
    let mut captured = CapturedStep::new(device, move |batch| training.step(batch));
    Ok(Box::new(move |batch| Ok(captured.run(batch).map(drop)?)))
}

fn measure(args: &Args, device: Device, task: &Task, batch_graphs: u32, way: Way) -> Outcome<Map<String, Value>> {
    let loader = task.loader(batch_graphs, device, args.workers)?;
    let mut step = step(task, device, way)?;
    let mut epochs = Vec::new();
    for number in 0..=args.epochs {
        epochs.push(epoch(device, args.steps, batches(task, &loader, number, device, way), &mut step)?);
    }
    epochs.remove(0);
    epochs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let median = epochs[epochs.len() / 2];

    // The same steps on batches that are on the device already; then loading alone.
    let resident = resident(args, device, task, batch_graphs, way, median.steps)?;
    let loading = epoch(device, args.steps, batches(task, &loader, 1, device, way), |_| Ok(()))?.seconds;
    let hidden = device.is_cuda().then(|| 1.0 - ((median.seconds - resident) / loading).clamp(0.0, 1.0));
    let found = [
        ("steps", json!(median.steps)),
        ("graphs", json!(median.graphs)),
        ("seconds_per_epoch", json!(median.seconds)),
        ("step_ms", json!(1e3 * resident / median.steps.max(1) as f64)),
        ("wait_share", json!((1.0 - resident / median.seconds).max(0.0))),
        ("loading_seconds", json!(loading)),
        ("loading_hidden", json!(hidden)),
        ("graphs_per_second", json!(median.graphs as f64 / median.seconds)),
    ];
    Ok(found.map(|(key, value)| (key.to_owned(), value)).into_iter().collect())
}

/// An epoch's batches; those that are copied in line keep their narrow types.
fn batches<'a>(
    task: &Task,
    loader: &'a Loader,
    number: u64,
    device: Device,
    way: Way,
) -> Box<dyn Iterator<Item = Result<TensorBatch, Error>> + 'a> {
    match way {
        Way::InLine => Box::new(loader.epoch(number).map(move |batch| TensorBatch::new(batch?, device))),
        Way::Ahead | Way::Captured => Box::new(task.batches(loader, number, device)),
    }
}

/// Seconds that `steps` steps take on batches that are on the device.
fn resident(args: &Args, device: Device, task: &Task, batch_graphs: u32, way: Way, steps: usize) -> Outcome<f64> {
    let loader = task.loader(batch_graphs, device, args.workers)?;
    let mut step = step(task, device, way)?;
    let batches = batches(task, &loader, 0, device, way).take(RESIDENT).collect::<Result<Vec<_>, _>>()?;
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

/// Runs one epoch, of `most` steps at most, until the device is done.
fn epoch(
    device: Device,
    most: usize,
    batches: impl Iterator<Item = Result<TensorBatch, Error>>,
    mut step: impl FnMut(&TensorBatch) -> Outcome,
) -> Outcome<Epoch> {
    let start = Instant::now();
    let mut epoch = Epoch { seconds: 0.0, steps: 0, graphs: 0 };
    for batch in batches.take(most) {
        let batch = batch?;
        step(&batch)?;
        epoch.steps += 1;
        epoch.graphs += batch.real().graphs();
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
