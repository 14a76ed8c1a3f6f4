//! Which way of batching is fastest for a data set and a model? The batching study (Speckhard et al., arXiv 2502.00944)
//! on any data: it times every algorithm with three models, draws the study's figures and says which algorithm to use.
//! `cargo xtask lab study` runs this.

mod algorithm;
mod args;
mod compilation;
mod data;
mod figures;
mod plot;
#[path = "../../common/print.rs"]
mod print;
mod results;
mod run;
mod statistics;
mod step;
mod summary;
mod trainer;
mod training;

use args::{Args, Grid};
use clap::Parser;
use compilation::{Compiled, Met};
use data::Graphs;
use indicatif::{ProgressBar, ProgressStyle};
use print::{exit, print};
use results::Results;
use run::{Cell, Run};
use serde_json::json;
use statistics::Statistics;
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use summary::Summary;
use trainer::Settings;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    exit(run(&Args::parse()))
}

fn run(args: &Args) -> Outcome<()> {
    let begun = Instant::now();
    let end = match args.minutes {
        Some(minutes) => {
            let length = Duration::try_from_secs_f64(60.0 * minutes).ok();
            let end = length.and_then(|length| begun.checked_add(length));
            Some(end.ok_or_else(|| format!("--minutes: expected a number from 0 on, found {minutes}"))?)
        }
        None => None,
    };
    let mut grid = args.grid();
    if let Some(rows) = &args.rows {
        let results = Results::of_rows(&args.out, rows)?;
        if args.batch_sizes.is_none() {
            grid.batch_sizes = results.runs.iter().map(|run| run.batch_size).collect();
        }
        report(args, &grid, &results)?;
        print(format_args!("tables and figures: {}", args.out.display()))?;
        return Ok(());
    }
    let device = graphpack_tch::device(&args.device)?;
    let data = args.data.load(args.seed)?;
    let steps = args.steps.unwrap_or(if args.full { 2_000_000 } else { 200 });
    let settings = json!({
        "data": format!("{:?}", args.data), "graphs": data.store.len(), "steps": steps, "device": args.device,
        "seed": args.seed, "width": args.width, "evaluations": args.evaluations, "threads": tch::get_num_threads(),
        // Times of another processor, or of networks that have changed, are not averaged with these.
        "processor": processor(), "networks": example_models::VERSION,
    });
    let mut results = Results::open(&args.out, &settings)?;
    print(format_args!("{}: {} graphs, {} to train on", data.name, data.store.len(), data.train.len()))?;

    batches(args, &grid, &data, &results)?;
    if let Some(path) = &args.compilations {
        compile(args, &grid, &data, &results, &compilation::read(path)?)?;
    }
    if args.batching_only || args.models.is_empty() {
        return Ok(());
    }
    if data.target.is_none() {
        return Err(
            "the data has no target to train on: name --targets and --target, or ask for --batching-only".into()
        );
    }
    let settings = Settings {
        steps,
        evaluations: args.evaluations,
        device,
        seed: args.seed,
        width: args.width,
        save_every: args.save_every.max(1),
        end,
    };
    let missing = train(&grid, &data, &mut results, settings)?;
    report(args, &grid, &results)?;
    if missing > 0 {
        print(format_args!("stopped with {missing} runs to do; the same command goes on"))?;
    } else {
        name_fastest(args, &grid, steps, &Summary::all(&results.runs))?;
    }
    print(format_args!("tables and figures: {}", args.out.display()))?;
    Ok(())
}

/// The figures, the tests and the table of the runs.
fn report(args: &Args, grid: &Grid, results: &Results) -> Outcome<()> {
    let summaries = Summary::all(&results.runs);
    let tests = summary::tests(&summaries);
    figures::runs(&args.out, grid.shown(), &summaries)?;
    figures::tests(&args.out, grid.shown(), &tests)?;
    if !tests.is_empty() {
        results.table("tests.csv", &tests)?;
    }
    print(summary::table(&summaries))?;
    Ok(())
}

