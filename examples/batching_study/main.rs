//! Which way of batching is fastest for a data set and a model? The batching study (Speckhard et al., arXiv 2502.00944)
//! on any data: it times every algorithm with three models, draws the study's figures and says which algorithm to use.
//! `cargo xtask study` finds libtorch and runs this.

mod algorithm;
mod data;
mod figures;
mod prediction;
mod results;
mod statistics;
mod timing;
mod training;

use algorithm::Algorithm;
use clap::Parser;
use data::{Data, DataArgs};
use example_models::ModelName;
use graphpack_loader::Source;
use indicatif::{ProgressBar, ProgressStyle};
use prediction::Prediction;
use results::Results;
use serde_json::json;
use statistics::{Contents, Statistics};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use tch::Device;
use training::{Run, Settings, Trainer};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Times the ways of batching, first alone, then with the updates of three models, and says which one to use.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    data: DataArgs,
    /// Batch sizes, the padding graph included
    #[arg(long, value_delimiter = ',', default_values_t = [16, 32, 64, 128])]
    #[arg(value_parser = clap::value_parser!(u32).range(2..))]
    batch_sizes: Vec<u32>,
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Algorithm::ALL)]
    algorithms: Vec<Algorithm>,
    #[arg(long, value_enum, value_delimiter = ',')]
    #[arg(default_values_t = [ModelName::Schnet, ModelName::Mpeu, ModelName::Painn])]
    models: Vec<ModelName>,
    /// Measure batches only, without any model
    #[arg(long)]
    batching_only: bool,
    /// Fewest batches that shapes, fill and batching times are measured on; epochs are finished
    #[arg(long, default_value_t = 1000)]
    batches: u64,
    /// Training steps of each run
    #[arg(long, default_value_t = 200)]
    steps: usize,
    /// Milliseconds that the first batch of each shape costs, as compilation does in JAX or torch.compile
    #[arg(long, default_value_t = 0.0)]
    compile_ms: f64,
    /// cpu, cuda or cuda:N
    #[arg(long, default_value = "cpu")]
    device: String,
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Width of all models [default: as in the study]
    #[arg(long, value_parser = clap::value_parser!(i64).range(2..))]
    width: Option<i64>,
    /// Folder for tables and figures; runs that it already holds are not repeated
    #[arg(long, default_value = "study")]
    out: PathBuf,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("batching_study: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Outcome<()> {
    let device = graphpack_tch::device(&args.device)?;
    let data = args.data.load(args.seed)?;
    let settings = json!({
        "data": format!("{:?}", args.data), "graphs": data.store.len(), "steps": args.steps, "device": args.device,
        "seed": args.seed, "width": args.width,
    });
    let results = Results::open(&args.out, &settings)?;
    println!("{}: {} graphs, {} to train on", data.name, data.store.len(), data.train.len());

    let measured = batches(args, &data, &results)?;
    if args.batching_only || args.models.is_empty() {
        return Ok(());
    }
    if data.target.is_none() {
        return Err(
            "the data has no target to train on: name --targets and --target, or ask for --batching-only".into()
        );
    }
    let settings = Settings { steps: args.steps, device, seed: args.seed, width: args.width };
    let predictions = predict(args, &data, &results, &measured, settings)?;
    let runs = train(args, &data, &results, settings)?;
    figures::runs(&args.out, shown(args), &runs)?;
    results.table("timings.csv", &runs.iter().map(|run| &run.timings).collect::<Vec<_>>())?;
    results.table(
        "running_average.csv",
        &runs.iter().flat_map(|run| run.curve(&run.running_average)).collect::<Vec<_>>(),
    )?;
    results.table("test_rmse.csv", &runs.iter().flat_map(|run| run.curve(&run.test_rmse)).collect::<Vec<_>>())?;
    println!("{}", training::table(&runs));
    summary(args, &predictions, &runs);
    println!("tables and figures: {}", args.out.display());
    Ok(())
}

/// The batches of every algorithm at every batch size, as a table and as figures 1 and 3.
fn batches(args: &Args, data: &Data, results: &Results) -> Outcome<Vec<(Statistics, Contents)>> {
    let mut measured = Vec::new();
    let bar = progress(0, "batches");
    for &batch_size in &args.batch_sizes {
        for &algorithm in &args.algorithms {
            bar.set_message(format!("{algorithm}, batch size {batch_size}"));
            measured.push(statistics::measure(data, (algorithm, batch_size), args.batches, args.seed, &bar)?);
        }
    }
    bar.finish_and_clear();
    measured
        .sort_by_key(|(row, _)| args.algorithms.iter().position(|algorithm| algorithm.to_string() == row.algorithm));
    let rows: Vec<&Statistics> = measured.iter().map(|(row, _)| row).collect();
    results.table("batches.csv", &rows)?;
    println!("\n{}", statistics::table(&rows));
    let mut sizes: [BTreeMap<usize, u64>; 2] = Default::default();
    for graph in 0..data.store.len() {
        for (counts, component) in sizes.iter_mut().zip(data.store.size(graph).exact::<2>().0) {
            *counts.entry(component as usize).or_default() += 1;
        }
    }
    figures::batches(&args.out, sizes.each_ref(), shown(args), &measured)?;
    Ok(measured)
}

