//! `graphpack advise`: which way of batching trains fastest.

use crate::advice::{Advice, Batching, Counted, MemoryLimit, Predicted, Training, Way, Workload, probe_shapes};
use crate::arguments::{DataSetArgs, Format, StepCostArgs, of_each, once, parse_each, parse_number};
use crate::output::{Outcome, Refused, advised, advised_object, bar, print, remark, shape_object};
use graphpack_formats::histogram_csv;
use graphpack_loader::{Data, Loader, Options, Order};
use serde_json::json;
use std::error::Error;
use std::path::PathBuf;

/// Name the way of batching, the batch size and the shape with which a training takes least time
///
/// What a step costs is given by --model-cost, or fitted to steps that your training loop has timed: --probe 20 prints
/// 20 shapes to time, and --timings reads the times. The time to make batches is not counted: workers make them ahead.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("input").required(true)))]
#[command(group(clap::ArgGroup::new("step").required(true)))]
pub(crate) struct Args {
    /// Sizes in place of a data set: a histogram with the header num_nodes,num_edges,count
    #[arg(long, value_name = "FILE.csv[.gz]", group = "input", conflicts_with_all = DataSetArgs::OPTIONS)]
    histogram: Option<PathBuf>,
    #[command(flatten)]
    data: DataSetArgs,
    #[command(flatten)]
    cost: StepCostArgs,
    /// Print this many shapes to time as the beginning of such a file, and stop
    #[arg(long, value_name = "N", group = "step", value_parser = clap::value_parser!(u32).range(3..=1000))]
    #[arg(conflicts_with_all = ["compile_seconds", "budget", "memory", "epochs", "steps"])]
    probe: Option<u32>,
    /// Batch sizes, the padding graph included, separated by commas
    #[arg(long, value_name = "B", value_delimiter = ',', default_value = "16,32,64,128")]
    #[arg(value_parser = clap::value_parser!(u32).range(2..))]
    batch_sizes: Vec<u32>,
    /// Ways of batching, separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = parse_batching)]
    #[arg(default_value = "packed,window,dynamic,static-64,static-2^N,static-constant")]
    batching: Vec<Batching>,
    /// Length of the training: every graph this number of times
    #[arg(long, value_name = "N", default_value_t = 100.0, value_parser = parse_positive)]
    epochs: f64,
    /// Length of the training: this number of steps, whatever graphs they have, as the batching study compares them
    #[arg(long, value_name = "N", value_parser = parse_positive, conflicts_with = "epochs")]
    steps: Option<f64>,
    /// Leave out ways whose largest batch needs more than this much memory
    #[arg(long, value_name = "BYTES")]
    budget: Option<u64>,
    /// Memory of a row of each set, as in nodes=400,edges=150
    #[arg(long, value_name = "SET=BYTES", value_delimiter = ',', value_parser = parse_each)]
    memory: Vec<(String, u64)>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Batches that are planned to find rare shapes.
const BATCHES: u64 = 100_000;
/// The most graphs of a histogram, which each take some bytes.
const MOST_GRAPHS: u64 = 20_000_000;

pub(crate) fn run(args: &Args) -> Outcome {
    let data = args.source()?;
    if data.is_empty() {
        return Err("expected graphs to batch, found none".into());
    }
    let sets: &[String] = data.schema().sets();
    let memory = args
        .budget
        .map(|budget| Ok::<_, String>(MemoryLimit { cost: of_each("--memory", &args.memory, sets)?, budget }));
    let (memory, cost) = (memory.transpose()?, args.cost.of(sets)?);
    once("--batch-sizes", args.batch_sizes.iter().map(u32::to_string).collect::<Vec<_>>().iter().map(String::as_str))?;
    once("--batching", args.batching.iter().map(Batching::to_string).collect::<Vec<_>>().iter().map(String::as_str))?;
    let (workloads, refused) = args.workloads(&data);
    if let Some(count) = args.probe {
        for (way, why) in &refused {
            remark(format_args!("{way}: {why}"));
        }
        return probe(sets, &workloads, count as usize, args.format);
    }
    let training = args.steps.map_or(Training::Epochs(args.epochs), Training::Steps);
    let advice = Advice::new(&workloads, &cost, training, memory);
    let endless = advice.ways.iter().find(|way| !(way.seconds.is_finite() && way.step_milliseconds.is_finite()));
    if let Some(Predicted { way, seconds, .. }) = endless {
        return Err(
            format!("{way}: expected a training of finite length, found {seconds} s: lower costs or epochs").into()
        );
    }
    let printed = match args.format {
        Format::Json => print(advised_object(sets, &advice, &cost, &refused)).map_err(Into::into),
        Format::Text => advised(sets, &advice, &cost, &refused),
    };
    // Also where nobody reads why.
    match advice.fastest() {
        Some(_) => printed,
        None => Err("no way of batching is within the memory and holds the largest graph".into()),
    }
}

impl Args {
    fn source(&self) -> Result<Data, Box<dyn Error>> {
        let Some(path) = &self.histogram else { return self.data.read(None) };
        let counts = histogram_csv::read(path)?;
        if counts.graphs() > MOST_GRAPHS {
            let graphs = counts.graphs();
            return Err(format!("{}: expected at most {MOST_GRAPHS} graphs, found {graphs}", path.display()).into());
        }
        let sizes = counts.histogram().entries().to_vec();
        Ok(Counted::new(counts.sets().iter().cloned(), sizes)?.into())
    }

