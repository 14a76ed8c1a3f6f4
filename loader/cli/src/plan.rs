//! `graphpack plan`: packs a histogram and says how good the plan is.

use crate::{Format, Outcome, PrintError, plot, print};
use clap::ValueEnum;
use graphpack_core::{Effort, Heuristic, Histogram, Limits, Packer, Plan, Size};
use graphpack_formats::histogram_csv;
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Pack a histogram: how many packs of the given limits its graphs need.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Histogram with the header num_nodes,num_edges,count
    #[arg(long, value_name = "FILE.csv[.gz]")]
    histogram: PathBuf,
    /// Most nodes and edges of a pack [default: the largest of the histogram]
    #[arg(long, value_name = "N,E", value_parser = parse_limits)]
    limits: Option<[u32; 2]>,
    /// Most graphs of a pack
    #[arg(long, value_name = "G", default_value_t = Limits::<2>::DEFAULT_GRAPHS)]
    max_graphs: u32,
    /// Algorithm [default: auto; best-fit where --heuristic or --published is given]
    #[arg(long, value_enum)]
    packer: Option<PackerName>,
    /// About how long columns and auto may take, in seconds of one core; counted in steps, so that plans are the same everywhere
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = parse_budget)]
    budget: f64,
    /// Packs that window keeps open
    #[arg(long, value_name = "W", default_value_t = 32, value_parser = clap::value_parser!(u8).range(1..=128))]
    open: u8,
    /// Seed of the random order in which window sees the graphs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Priority of a size, for best-fit and first-fit [default: product]
    #[arg(long, value_enum)]
    heuristic: Option<HeuristicName>,
    /// Follow the paper's listing to the letter (best-fit only)
    #[arg(long)]
    published: bool,
    /// Draw how full containers are before and after packing
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum PackerName {
    BestFit,
    FirstFit,
    Demand,
    Columns,
    Window,
    Auto,
}

#[derive(Clone, Copy, ValueEnum)]
enum HeuristicName {
    Product,
    Sum,
    Max,
    Min,
    Node,
    Edge,
}

/// What was found, in the words that scripts read.
struct Report {
    graphs: u64,
    sizes: usize,
    packer: String,
    /// None for packers that have no use for one.
    heuristic: Option<String>,
    plan: Plan<2>,
    time: Duration,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let histogram = read_histogram(&args.histogram)?;
    let largest = histogram.largest().0.map(|component| component.max(1));
    let limits = Limits::new(args.limits.unwrap_or(largest)).graphs(args.max_graphs);
    let chosen = args.heuristic.unwrap_or(HeuristicName::Product);
    let heuristic = match chosen {
        HeuristicName::Product => Heuristic::Product,
        HeuristicName::Sum => Heuristic::Sum,
        HeuristicName::Max => Heuristic::Maximum,
        HeuristicName::Min => Heuristic::Minimum,
        HeuristicName::Node => Heuristic::Component(0),
        HeuristicName::Edge => Heuristic::Component(1),
    };
    let effort = Effort::seconds(args.budget);
    let fits = args.published || args.heuristic.is_some();
    let packer_name = args.packer.unwrap_or(if fits { PackerName::BestFit } else { PackerName::Auto });
    let packer = match (packer_name, args.published) {
        (PackerName::BestFit, false) => Packer::BestFit(heuristic),
        (PackerName::BestFit, true) => Packer::Published(heuristic),
        (PackerName::FirstFit, false) => Packer::FirstFit(heuristic),
        (PackerName::Demand, false) => Packer::Demand,
        (PackerName::Columns, false) => Packer::Columns(effort),
        (PackerName::Window, false) => Packer::Window { open: args.open, seed: args.seed },
        (PackerName::Auto, false) => Packer::Auto(effort),
        (_, true) => return Err("--published is for --packer best-fit only: the paper lists no other".into()),
    };
    let start = Instant::now();
    let plan = packer.pack(&histogram, &limits)?;
    let report = Report {
        graphs: histogram.graphs(),
        sizes: histogram.entries().len(),
        packer: name(packer_name),
        heuristic: matches!(packer_name, PackerName::BestFit | PackerName::FirstFit).then(|| name(chosen)),
        plan,
        time: start.elapsed(),
    };
    if let Some(path) = &args.plot {
        plot::fill(path, &histogram, &report.plan)?;
    }
    match args.format {
        Format::Text => report.print()?,
        Format::Json => print(report.json())?,
    }
    Ok(())
}

