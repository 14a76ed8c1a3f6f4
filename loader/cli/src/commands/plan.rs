//! `graphpack plan`: packs a histogram and says how good the plan is.

use crate::arguments::{Chosen, Format, HistogramFile, PackerArgs};
use crate::output::{Outcome, PrintError, plot, print};
use graphpack_core::{Limits, Packer, Plan, Size};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Pack a histogram: how many packs its graphs need under given limits, and how full these are
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    histogram: HistogramFile,
    /// Most nodes and edges of a pack [default: the largest of the histogram]
    #[arg(long, value_name = "N,E", value_parser = parse_limits)]
    limits: Option<[u32; 2]>,
    #[command(flatten)]
    packer: PackerArgs,
    /// Draw how full containers are before and after packing
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// A plan and what is printed of it.
struct Report {
    graphs: u64,
    sizes: usize,
    packer: String,
    heuristic: Option<String>,
    plan: Plan<2>,
    time: Duration,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let histogram = args.histogram.read()?;
    let largest = histogram.largest().0.map(|component| component.max(1));
    let limits = args.histogram.limits(args.limits.unwrap_or(largest));
    let Chosen { packer, name, heuristic } = args.packer.choose()?;
    let start = Instant::now();
    let plan = packer.pack(&histogram, &limits)?;
    let time = start.elapsed();
    let (graphs, sizes) = (histogram.graphs(), histogram.entries().len());
    let report = Report { graphs, sizes, packer: name, heuristic, plan, time };
    if let Some(path) = &args.plot {
        plot::fill(path, &histogram, &report.plan)?;
    }
    match args.format {
        Format::Text => report.print()?,
        Format::Json => print(report.json())?,
    }
    Ok(())
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

/// Parses `N,E`.
fn parse_limits(text: &str) -> Result<[u32; 2], String> {
    let fault = || format!("expected two numbers as in 222,502, found {text:?}");
    let (nodes, edges) = text.split_once(',').ok_or_else(fault)?;
    Ok([nodes.trim().parse().map_err(|_| fault())?, edges.trim().parse().map_err(|_| fault())?])
}