    /// The batches of every way, and the ways that make none.
    fn workloads(&self, data: &Data) -> (Vec<(Way, Workload)>, Vec<Refused>) {
        let ways = Way::all(&self.batching, &self.batch_sizes);
        let bar = bar("ways", ways.len());
        let (mut found, mut refused) = (Vec::new(), Vec::new());
        let epochs = if self.steps.is_some() { u64::MAX } else { self.epochs.ceil() as u64 };
        for way in ways {
            let options = way.apply(Options::default().order(Order::Shuffled));
            let loader = Loader::new(data.clone(), options);
            let loader = loader.map_err(|error| error.to_string());
            if let Some(warning) = loader.as_ref().ok().and_then(Loader::warning) {
                remark(format_args!("{way}: {warning}"));
            }
            match loader.and_then(|loader| Workload::of(&loader, BATCHES, epochs).map_err(|error| error.to_string())) {
                Ok(workload) => found.push((way, workload)),
                Err(error) => refused.push((way, error)),
            }
            bar.inc(1);
        }
        (found, refused)
    }
}

/// Prints shapes to time.
fn probe(sets: &[String], workloads: &[(Way, Workload)], count: usize, format: Format) -> Outcome {
    let shapes = probe_shapes(workloads.iter().map(|(_, workload)| workload), count);
    if let Format::Json = format {
        print(json!(shapes.iter().map(|shape| shape_object(sets, shape)).collect::<Vec<_>>()))?;
        return Ok(());
    }
    print(format_args!("{},graphs,milliseconds", sets.join(",")))?;
    for shape in &shapes {
        let numbers = shape.sets().iter().chain([&shape.graphs()]).map(usize::to_string).collect::<Vec<_>>();
        print(format_args!("{},", numbers.join(",")))?;
    }
    Ok(())
}

fn parse_positive(text: &str) -> Result<f64, String> {
    let number = parse_number(text).ok().filter(|number| *number > 0.0);
    number.ok_or_else(|| format!("expected a number above 0, found {text:?}"))
}

fn parse_batching(text: &str) -> Result<Batching, String> {
    let all = Batching::ALL;
    let found = all.iter().find(|batching| batching.to_string().eq_ignore_ascii_case(text));
    found
        .copied()
        .ok_or_else(|| format!("expected {}, found {text:?}", all.map(|batching| batching.to_string()).join(", ")))
}
