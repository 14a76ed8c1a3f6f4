//! What must hold on a device before its times mean anything.

use super::Outcome;
use super::task::Task;
use graphpack_core::Size;
use graphpack_loader::{Dtype, Field, Level, Loader, Schema, Slot, Source, SourceError};
use graphpack_tch::{CapturedStep, DeviceLoader, Pinned, Segments, Stream, TensorBatch};
use serde_json::{Value, json};
use std::path::PathBuf;
use tch::{Device, Kind, Tensor};

/// The device against the CPU, captured steps against others, and memory that must not be written early.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder that `prepare` wrote
    data: PathBuf,
    /// cpu, cuda or cuda:N
    #[arg(long, default_value = "cuda")]
    device: String,
    /// Fewer steps, for tools that slow everything down
    #[arg(long)]
    quick: bool,
}

/// Largest relative difference of two losses that are computed in another order, unless rounding alone makes a larger one.
const TOLERANCE: f64 = 1e-3;
/// How much of their value weights are moved to see what rounding makes of it: about what one addition loses in float32.
const ROUNDING: f64 = 1e-7;
/// Differences may be so many times those of rounding.
const FACTOR: f64 = 10.0;
const BATCH_GRAPHS: u32 = 64;

pub(crate) fn run(args: &Args) -> Outcome {
    let device = graphpack_tch::device(&args.device)?;
    let steps = if args.quick { 8 } else { 50 };
    let mut failed = 0;
    let mut report = |name: &str, found: Outcome<Value>| {
        let (ok, found) = match found {
            Ok(found) => (true, found),
            Err(error) => (false, json!(error.to_string())),
        };
        failed += usize::from(!ok);
        println!("{}", json!({ "check": name, "device": args.device, "ok": ok, "found": found }));
    };
    for task in Task::all(&args.data)? {
        report(&format!("losses as on the CPU: {}", task.name), losses(&task, device, steps));
        report(&format!("captured as uncaptured: {}", task.name), captured(&task, device, steps));
    }
    report("deterministic sums", deterministic_sums(device));
    report("segments as on the CPU", segments(device));
    let batches = if args.quick { 20 } else { 300 };
    report("no memory is written early", no_early_writes(device, batches));
    // Tools that slow everything down change which stream is ahead.
    if device.is_cuda() && !args.quick {
        report("two streams are not in order by themselves", streams_overlap(device));
    }
    if failed > 0 { Err(format!("{failed} checks failed").into()) } else { Ok(()) }
}

/// Losses of the first steps. None is asked for before the last step, so that nothing but events keeps streams in order.
fn curve(
    task: &Task,
    device: Device,
    steps: usize,
    mut step: impl FnMut(&TensorBatch) -> Outcome<Tensor>,
) -> Outcome<Vec<f64>> {
    let loader = task.loader(BATCH_GRAPHS, device, 1)?;
    let mut losses = Vec::new();
    for epoch in 0.. {
        for batch in task.batches(&loader, epoch, device) {
            if losses.len() == steps {
                return Ok(Vec::try_from(Tensor::f_stack(&losses, 0)?.f_to_kind(Kind::Double)?)?);
            }
            // A copy: the next replay writes over the loss.
            losses.push(step(&batch?)?.f_mul_scalar(1.0)?);
        }
    }
    Ok(Vec::new())
}

fn uncaptured(task: &Task, device: Device, steps: usize, moved: f64) -> Outcome<Vec<f64>> {
    // Dropout draws other numbers on another device.
    let mut training = task.training(device, 0.0, 1, moved)?;
    curve(task, device, steps, |batch| Ok(training.step(batch)?))
}

/// The differences of two curves, step by step, as shares of the second one.
fn differences(found: &[f64], expected: &[f64]) -> Outcome<Vec<f64>> {
    if found.len() != expected.len() || found.iter().any(|loss| !loss.is_finite()) {
        return Err(format!("not {} numbers: {found:?}", expected.len()).into());
    }
    let relative = |(found, expected): (&f64, &f64)| (found - expected).abs() / expected.abs().max(1e-12);
    Ok(found.iter().zip(expected).map(relative).collect())
}