/// The batches of every algorithm at every batch size, as a table and as figures 1 and 3.
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
    let mut sizes: [BTreeMap<usize, u64>; 2] = Default::default();
    for size in data.store.sizes() {
        for (counts, component) in sizes.iter_mut().zip(size.first::<2>()) {
            *counts.entry(component as usize).or_default() += 1;
        }
    }
    figures::batches(&args.out, sizes.each_ref(), grid.shown(), &measured)
}

/// What compiling each shape costs over a training, from timed compilations, as a table and as figure 13.
fn compile(args: &Args, grid: &Grid, data: &Graphs, results: &Results, timed: &[compilation::Timed]) -> Outcome<()> {
    let mut met = Vec::new();
    for &algorithm in &grid.algorithms {
        for &batch_size in &grid.batch_sizes {
            met.push(Met::plan(data, (algorithm, batch_size), args.seed)?);
        }
    }
    print(compilation::table(&met))?;
    let compiled: Vec<Compiled<'_>> = grid.models.iter().flat_map(|&model| Compiled::all(model, timed, &met)).collect();
    if compiled.is_empty() {
        let (asked, found) = (&grid.batch_sizes, timed.iter().map(|row| row.graphs).collect::<BTreeSet<_>>());
        return Err(
            format!("--compilations: expected dynamic batches of a size among {asked:?}, found {found:?}").into()
        );
    }
    results.table("compilation.csv", &compiled.iter().flat_map(Compiled::points).collect::<Vec<_>>())?;
    figures::compilation(&args.out, &compiled)?;
    for one in &compiled {
        let of_cell = |other: &&Compiled<'_>| (other.model, other.batch_size()) == (one.model, one.batch_size());
        for other in compiled.iter().filter(of_cell).filter(|other| other.algorithm != one.algorithm) {
            let [per_step, per_graph] = one.overtakes(other).map(|steps| match steps {
                Some(steps) => format!("from {steps} steps on"),
                None => "never".into(),
            });
            print(format_args!(
                "{}, batch size {}: {} is faster than {} per step {per_step}, per graph {per_graph}",
                one.model,
                one.batch_size(),
                one.algorithm,
                other.algorithm
            ))?;
        }
    }
    Ok(())
}

/// Makes the runs that are not finished yet, and returns how many are left when the time is over.
fn train(grid: &Grid, data: &Graphs, results: &mut Results, settings: Settings) -> Outcome<usize> {
    let cells: Vec<Cell> = grid.cells().into_iter().filter(|cell| results.run(cell).is_none()).collect();
    let bar = progress(cells.len() * settings.steps, "training");
    for (done, cell) in cells.iter().enumerate() {
        let unfinished = results.unfinished(cell);
        let Some(run) = training::train(data, cell, settings, &unfinished, &bar)? else {
            return Ok(cells.len() - done);
        };
        results.keep(run)?;
        unfinished.remove();
    }
    bar.finish_and_clear();
    Ok(0)
}

/// Prints which algorithm was the fastest with each model and batch size.
fn name_fastest(args: &Args, grid: &Grid, steps: usize, runs: &[Summary<'_>]) -> Outcome<()> {
    let seconds = |one: &Summary<'_>| one.spread(|run: &Run| run.seconds(args.compile_ms))[0];
    for model in grid.models.iter().map(|model| model.name()) {
        for &batch_size in &grid.batch_sizes {
            let of_cell = runs.iter().filter(|one| (one.model, one.batch_size) == (model, batch_size));
            if let Some(fastest) = of_cell.min_by(|a, b| seconds(a).total_cmp(&seconds(b))) {
                print(format_args!(
                    "{model}, batch size {batch_size}: {} is the fastest, {:.1} s for the graphs of {steps} steps",
                    fastest.algorithm,
                    seconds(fastest),
                ))?;
            }
        }
    }
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