/// A histogram that has graphs.
pub(crate) fn read_histogram(path: &Path) -> Result<Histogram<2>, Box<dyn Error>> {
    let histogram = histogram_csv::read(path)?;
    if histogram.graphs() == 0 {
        return Err(format!("{} has no graphs", path.display()).into());
    }
    Ok(histogram)
}

impl Report {
    fn json(&self) -> serde_json::Value {
        let Limits { size: Size([nodes, edges]), graphs } = *self.plan.limits();
        let efficiency = self.plan.efficiency();
        json!({
            "graphs": self.graphs,
            "sizes": self.sizes,
            "limits": { "nodes": nodes, "edges": edges, "graphs": graphs },
            "packer": self.packer,
            "chosen": self.plan.packer().map(|packer| described(&packer)),
            "heuristic": self.heuristic,
            "packs": self.plan.packs(),
            "distinct_packs": self.plan.distinct_packs(),
            "efficiency": {
                "nodes": efficiency.components[0],
                "edges": efficiency.components[1],
                "graphs": efficiency.graphs,
            },
            "bound": self.plan.bound(),
            "gap": self.plan.gap(),
            "seconds": self.time.as_secs_f64(),
        })
    }

    fn print(&self) -> Result<(), PrintError> {
        let efficiency = self.plan.efficiency();
        let [nodes, edges] = efficiency.components.map(|fraction| 100.0 * fraction);
        let alone = self.graphs as f64 / self.plan.packs().max(1) as f64;
        print(format_args!("{} graphs of {} sizes, limits {}", self.graphs, self.sizes, self.plan.limits()))?;
        let by = self.heuristic.as_ref().map(|heuristic| format!(" by {heuristic}")).unwrap_or_default();
        print(format_args!(
            "{}{by}: {} packs ({} distinct)",
            self.packer,
            self.plan.packs(),
            self.plan.distinct_packs()
        ))?;
        print(format_args!(
            "filled: {nodes:.2} % of the nodes, {edges:.2} % of the edges, {:.2} % of the graphs",
            100.0 * efficiency.graphs
        ))?;
        if let Some(chosen) = self.plan.packer().filter(|_| self.packer == "auto") {
            print(format_args!("the best of those tried: {}", described(&chosen)))?;
        }
        let gap = 100.0 * self.plan.gap();
        print(format_args!(
            "no plan has fewer than {} packs (gap {gap:.3} %); one graph per pack would be {alone:.1} times as many",
            self.plan.bound()
        ))?;
        print(format_args!("packed in {:.4} s", self.time.as_secs_f64()))
    }
}

/// A packer in a few words.
fn described(packer: &Packer<2>) -> String {
    match packer {
        Packer::BestFit(heuristic) => format!("best-fit by {heuristic:?}").to_lowercase(),
        Packer::Columns(_) => "columns".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}

/// The name of a choice on the command line.
fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn parse_budget(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
    seconds.ok_or_else(|| format!("expected a number of seconds, found {text:?}"))
}

fn parse_limits(text: &str) -> Result<[u32; 2], String> {
    let fault = || format!("expected two numbers as in 222,502, found {text:?}");
    let (nodes, edges) = text.split_once(',').ok_or_else(fault)?;
    Ok([nodes.trim().parse().map_err(|_| fault())?, edges.trim().parse().map_err(|_| fault())?])
}
