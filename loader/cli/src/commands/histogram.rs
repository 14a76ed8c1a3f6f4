//! `graphpack histogram`: counts the graph sizes of a data set.

use crate::arguments::DataSetArgs;
use crate::output::{Outcome, listed, plot, print};
use graphpack_core::components;
use graphpack_formats::histogram_csv::{self, SizeCounts};
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

/// Count the graph sizes of a data set: a csv file with a column num_SET for each set, and count
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: DataSetArgs,
    /// Where to write
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
    /// Draw how many graphs have which size, in two sets
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let counts = args.input.read()?.counts()?;
    components!(counts.sets().len(), K => run_in::<K>(args, &counts)).unwrap_or(Ok(()))
}

/// The command in K sets.
fn run_in<const K: usize>(args: &Args, counts: &SizeCounts) -> Outcome {
    let (sets, histogram) = (counts.sets(), counts.histogram::<K>().unwrap_or_default());
    let picture = args.plot.as_ref().map(|path| plot::axes(sets).map(|axes| (path, axes))).transpose()?;
    let file = File::create(&args.out);
    let written = file.and_then(|file| histogram_csv::write(counts, BufWriter::new(file)));
    written.map_err(|error| format!("{}: {error}", args.out.display()))?;
    if let Some((path, axes)) = picture {
        plot::histogram(path, axes, &counts.histogram().unwrap_or_default())?;
    }
    let largest = sets.iter().zip(histogram.largest().0).map(|(set, rows)| format!("{rows} {set}"));
    print(format_args!(
        "{}: {} graphs, {} sizes, at most {}",
        args.out.display(),
        histogram.graphs(),
        histogram.entries().len(),
        listed(&largest.collect::<Vec<_>>())
    ))?;
    Ok(())
}
