//! Packing by nodes alone, by nodes and edges, and by nodes, edges and triplets, with the same code, and what it costs
//! to ignore the triplets: `cargo run --release --example three_sets`.
//!
//! Directional networks such as DimeNet send messages along triplets, pairs of edges that share a node, so the number
//! of triplets is a third size that must stay within limits. Without options molecules are generated;
//! docs/measurements/packing.md has what it prints for real ones.

use clap::Parser;
use graphpack_core::search::{self, Trials};
use graphpack_core::{Budget, Histogram, Limits, Packer, Plan, Size};
use graphpack_formats::histogram_csv::{self, SizeCounts};
use graphpack_formats::{Fields, read};
use graphpack_loader::{Data, Edges, Random, Store, molecules};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::path::PathBuf;

const SETS: [&str; 3] = ["nodes", "edges", "triplets"];

/// Packs molecules by nodes, edges and triplets.
#[derive(Parser)]
struct Args {
    /// A file or folder of any format
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Which atoms have edges, if the file does not say so: full, radius:LENGTH or nearest:K
    #[arg(long, default_value = "radius:5")]
    edges: Edges,
    /// About how many graphs a pack holds [default: limits are the largest graph of the data]
    #[arg(long)]
    graphs: Option<f64>,
    /// Also write the histogram, for `graphpack plan` and `graphpack limits`
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let sizes = sizes(&args)?;
    let histogram = Histogram::from_sizes(sizes.iter().copied())?;
    if let Some(path) = &args.out {
        histogram_csv::write(&SizeCounts::new(SETS, histogram.clone())?, File::create(path)?)?;
    }
    let limits = limits(&histogram, args.graphs)?;
    println!("{} graphs, {} sizes", histogram.graphs(), histogram.entries().len());
    plan(1, &sizes, &limits)?;
    let ignorant = plan(2, &sizes, &limits)?;
    plan(3, &sizes, &limits)?;
    ignored(&sizes, &ignorant, limits.size[2]);
    Ok(())
}

/// Nodes, edges and triplets of each graph.
fn sizes(args: &Args) -> Result<Vec<Size>, Box<dyn Error>> {
    let data = match &args.data {
        Some(path) => read(path, &Fields::default())?,
        None => molecules::generate(7, 5_000),
    };
    let data = match data.schema().find_index("edge_index") {
        Some(_) => data,
        None => Store::collect(Data::from(data).connect(args.edges)?)?,
    };
    let data = Data::from(data).triplets()?;
    Ok(data.sizes()?.collect())
}

/// Limits in the proportion of the data for about this number of graphs, or those of the largest graph.
fn limits(histogram: &Histogram, graphs: Option<f64>) -> Result<Limits, Box<dyn Error>> {
    let Some(graphs) = graphs else { return Ok(Limits::new(histogram.largest().max_each(&Size::new([1; 3])))) };
    let tried = Trials::for_fullest(histogram, &search::around(histogram, graphs, 8), graphs).run()?;
    let best = search::fullest(&tried, histogram, graphs).ok_or("no limits hold that number of graphs")?;
    Ok(best.limits)
}

/// Packs by the first `sets` sets.
fn plan(sets: usize, sizes: &[Size], limits: &Limits) -> Result<Plan, Box<dyn Error>> {
    let histogram = Histogram::from_sizes(sizes.iter().map(|size| size.resized(sets)))?;
    let limits = Limits { size: limits.size.resized(sets), graphs: limits.graphs };
    let plan = Packer::Auto(Budget::default()).pack(&histogram, &limits)?;
    println!(
        "{}: {} packs under {limits}, no plan has fewer than {}",
        SETS[..sets].join(", "),
        plan.packs(),
        plan.bound()
    );
    for (name, share) in SETS.iter().zip(plan.efficiency().sets) {
        println!("  {:.2} % of the {name} filled", 100.0 * share);
    }
    Ok(plan)
}

/// Prints how many triplets the packs of a plan hold that was made without them. Which graphs of a size share a pack is
/// drawn, as a loader draws it.
fn ignored(sizes: &[Size], plan: &Plan, limit: u32) {
    let mut triplets: BTreeMap<Size, Vec<u64>> = BTreeMap::new();
    for size in sizes {
        triplets.entry(size.resized(2)).or_default().push(size[2].into());
    }
    let mut random = Random::new(7, 0);
    triplets.values_mut().for_each(|same| random.shuffle(same));
    let (mut over, mut most, mut all) = (0_u64, 0, 0);
    for pack in plan.iter() {
        for _ in 0..pack.repeat {
            let graphs = pack.contents().flat_map(|(size, times)| (0..times).map(move |_| size));
            let held = graphs.filter_map(|size| triplets.get_mut(&size)?.pop()).sum::<u64>();
            over += u64::from(held > limit.into());
            most = most.max(held);
            all += held;
        }
    }
    let packs = plan.packs();
    let share = |part: u64, whole: u64| 100.0 * part as f64 / whole as f64;
    println!("triplets ignored: {over} of {packs} packs ({:.1} %) exceed {limit} triplets", share(over, packs));
    println!("  room for the most, {most}, is filled to {:.2} %", share(all, most * packs));
}
