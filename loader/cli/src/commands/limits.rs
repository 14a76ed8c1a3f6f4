//! `graphpack limits`: searches the limits whose packs are full.

use super::limits_probe::ProbeArgs;
use crate::arguments::{
    CostArgs, Format, HistogramFile, Replace, ends_in, of_each, once, parse_each, parse_named, position,
};
use crate::output::{LimitsTable, Outcome, bar, listed, plot, print};
use graphpack_core::search::{self, Candidate, Trials};
use graphpack_core::{Budget, Cost, Histogram, Limits, PackError, Size};
use indicatif::ProgressBar;
use serde_json::json;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Search the limits whose packs are full: the smallest that reach an efficiency, those that no others beat, and the
/// best for a number of graphs per step
///
/// In one or two sets, up to 81 limits of each are tried in all combinations. In more, limits in the proportion of the
/// data are tried, with one set at a time up to a tenth lower or higher, up to --max or four times those that hold the
/// largest graph: at most 1,500 in all, fewer where there are thousands of sizes. Graphs are packed only under limits
/// that could be chosen if packs were as few as the sums of all sizes allow, by best-fit and demand; by auto where
/// that may decide which limits are the smallest.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("outputs").multiple(true)))]
pub(crate) struct Args {
    #[command(flatten)]
    histogram: HistogramFile,
    /// Share of each set that must be filled, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.98, value_parser = parse_share)]
    min_efficiency: f64,
    /// Largest limit of a set, once for each: four times the largest graph if not given
    #[arg(long, value_name = "SET=N", value_parser = parse_most)]
    max: Vec<(String, u32)>,
    /// Largest limit of nodes, as --max nodes=N
    #[arg(long, value_name = "N")]
    max_nodes: Option<u32>,
    /// Largest limit of edges, as --max edges=N
    #[arg(long, value_name = "E")]
    max_edges: Option<u32>,
    /// Also search the best limits for about this many graphs per step, of any number of graphs unless --max-graphs is
    /// given; beyond ten million, packing would take minutes for each limit
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    graphs_per_batch: Option<u32>,
    #[command(flatten)]
    cost: CostArgs,
    /// Also search the limits whose epoch costs least among those that need at most this much memory, of any number of
    /// graphs unless --max-graphs is given. These are the limits of a pack: rows of padding, which a loader adds to a
    /// batch, are not counted
    #[arg(long, value_name = "BYTES")]
    budget: Option<u64>,
    /// Memory of a row of each set, as in nodes=400,edges=150
    #[arg(long, value_name = "SET=BYTES", value_delimiter = ',', value_parser = parse_each)]
    memory: Vec<(String, u64)>,
    #[command(flatten)]
    probe: ProbeArgs,
    /// Limits that are tried are multiples of this, besides the largest graph itself
    #[arg(long, value_name = "M", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    multiple_of: u32,
    /// Draw how full packs are under all limits, in two sets: the harmonic mean of both, pale where it is only known
    /// that packs are not fuller
    #[arg(long, value_name = "FILE.svg", value_parser = ends_in("SVG", &["svg"]), group = "outputs")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    replace: Replace,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The most limits that are tried per set besides the largest graph; wider ranges are tried in larger steps.
const PER_SET: u32 = 80;
/// The fewest and the most limits that are tried in three sets or more, about.
const TRIED: [usize; 2] = [200, 1500];
/// Limits times sizes, between these: each packs the histogram, which takes about 20 microseconds per size.
const WORK: usize = 1_500_000;
/// Limits that are packed by auto at most, so many at once, and about the seconds of each.
const BETTER: usize = 128;
const ROUND: usize = 8;
const SECONDS: f64 = 0.1;

pub(crate) fn run(args: &Args) -> Outcome {
    let most = args.histogram.most_graphs();
    if let Some((graphs, most)) = args.graphs_per_batch.zip(most).filter(|(graphs, most)| graphs > most) {
        return Err(format!("--graphs-per-batch {graphs}: expected at most --max-graphs {most}").into());
    }
    let inputs: Vec<&Path> = args.histogram.files().collect();
    args.replace.check(&[("--plot", args.plot.as_deref())], &inputs)?;
    let counts = args.histogram.read()?;
    let (sets, histogram) = (counts.sets(), counts.histogram());
    let cost = args.cost.of(sets)?;
    let picture = args.plot.as_ref().map(|path| plot::axes(sets).map(|axes| (path, axes))).transpose()?;
    let most = args.most(sets, &histogram.largest())?;
    let most_graphs = args.histogram.most_graphs().unwrap_or(u32::MAX);
    let probed = args.probe.run(sets, histogram, args.multiple_of)?;
    let grid = candidates(histogram, &most, args.multiple_of);
    let grid: Vec<_> = grid.into_iter().map(args.histogram.limits(histogram)).collect();
    let mut packed = {
        let trials = Trials::for_pareto(histogram, &grid, args.min_efficiency, &cost);
        all_rounds(trials, histogram, grid.len())?
    };
    pack_better(histogram, &mut packed, args.min_efficiency, &cost)?;
    let smallest = search::smallest(&packed, args.min_efficiency, &cost);
    let front = search::pareto(&packed, &cost);
    let fullest = match args.graphs_per_batch {
        None => None,
        Some(graphs) => {
            let mut around = search::around(histogram, f64::from(graphs), args.multiple_of);
            around.push(search::largest_graph(histogram));
            around.retain(|limits| within(&limits.size, &most));
            around.iter_mut().for_each(|limits| limits.graphs = limits.graphs.min(most_graphs));
            let trials = Trials::for_fullest(histogram, &around, f64::from(graphs));
            let tried = all_rounds(trials, histogram, around.len())?;
            let tried = [tried, packed.clone()].concat();
            let best = search::fullest(&tried, histogram, f64::from(graphs)).map(|best| best.limits);
            Some(best.ok_or_else(|| {
                let multiple_of = args.multiple_of;
                let why = format!("largest graph, --max, --max-graphs or --multiple-of {multiple_of} leaves none");
                let largest = search::largest_graph(histogram);
                let alone = Candidate::at_best(histogram, &[largest]);
                let alone = alone.iter().map(|found| found.graphs_per_step(histogram)).fold(0.0, f64::max);
                // A loader can treat large graphs apart.
                let more = if alone > f64::from(graphs) {
                    let rows = sets.iter().zip(largest.size.as_slice()).map(|(set, rows)| format!("{rows} {set}"));
                    let rows = listed(&rows.collect::<Vec<_>>());
                    format!(
                        "; with room for the largest, {rows}, they hold {alone:.1}: in a loader, oversize alone, skip or trim \
                         keeps {graphs}"
                    )
                } else {
                    String::new()
                };
                format!("no limits hold {graphs} of {} graphs per step: the {why}{more}", histogram.graphs())
            })?)
        }
    };
    let fullest = fullest.map(|limits| Candidate::optimise(histogram, limits, Budget::default())).transpose()?;
    let cheapest = match args.budget {
        None => None,
        Some(budget) => {
            let memory = of_each("--memory", &args.memory, sets)?;
            let mut limits = search::within(histogram, &memory, budget, most_graphs, args.multiple_of);
            limits.retain(|limits| within(&limits.size, &most));
            // Those of the table, too: none of its lines may be cheaper.
            let is_within = |found: &&Candidate| memory.of(&found.limits) <= budget.into();
            let epoch = |found: &Candidate| cost.of_epoch(found.packs, &found.limits);
            let of_table = packed.iter().filter(is_within).min_by_key(|found| epoch(found)).cloned();
            let best = search::cheapest(histogram, &limits, &cost)?;
            let best = best.into_iter().chain(of_table).min_by_key(epoch);
            let best = best.ok_or_else(|| format!("no limits that hold the largest graph need {budget} or less"))?;
            let epoch = cost.of_epoch(best.packs, &best.limits);
            Some((best, epoch))
        }
    };
    if let Some((path, axes)) = picture.filter(|_| !packed.is_empty()) {
        let mut found = packed.iter().peekable();
        let shares = Candidate::at_best(histogram, &grid).into_iter().map(|best| {
            let found = found.next_if(|found| found.limits == best.limits);
            (best.limits.size.first(), found.unwrap_or(&best).score(), found.is_some())
        });
        plot::save(path, plot::heat_map(axes, &shares.collect::<Vec<_>>()))?;
    }
    let best = front.last().cloned();
    let table = LimitsTable { sets, histogram };
    match args.format {
        Format::Json => print(json!({
            "tried": grid.len(),
            "packed": packed.len(),
            "smallest": smallest.map(|found| table.object(&found)),
            "best": best.map(|found| table.object(&found)),
            "for_graphs_per_batch": fullest.map(|found| table.object(&found)),
            "cheapest": cheapest.map(|(found, cost)| json!({ "epoch_cost": cost as f64, "of": table.object(&found) })),
            "probe": probed.map(|probed| probed.object(&table)),
            "pareto": front.iter().map(|found| table.object(found)).collect::<Vec<_>>(),
        }))?,
        Format::Text => {
            print(format_args!("{} limits tried, {} of them by packing", grid.len(), packed.len()))?;
            table.header()?;
            for found in &front {
                table.line(found)?;
            }
            // All digits that were given, without those that 100 times a float adds.
            let enough = (1e12 * args.min_efficiency).round() / 1e10;
            match smallest {
                Some(found) => {
                    print(format_args!("smallest with {enough} %:"))?;
                    table.line(&found)?;
                }
                None => {
                    let flags = if args.histogram.most_graphs().is_some() { "--max, --max-graphs" } else { "--max" };
                    print(format_args!(
                        "no limits that were tried reach {enough} %; larger ones may ({flags}), and so may some in between, \
                         of which a smaller range has more"
                    ))?;
                }
            }
            if let Some((found, cost)) = cheapest {
                let graphs = found.limits.graphs;
                print(format_args!(
                    "cheapest epoch within the budget, cost {cost}, at most {graphs} graphs per pack:"
                ))?;
                table.line(&found)?;
            }
            if let Some(found) = fullest {
                let (wanted, graphs) = (args.graphs_per_batch.unwrap_or_default(), found.limits.graphs);
                print(format_args!("best for {wanted} graphs per step, at most {graphs} graphs per pack:"))?;
                table.line(&found)?;
            }
            if let Some(probed) = probed {
                probed.print(&table)?;
            }
        }
    }
    Ok(())
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("expected a share from 0 to 1, found {text:?}"))
}

