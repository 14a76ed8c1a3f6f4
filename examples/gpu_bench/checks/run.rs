//! `gpu_bench check`: all checks, one after the other.

use super::report::Report;
use super::{buffers, capture, losses, refusals, segments};
use crate::Outcome;
use crate::task::Task;
use std::path::PathBuf;

/// Checks losses against those of the CPU, captured steps against others, memory that must not be written early,
/// refusals
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder that `prepare` wrote
    data: PathBuf,
    /// cpu, cuda or cuda:N
    #[arg(long, default_value = "cuda")]
    device: String,
    /// Fewer steps, for tools that slow the program down
    #[arg(long)]
    quick: bool,
    /// Only checks whose name contains one of these texts
    #[arg(long, value_delimiter = ',', value_name = "TEXT")]
    only: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let device = graphpack_tch::device(&args.device)?;
    let (steps, batches) = if args.quick { (8, 20) } else { (50, 300) };
    let tasks = Task::all(&args.data)?;
    let mut report = Report::new(&args.device, &args.only);
    report.check("deterministic sums", || segments::deterministic_sums(device));
    report.check("segments as on the CPU", || segments::as_on_the_cpu(device));
    report.check("no memory is written early", || buffers::no_early_writes(device, batches));
    report.check("arrays that are made on the device", || buffers::made_arrays(device));
    // Tools that slow the program down change which stream is ahead.
    if device.is_cuda() && !args.quick {
        report.check("two streams are not in order by themselves", || buffers::streams_overlap(device));
    }
    for task in &tasks {
        let name = |check: &str| format!("{check}: {}", task.name());
        report.check(&name("losses as on the CPU"), || losses::as_on_the_cpu(task, device, steps));
        report.check(&name("batches in line as ahead"), || losses::in_line(task, device, steps));
        report.check(&name("captured as uncaptured"), || capture::as_uncaptured(task, device, steps));
        report.check(&name("two shapes in turn"), || capture::two_shapes(task, device, steps));
        report.check(&name("learning rate after capture"), || capture::learning_rate(task, device));
        report.check(&name("another shape is refused"), || refusals::another_shape(task, device));
    }
    report.check("dropout differs between replays", || capture::dropout(&tasks[0], device));
    report.check("segments in captured steps", || segments::captured(&tasks[0], device));
    let rounds = if args.quick { 2 } else { 10 };
    report.check("capture while others pin memory", || capture::under_pressure(&tasks[0], device, rounds));
    // Last, and in a process of its own, since that cannot record any more afterwards.
    report.check("steps that cannot be recorded", || refusals::in_another_process(&args.data, &args.device));
    report.finish()
}
