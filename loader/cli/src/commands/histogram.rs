//! `graphpack histogram`: counts the graph sizes of a data set.

use crate::arguments::{DataSetArgs, Replace, ends_in};
use crate::output::{Outcome, listed, plot, print, write};
use graphpack_core::Histogram;
use graphpack_formats::histogram_csv::{self, SizeCounts};
use graphpack_loader::LineGraphs;
use std::path::{Path, PathBuf};

/// Count the graph sizes of a data set: a csv file with a column num_SET for each set, and count
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("outputs").multiple(true)))]
pub(crate) struct Args {
    #[command(flatten)]
    input: DataSetArgs,
    /// Also count triplets: pairs of edges k to j and j to i with i other than k, as DimeNet needs them
    #[arg(long)]
    triplets: bool,
    /// Also count the edges of line graphs: pairs of edges u to v and v to w
    #[arg(long)]
    line_graphs: bool,
    /// Where to write
    #[arg(long, value_name = "FILE.csv", value_parser = ends_in("csv", &["csv"]), group = "outputs")]
    out: PathBuf,
    /// Draw how many graphs have which size, in two sets
    #[arg(long, value_name = "FILE.svg", value_parser = ends_in("SVG", &["svg"]), group = "outputs")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    replace: Replace,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let inputs: Vec<&Path> = args.input.files.iter().map(PathBuf::as_path).collect();
    args.replace.check(&[("--out", Some(&args.out)), ("--plot", args.plot.as_deref())], &inputs)?;
    let mut data = args.input.read(None)?;
    if args.line_graphs {
        data = data.line_graphs(LineGraphs::default())?;
    }
    if args.triplets {
        data = data.triplets()?;
    }
    let histogram = Histogram::from_sizes(data.sizes()?)?;
    let sets = data.schema().sets();
    let counts = SizeCounts::new(sets.iter().cloned(), histogram)?;
    let picture = args.plot.as_ref().map(|path| plot::axes(sets).map(|axes| (path, axes))).transpose()?;
    let mut csv = Vec::new();
    histogram_csv::write(&counts, &mut csv)?;
    write(&args.out, &csv)?;
    if let Some((path, axes)) = picture {
        plot::save(path, plot::histogram(axes, counts.histogram(), ""))?;
    }
    let histogram = counts.histogram();
    let largest = histogram.largest();
    let largest = sets.iter().zip(largest.as_slice()).map(|(set, rows)| format!("{rows} {set}"));
    print(format_args!(
        "{}: {} graphs, {} sizes, at most {}",
        args.out.display(),
        histogram.graphs(),
        histogram.entries().len(),
        listed(&largest.collect::<Vec<_>>())
    ))?;
    Ok(())
}
