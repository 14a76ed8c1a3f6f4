//! `graphpack limits`: searches the limits whose packs are full.

use crate::arguments::{Format, HistogramFile};
use crate::output::{Outcome, PrintError, bar, plot, print};
use graphpack_core::search::{self, Candidate};
use graphpack_core::{Effort, Histogram, Limits, PackError, Size};
use serde_json::{Value, json};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Search the limits whose packs are full: the smallest that reach an efficiency, those that no others beat, and the
/// best for a number of graphs per step
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    histogram: HistogramFile,
    /// Share of nodes and of edges that must be filled, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.98, value_parser = parse_share)]
    min_efficiency: f64,
    /// Largest limit of nodes [default: four times the largest graph]
    #[arg(long, value_name = "N")]
    max_nodes: Option<u32>,
    /// Largest limit of edges [default: four times the largest graph]
    #[arg(long, value_name = "E")]
    max_edges: Option<u32>,
    /// Also search the best limits for about this many graphs per step
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..))]
    graphs_per_batch: Option<u32>,
    /// Limits that are tried are multiples of this, besides the largest graph itself
    #[arg(long, value_name = "M", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    multiple_of: u32,
    /// Draw how full packs are under all limits that were tried: the harmonic mean of nodes and edges
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The most limits that are tried per component; wider ranges are tried in larger steps.
const PER_COMPONENT: u32 = 80;

pub(crate) fn run(args: &Args) -> Outcome {
    let histogram = args.histogram.read()?;
    let nodes = range(&histogram, 0, args.max_nodes, args.multiple_of)?;
    let edges = range(&histogram, 1, args.max_edges, args.multiple_of)?;
    let grid = nodes.iter().flat_map(|&n| edges.iter().map(move |&e| args.histogram.limits([n, e])));
    let grid = evaluate_all(&histogram, &grid.collect::<Vec<_>>())?;
    let smallest = search::smallest(&grid, args.min_efficiency);
    let front = search::pareto(&grid);
    let fullest = match args.graphs_per_batch {
        None => None,
        Some(graphs) => {
            let within = |most: Option<u32>, limit: u32| most.is_none_or(|most| limit <= most);
            let mut around = search::around(&histogram, f64::from(graphs), args.multiple_of);
            around
                .retain(|limits| within(args.max_nodes, limits.size.0[0]) && within(args.max_edges, limits.size.0[1]));
            let tried = evaluate_all(&histogram, &around)?;
            let best = search::fullest(&tried, &histogram, f64::from(graphs)).map(|best| best.limits);
            Some(best.ok_or_else(|| {
                let why = "the largest graph needs more, or --max-nodes and --max-edges allow less";
                format!("no limits hold {graphs} graphs per step: {why}")
            })?)
        }
    };
    let fullest = fullest.map(|limits| Candidate::optimise(&histogram, limits, Effort::default())).transpose()?;
    if let Some(path) = &args.plot {
        plot::heat_map(path, &grid)?;
    }
    let best = front.last().copied();
    match args.format {
        Format::Json => print(json!({
            "tried": grid.len(),
            "smallest": smallest.map(|found| object(&histogram, &found)),
            "best": best.map(|found| object(&histogram, &found)),
            "for_graphs_per_batch": fullest.map(|found| object(&histogram, &found)),
            "pareto": front.iter().map(|found| object(&histogram, found)).collect::<Vec<_>>(),
        }))?,
        Format::Text => {
            print(format_args!("{} limits tried", grid.len()))?;
            print(format_args!("nodes x edges   graphs/step    steps   nodes full   edges full   harmonic mean"))?;
            for found in &front {
                line("", &histogram, found)?;
            }
            match smallest {
                Some(found) => {
                    line(&format!("smallest with {:.1} %:\n", 100.0 * args.min_efficiency), &histogram, &found)?;
                }
                None => {
                    print(format_args!(
                        "none reaches {:.1} %; raise --max-nodes and --max-edges",
                        100.0 * args.min_efficiency
                    ))?;
                }
            }
            if let Some(found) = fullest {
                line(
                    &format!("best for {} graphs per step:\n", args.graphs_per_batch.unwrap_or_default()),
                    &histogram,
                    &found,
                )?;
            }
        }
    }
    Ok(())
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("expected a share from 0 to 1, found {text:?}"))
}

/// The limits of one component: its largest value, then multiples up to `most`.
fn range(histogram: &Histogram<2>, component: usize, most: Option<u32>, multiple: u32) -> Result<Vec<u32>, String> {
    let largest = histogram.largest().0[component].max(1);
    let most = most.unwrap_or(largest.saturating_mul(4));
    if most < largest {
        let name = ["nodes", "edges"][component];
        return Err(format!("--max-{name} {most} is below the largest graph, which has {largest} {name}"));
    }
    let step = (most - largest).div_ceil(PER_COMPONENT).max(1).next_multiple_of(multiple);
    let first = largest.checked_next_multiple_of(multiple).unwrap_or(largest);
    Ok([largest].into_iter().chain((first..=most).step_by(step as usize).filter(|&limit| limit != largest)).collect())
}

/// Evaluates candidates on all cores, in order.
fn evaluate_all(histogram: &Histogram<2>, limits: &[Limits<2>]) -> Result<Vec<Candidate<2>>, PackError<2>> {
    let bar = bar("limits", limits.len());
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::with_capacity(limits.len()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                while let Some((index, limits)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, limits.get(i)?)))
                {
                    let candidate = Candidate::evaluate(histogram, *limits);
                    if let Ok(mut found) = found.lock() {
                        found.push((index, candidate));
                    }
                    bar.inc(1);
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_default();
    found.sort_by_key(|(index, _)| *index);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

fn object(histogram: &Histogram<2>, found: &Candidate<2>) -> Value {
    let Size([nodes, edges]) = found.limits.size;
    json!({
        "limits": { "nodes": nodes, "edges": edges, "graphs": found.limits.graphs },
        "packs": found.packs,
        "graphs_per_step": found.graphs_per_step(histogram),
        "efficiency": { "nodes": found.efficiency.components[0], "edges": found.efficiency.components[1] },
        "harmonic_mean": found.score(),
    })
}

fn line(prefix: &str, histogram: &Histogram<2>, found: &Candidate<2>) -> Result<(), PrintError> {
    let [nodes, edges] = found.efficiency.components.map(|share| 100.0 * share);
    let shape = format!("{} x {}", found.limits.size.0[0], found.limits.size.0[1]);
    print(format_args!(
        "{prefix}{shape:>13}   {:11.1} {:8}   {nodes:8.2} %   {edges:8.2} %   {:11.2} %",
        found.graphs_per_step(histogram),
        found.packs,
        100.0 * found.score()
    ))
}
