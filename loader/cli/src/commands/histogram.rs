//! `graphpack histogram`: counts the graph sizes of a data set.

use crate::arguments::DataSetArgs;
use crate::output::{Outcome, plot, print};
use graphpack_core::{Histogram, Size};
use graphpack_formats::histogram_csv;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

/// Count the graph sizes of a data set: a csv file with the header num_nodes,num_edges,count
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: DataSetArgs,
    /// Where to write
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
    /// Draw how many graphs have which size
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let histogram = Histogram::from_sizes(args.input.read()?.sizes())?;
    let file = File::create(&args.out);
    let written = file.and_then(|file| histogram_csv::write(&histogram, BufWriter::new(file)));
    written.map_err(|error| format!("{}: {error}", args.out.display()))?;
    if let Some(path) = &args.plot {
        plot::histogram(path, &histogram)?;
    }
    let Size([nodes, edges]) = histogram.largest();
    print(format_args!(
        "{}: {} graphs, {} sizes, at most {nodes} nodes and {edges} edges",
        args.out.display(),
        histogram.graphs(),
        histogram.entries().len()
    ))?;
    Ok(())
}