/// Compares two curves, each step with what rounding has made of one of them up to there.
fn compare(task: &Task, device: Device, found: &[f64], expected: &[f64]) -> Outcome<Value> {
    let differences_found = differences(found, expected)?;
    let of_rounding = differences(&uncaptured(task, device, expected.len(), ROUNDING)?, expected)?;
    let (mut worst, mut rounding) = (0.0_f64, 0.0_f64);
    for (step, (&difference, &of_rounding)) in differences_found.iter().zip(&of_rounding).enumerate() {
        rounding = rounding.max(of_rounding);
        let allowed = TOLERANCE.max(FACTOR * rounding);
        if difference > allowed {
            return Err(format!(
                "the loss of step {step} is {}, expected {} within {allowed:.0e} of it",
                found[step], expected[step]
            )
            .into());
        }
        worst = worst.max(difference);
    }
    let fell = expected.last() < expected.first();
    Ok(json!({ "steps": found.len(), "worst_relative_difference": worst, "of_rounding": rounding, "loss_fell": fell }))
}

fn losses(task: &Task, device: Device, steps: usize) -> Outcome<Value> {
    let expected = uncaptured(task, Device::Cpu, steps, 0.0)?;
    compare(task, Device::Cpu, &uncaptured(task, device, steps, 0.0)?, &expected)
}

fn captured(task: &Task, device: Device, steps: usize) -> Outcome<Value> {
    let mut training = task.training(device, 0.0, 1, 0.0)?;
    let mut step = CapturedStep::new(device, move |batch| training.step(batch));
    let found = curve(task, device, steps, |batch| Ok(step.run(batch)?.shallow_clone()))?;
    if device.is_cuda() && step.recorded() != 1 {
        return Err(format!("{} steps were recorded, expected 1", step.recorded()).into());
    }
    compare(task, device, &found, &uncaptured(task, device, steps, 0.0)?)
}

/// Rows, some of which are in the same segments; the same on every device.
fn rows(device: Device) -> Outcome<(Tensor, Tensor)> {
    let numbers = Tensor::f_arange(300_000, (Kind::Int64, Device::Cpu))?;
    let values = (&numbers * 2_654_435_761_i64).f_remainder(1009)?.f_to_kind(Kind::Float)?.f_div_scalar(1009.0)?;
    let index = (numbers.f_narrow(0, 0, 100_000)? * 40_503).f_remainder(1000)?;
    Ok((values.f_view([100_000, 3])?.f_to_device(device)?, index.f_to_device(device)?))
}

/// The same bits run after run; whether they are those of the CPU is found, too.
fn deterministic_sums(device: Device) -> Outcome<Value> {
    let sums = |device| -> Outcome<[Tensor; 2]> {
        let (values, index) = rows(device)?;
        let ptr = Tensor::f_arange_start_step(0, 100_001, 100, (Kind::Int64, device))?;
        let by_index = Segments::by_index(&index, 1000)?.deterministic().sum(&values)?;
        Ok([
            by_index.f_to_device(Device::Cpu)?,
            Segments::by_ptr(&ptr, 100_000)?.sum(&values)?.f_to_device(Device::Cpu)?,
        ])
    };
    let first = sums(device)?;
    for run in 1..20 {
        if sums(device)? != first {
            return Err(format!("run {run} gives other sums").into());
        }
    }
    let there = sums(Device::Cpu)?;
    Ok(
        json!({ "runs": 20, "bits_of_the_cpu_by_index": first[0] == there[0], "bits_of_the_cpu_by_ptr": first[1] == there[1] }),
    )
}