/// Parses `SET=N`.
fn parse_most(text: &str) -> Result<(String, u32), String> {
    parse_named(text, "a set and its largest limit as in nodes=222", |most| most.parse().ok())
}

impl Args {
    /// The largest limit of each set that was asked for; None where the default holds.
    fn most(&self, sets: &[String], largest: &Size) -> Result<Vec<Option<u32>>, String> {
        let mut all = vec![None; sets.len()];
        let short = [("nodes", self.max_nodes), ("edges", self.max_edges)];
        let short = short.into_iter().filter_map(|(set, most)| Some((set, most?)));
        let names = self.max.iter().map(|(set, _)| set.as_str()).chain(short.clone().map(|(set, _)| set));
        once("--max, --max-nodes and --max-edges", names)?;
        for (set, most) in self.max.iter().map(|(set, most)| (set.as_str(), *most)).chain(short) {
            let k = position(sets, set)?;
            if most < largest[k].max(1) {
                return Err(format!("--max {set}={most} is below the largest graph, which has {} {set}", largest[k]));
            }
            all[k] = Some(most);
        }
        Ok(all)
    }
}

/// Whether no limit is larger than what was asked for.
fn within(limits: &Size, most: &[Option<u32>]) -> bool {
    limits.as_slice().iter().zip(most).all(|(limit, most)| most.is_none_or(|most| *limit <= most))
}

