//! `graphpack inspect`: what is in a file of any format.

use crate::arguments::{Format, ReadArgs, Replace, ends_in, explained};
use crate::output::{Census, Outcome, graphs, graphs_read, left_out, plot, print};
use graphpack_formats::{Fields, FileFormat, Pieces};
use std::path::PathBuf;
use std::slice;

/// Print what is in a file or folder of any format, or in a store: sets, fields, sizes, elements, labels that some
/// graphs lack
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("outputs").multiple(true)))]
pub(crate) struct Args {
    /// A file or folder of any format, which is recognised from what is in it, or a store
    #[arg(value_name = "FILE")]
    path: PathBuf,
    #[command(flatten)]
    reading: ReadArgs,
    /// Draw how many graphs have which size
    #[arg(long, value_name = "FILE.svg", value_parser = ends_in("SVG", &["svg"]), group = "outputs")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    replace: Replace,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(args: &Args) -> Outcome {
    args.replace.check(&[("--plot", args.plot.as_deref())], &[&args.path])?;
    let format = args.reading.options().format(&args.path, None);
    let format = format.map_err(|error| explained(slice::from_ref(&args.path), error))?;
    // All digits, so that no number is too large.
    let fields = Fields { double: (format != FileFormat::Store).then_some(true), ..Fields::default() };
    args.reading.check(&args.path, format)?;
    let mut pieces = Pieces::with(&args.path, format, &fields, &args.reading.options())?;
    let (mut census, bar) = (Census::default(), graphs());
    let mut number = 0;
    while let Some(piece) = pieces.next().transpose()? {
        census.count(&piece)?;
        number += piece.len() as u64;
        let (done, all) = pieces.progress();
        graphs_read(&bar, number, all.map(|all| (done as f64 / all.max(1) as f64).min(1.0)));
    }
    bar.finish_and_clear();
    if let Some(path) = &args.plot {
        if census.sets().len() > 2 {
            plot::axes(census.sets())?;
        }
        plot::sizes(path, census.sets(), census.sizes())?;
    }
    match args.format {
        Format::Json => print(census.object(format, &pieces.skipped(), pieces.failed()))?,
        Format::Text => {
            let skipped: Vec<String> = left_out(pieces.failed()).into_iter().chain(pieces.skipped()).collect();
            census.lines(&args.path, format, &skipped).into_iter().try_for_each(print)?;
        }
    }
    Ok(())
}