fn segments(device: Device) -> Outcome<Value> {
    let all = |device| -> Outcome<[Tensor; 4]> {
        let (values, index) = rows(device)?;
        let segments = Segments::by_index(&index, 1000)?.masked(&index.f_remainder(7)?.f_ne(0)?);
        let results =
            [segments.sum(&values)?, segments.mean(&values)?, segments.max(&values)?, segments.softmax(&values)?];
        let mut there = Vec::new();
        for result in results {
            there.push(result.f_to_device(Device::Cpu)?);
        }
        there.try_into().map_err(|_| "four results".into())
    };
    let mut worst = 0.0_f64;
    for (found, expected) in all(device)?.iter().zip(&all(Device::Cpu)?) {
        let difference = (found - expected).abs() / expected.abs().clamp_min(1e-3);
        worst = worst.max(f64::try_from(difference.f_max()?)?);
    }
    if worst <= 1e-5 {
        Ok(json!({ "worst_relative_difference": worst }))
    } else {
        Err(format!("differ by {worst:.1e}").into())
    }
}

/// Graphs whose every feature is their own number.
struct Numbered {
    schema: Schema,
    graphs: usize,
}

const WIDTH: usize = 64;

impl Source for Numbered {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.graphs
    }

    fn size(&self, graph: usize) -> Size<2> {
        Size([20 + graph as u32 % 30, 0])
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let nodes = slot.size().0[0] as usize;
        slot.write(0, &vec![graph as f32; nodes * WIDTH])?;
        Ok(slot.write_edges(&[], &[])?)
    }
}

/// Work that keeps a stream busy for a while.
fn slow(device: Device) -> Outcome<Tensor> {
    let size = if device.is_cuda() { 4096 } else { 64 };
    let matrix = Tensor::f_ones([size, size], (Kind::Float, device))?;
    Ok(matrix.f_matmul(&matrix)?.f_matmul(&matrix)?)
}

/// Batches are read after work that takes long, and dropped at once: the copies of the next ones run far ahead.
fn no_early_writes(device: Device, batches: usize) -> Outcome<Value> {
    let mut seen = 0;
    let mut wrong = Tensor::f_zeros([] as [i64; 0], (Kind::Double, device))?;
    // In the loader's pinned memory, and through that of the bridge.
    for pinned in [true, false] {
        let schema = Schema::new(vec![Field::new("x", Level::Node, Dtype::F32, WIDTH)])?;
        let loader = Loader::new(Numbered { schema, graphs: 32 * batches });
        let loader = loader.batch_graphs(64).shuffle(3).workers(2).prefetch(4);
        let loader = if pinned && device.is_cuda() { loader.memory(Pinned) } else { loader }.build()?;
        let there = DeviceLoader::new(loader.epoch(0), device).ahead(3);
        for (batch, same) in there.zip(loader.epoch(0)) {
            let (batch, same) = (batch?, same?);
            // Whole numbers, so the sum is exact. From the host: a batch that is overwritten as a whole agrees with itself.
            let expected: f64 = same.get::<f32>("x")?.iter().copied().map(f64::from).sum();
            let _busy = slow(device)?;
            let found = batch.get("x")?.f_sum(Kind::Double)?;
            let _ = wrong.f_add_(&found.f_sub_scalar(expected)?.f_abs()?)?;
            seen += 1;
        }
    }
    match f64::try_from(&wrong)? {
        0.0 if seen >= batches / 2 => Ok(json!({ "batches": seen, "wrong": 0 })),
        wrong => Err(format!("{seen} batches differ by {wrong}").into()),
    }
}

/// What is written on another stream while this one is busy is written early: else the check above could not fail.
fn streams_overlap(device: Device) -> Outcome<Value> {
    let (old, new) =
        (Tensor::f_ones([1 << 20], (Kind::Float, device))?, Tensor::f_zeros([1 << 20], (Kind::Float, device))?);
    let _ = slow(device)?;
    Stream::current(device)?.synchronize()?;
    let mut memory = old.f_mul_scalar(1.0)?;
    Stream::current(device)?.synchronize()?;
    for _ in 0..20 {
        let _ = slow(device)?;
    }
    let sum = {
        let read = memory.f_sum(Kind::Double)?;
        let _aside = Stream::new(device)?.enter()?;
        memory.f_copy_(&new)?;
        read
    };
    let found = f64::try_from(sum)?;
    if found == f64::from(1 << 20) {
        Err("the other stream was not ahead".into())
    } else {
        Ok(json!({ "seen": found }))
    }
}
