//! `graphpack histogram`: counts the graph sizes of a data set.

use crate::{Outcome, plot};
use graphpack_loader::graphpack_core::{Histogram, Size};
use graphpack_loader::{OgbCsv, Source, histogram_csv};
use indicatif::ProgressBar;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::Duration;

/// Count the graph sizes of a data set: a csv file with the header num_nodes,num_edges,count.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of a data set in OGB's raw layout (with raw/ in it)
    #[arg(long, value_name = "DIR")]
    ogb: PathBuf,
    /// Only this split: train, valid, test; or KIND/PART where there are several kinds
    #[arg(long)]
    split: Option<String>,
    /// Take edges as they are, without adding the inverse of each
    #[arg(long)]
    directed: bool,
    /// Where to write
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
    /// Draw it (figure 2 of the paper)
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let spinner = ProgressBar::new_spinner().with_message(format!("reading {}", args.ogb.display()));
    spinner.enable_steady_tick(Duration::from_millis(100));
    let data = if args.directed { OgbCsv::open_directed(&args.ogb)? } else { OgbCsv::open(&args.ogb)? };
    let histogram = match &args.split {
        Some(split) => Histogram::from_sizes(sizes(&data.split(split)?))?,
        None => Histogram::from_sizes(sizes(&**data.store()))?,
    };
    spinner.finish_and_clear();
    let file = File::create(&args.out).map_err(|error| format!("{}: {error}", args.out.display()))?;
    histogram_csv::write(&histogram, BufWriter::new(file))
        .map_err(|error| format!("{}: {error}", args.out.display()))?;
    if let Some(path) = &args.plot {
        plot::histogram(path, &histogram)?;
    }
    let Size([nodes, edges]) = histogram.largest();
    println!(
        "{}: {} graphs, {} sizes, at most {nodes} nodes and {edges} edges",
        args.out.display(),
        histogram.graphs(),
        histogram.entries().len()
    );
    Ok(())
}

fn sizes(source: &impl Source) -> impl Iterator<Item = Size<2>> + '_ {
    (0..source.len()).map(|graph| source.size(graph))
}
