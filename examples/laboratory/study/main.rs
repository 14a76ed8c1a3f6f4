//! The batching study (Speckhard et al., arXiv 2502.00944) on any data: shapes, fill and times of the batches of every
//! way, and the updates of three models on them. `cargo xtask lab study` runs this.

mod algorithm;
mod args;
mod data;
#[path = "../../common/print.rs"]
mod print;
mod results;
mod run;
mod shapes_met;
mod statistics;
mod summary;
mod training;

use args::{Args, Grid};
use clap::Parser;
use data::Graphs;
use indicatif::{ProgressBar, ProgressStyle};
use print::{exit, print};
use results::Results;
use run::Cell;
use serde_json::json;
use shapes_met::Met;
use statistics::Statistics;
use std::process::ExitCode;
use summary::Summary;
use training::Settings;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    exit(run(&Args::parse()))
}

fn run(args: &Args) -> Outcome<()> {
    if let Some(rows) = &args.rows {
        print(summary::table(&Summary::all(&results::read_runs(rows)?)))?;
        return Ok(());
    }
    let grid = args.grid();
    let device = graphpack_tch::device(&args.device)?;
    let data = args.data.load(args.seed)?;
    let settings = json!({
        "data": format!("{:?}", args.data), "graphs": data.store.len(), "steps": args.steps, "device": args.device,
        "seed": args.seed, "width": args.width, "threads": tch::get_num_threads(),
        // Times of another processor, or of networks that have changed, are not averaged with these.
        "processor": processor(), "networks": example_models::VERSION,
    });
    let mut results = Results::open(&args.out, &settings)?;
    print(format_args!("{}: {} graphs, {} to train on", data.name, data.store.len(), data.train.len()))?;

    batches(args, &grid, &data, &results)?;
    if args.shapes_met {
        print(shapes_met::table(&met(args, &grid, &data)?))?;
    }
    if args.batching_only || args.models.is_empty() {
        return Ok(());
    }
    if data.target.is_none() {
        return Err(
            "the data has no target to train on: name --targets and --target, or ask for --batching-only".into()
        );
    }
    let settings = Settings { steps: args.steps, device, seed: args.seed, width: args.width };
    train(&grid, &data, &mut results, settings)?;
    print(summary::table(&Summary::all(&results.runs)))?;
    print(format_args!("rows: {}", args.out.display()))?;
    Ok(())
}

/// The batches of every algorithm at every batch size, as a table.
fn batches(args: &Args, grid: &Grid, data: &Graphs, results: &Results) -> Outcome<()> {
    let mut measured = Vec::new();
    let bar = progress(0, "batches");
    for &batch_size in &grid.batch_sizes {
        for &algorithm in &grid.algorithms {
            bar.set_message(format!("{algorithm}, batch size {batch_size}"));
            measured.push(statistics::measure(data, (algorithm, batch_size), args.batches, args.seed, &bar)?);
        }
    }
    bar.finish_and_clear();
    measured
        .sort_by_key(|(row, _)| grid.algorithms.iter().position(|algorithm| algorithm.to_string() == row.algorithm));
    let rows: Vec<&Statistics> = measured.iter().map(|(row, _)| row).collect();
    results.table("batches.csv", &rows)?;
    print(format_args!("\n{}", statistics::table(&measured)))?;
    Ok(())
}

/// The shapes that every algorithm meets at every batch size.
fn met(args: &Args, grid: &Grid, data: &Graphs) -> Outcome<Vec<Met>> {
    let plan = |(algorithm, batch_size)| Met::plan(data, (algorithm, batch_size), args.seed);
    let sizes = |&algorithm| grid.batch_sizes.iter().map(move |&batch_size| (algorithm, batch_size));
    grid.algorithms.iter().flat_map(sizes).map(plan).collect()
}

/// Makes the runs that are not done yet.
fn train(grid: &Grid, data: &Graphs, results: &mut Results, settings: Settings) -> Outcome<()> {
    let cells: Vec<Cell> = grid.cells().into_iter().filter(|cell| !results.has(cell)).collect();
    let bar = progress(cells.len() * settings.steps, "training");
    for cell in &cells {
        results.keep(training::train(data, cell, settings, &bar)?)?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// The processor's name; where the system does not tell it, its architecture.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or(std::env::consts::ARCH, |(_, name)| name).to_owned()
}

/// A bar on a terminal, nothing where output is piped.
fn progress(length: usize, name: &str) -> ProgressBar {
    let template = if length > 0 { "{prefix} {bar:30} {pos}/{len} {msg}" } else { "{prefix} {pos} {msg}" };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length as u64).with_style(style).with_prefix(name.to_owned())
}