/// What every algorithm would take with every model, from a few timed steps each.
fn predict(
    args: &Args,
    data: &Data,
    results: &Results,
    measured: &[(Statistics, Contents)],
    settings: Settings,
) -> Outcome<Vec<Prediction>> {
    let workloads: Vec<_> = measured.iter().map(prediction::workload).collect();
    let mut predictions = Vec::new();
    for &model in &args.models {
        let parameters = Trainer::new(model, data, settings)?.parameters();
        let cost = prediction::measure(data, model, &workloads, settings)?.compile(args.compile_ms);
        let [nodes, edges] = [0, 1].map(|set| 1e3 * cost.rows()[set]);
        println!(
            "{}: {parameters} parameters (the study's text: {}), {:.2} ms per update, {nodes:.3} us per node and \
             {edges:.3} per edge on {}",
            model.name(),
            model.published_parameters(),
            cost.step(),
            device_name(settings.device),
        );
        predictions.extend(
            measured
                .iter()
                .zip(&workloads)
                .map(|((row, _), workload)| Prediction::new(model, &cost, (row, workload), args.steps)),
        );
    }
    results.table("predictions.csv", &predictions)?;
    Ok(predictions)
}

/// All runs, those that are finished read from the folder.
fn train(args: &Args, data: &Data, results: &Results, settings: Settings) -> Outcome<Vec<Run>> {
    let count = args.models.len() * args.batch_sizes.len() * args.algorithms.len();
    let bar = progress(count * args.steps, "training");
    let mut runs = Vec::new();
    for &model in &args.models {
        for &batch_size in &args.batch_sizes {
            for &algorithm in &args.algorithms {
                let name = format!("{}_{algorithm}_{batch_size}", model.name()).replace('^', "");
                if let Some(run) = results.run(&name)? {
                    bar.inc(args.steps as u64);
                    runs.push(run);
                    continue;
                }
                let run = training::train(data, model, (algorithm, batch_size), settings, &bar)?;
                results.keep(&name, &run)?;
                runs.push(run);
            }
        }
    }
    bar.finish_and_clear();
    Ok(runs)
}

/// Which algorithm to use, as predicted and as measured.
fn summary(args: &Args, predictions: &[Prediction], runs: &[Run]) {
    for &model in &args.models {
        for &batch_size in &args.batch_sizes {
            let predicted = predictions
                .iter()
                .filter(|row| row.model == model.name() && row.batch_size == batch_size)
                .min_by(|a, b| a.total_seconds.total_cmp(&b.total_seconds));
            let measured = runs
                .iter()
                .map(|run| &run.timings)
                .filter(|row| row.model == model.name() && row.batch_size == batch_size)
                .min_by(|a, b| a.seconds(args.compile_ms).total_cmp(&b.seconds(args.compile_ms)));
            if let (Some(predicted), Some(measured)) = (predicted, measured) {
                println!(
                    "{}, batch size {batch_size}, {} steps: predicted {} ({:.1} s for the graphs of {} steps), \
                     measured {} ({:.1} s)",
                    model.name(),
                    args.steps,
                    predicted.algorithm,
                    predicted.total_seconds,
                    args.steps,
                    measured.algorithm,
                    measured.seconds(args.compile_ms),
                );
            }
        }
    }
}

/// The batch size that figures of one batch size show: the study's 32 if it is among them.
fn shown(args: &Args) -> u32 {
    if args.batch_sizes.contains(&32) { 32 } else { args.batch_sizes[0] }
}

fn device_name(device: Device) -> String {
    match device {
        Device::Cpu => "the CPU".into(),
        other => format!("{other:?}"),
    }
}

/// A bar on a terminal, nothing where output is piped.
fn progress(length: usize, name: &str) -> ProgressBar {
    let template = if length > 0 { "{prefix} {bar:30} {pos}/{len} {msg}" } else { "{prefix} {pos} {msg}" };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length as u64).with_style(style).with_prefix(name.to_owned())
}