/// The limits to try: what each set may be in all combinations, or, in more than two sets, limits in about
/// the proportion of the data, since of all combinations only those are full.
fn candidates(histogram: &Histogram, most: &[Option<u32>], multiple: u32) -> Vec<Size> {
    let sets = most.len();
    let largest = histogram.largest().max_each(&Size::of(sets, |_| 1));
    if sets > 2 {
        return proportional(histogram, largest, most, multiple);
    }
    (0..sets).fold(vec![largest], |found, k| {
        let limits = range(largest[k], most[k].unwrap_or(largest[k].saturating_mul(4)), multiple);
        let with = |limits: Size, limit: u32| Size::of(sets, |other| if other == k { limit } else { limits[other] });
        found.into_iter().flat_map(|before| limits.iter().map(move |&limit| with(before, limit))).collect()
    })
}

/// The limits of one set: its largest value, then multiples up to `most`.
fn range(largest: u32, most: u32, multiple: u32) -> Vec<u32> {
    let step = (most - largest).div_ceil(PER_SET).max(1).next_multiple_of(multiple);
    let first = largest.checked_next_multiple_of(multiple).unwrap_or(largest);
    [largest].into_iter().chain((first..=most).step_by(step as usize).filter(|&limit| limit != largest)).collect()
}

/// The largest graph, and limits [around](search::around) numbers of graphs: from the number at which the first
/// set exceeds its largest graph, to that at which one reaches its `most`; without any, to four times the number
/// at which the last set exceeds its largest graph.
fn proportional(histogram: &Histogram, largest: Size, most: &[Option<u32>], multiple: u32) -> Vec<Size> {
    let sets = most.len();
    let (mut totals, count) = (histogram.totals(), histogram.graphs() as f64);
    // An empty histogram has no sums.
    totals.resize(sets, 0);
    // With how many mean graphs a set has a number of rows.
    let graphs = |k: usize, rows: u32| f64::from(rows) * count / totals[k] as f64;
    let filled = || (0..sets).filter(|&k| totals[k] > 0);
    let fewest = filled().map(|k| graphs(k, largest[k])).fold(count, f64::min);
    let asked = filled().filter_map(|k| Some(graphs(k, most[k]?))).reduce(f64::min);
    let greatest = asked.unwrap_or_else(|| 4.0 * filled().map(|k| graphs(k, largest[k])).fold(fewest, f64::max));
    let tried = (WORK / histogram.entries().len().max(1)).clamp(TRIED[0], TRIED[1]);
    let scales = (tried / (11 * sets)).max(4);
    let mut found = vec![largest];
    for scale in 0..scales {
        let graphs = fewest * (greatest / fewest).powf(scale as f64 / (scales - 1) as f64);
        let around = search::around(histogram, graphs, multiple).into_iter().map(|limits| limits.size);
        found.extend(around.filter(|limits| within(limits, most)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Packs graphs by best-fit and demand under those of `all` limits that matter.
fn all_rounds(mut trials: Trials<'_>, histogram: &Histogram, all: usize) -> Result<Vec<Candidate>, PackError> {
    let bar = bar("limits", all);
    while let Some(round) = trials.next_round() {
        let found = evaluate_all(&round, trials.done(), &bar, |limits| Candidate::evaluate(histogram, limits))?;
        trials.add(found);
    }
    Ok(trials.finish())
}

/// Packs graphs by auto under the limits that may be the smallest, the cheapest first, until some are.
fn pack_better(histogram: &Histogram, packed: &mut [Candidate], efficiency: f64, cost: &Cost) -> Result<(), PackError> {
    let near = search::nearly_full(histogram, packed, efficiency, cost);
    // If there are too many, those next to what is the smallest now.
    let most = (WORK / histogram.entries().len().max(1)).clamp(ROUND, BETTER);
    let near = &near[near.len().saturating_sub(most)..];
    let bar = bar("limits packed by auto", near.len());
    for (round, limits) in near.chunks(ROUND).enumerate() {
        let optimise = |limits| Candidate::optimise(histogram, limits, Budget::seconds(SECONDS));
        let better = evaluate_all(limits, ROUND * round, &bar, optimise)?;
        let is_found = search::smallest(&better, efficiency, cost).is_some();
        for better in better {
            // Demand may need more than auto's time.
            let worse = |found: &&mut Candidate| found.limits == better.limits && found.packs > better.packs;
            if let Some(found) = packed.iter_mut().find(worse) {
                *found = better;
            }
        }
        if is_found {
            break;
        }
    }
    Ok(())
}

/// Evaluates limits on all cores, in order; `before` others are done with.
fn evaluate_all(
    limits: &[Limits],
    before: usize,
    bar: &ProgressBar,
    evaluate: impl Fn(Limits) -> Result<Candidate, PackError> + Sync,
) -> Result<Vec<Candidate>, PackError> {
    bar.set_position(before as u64);
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::with_capacity(limits.len()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get).min(limits.len()) {
            scope.spawn(|| {
                while let Some((index, limits)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, limits.get(i)?)))
                {
                    let candidate = evaluate(*limits);
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
