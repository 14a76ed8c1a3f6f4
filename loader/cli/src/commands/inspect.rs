//! `graphpack inspect`: what is in a file of any format.

use crate::arguments::{Format, ReadArgs, Replace, ends_in, explained};
use crate::output::{Census, Outcome, graphs, graphs_read, left_out, plot, print, statistics};
use graphpack_formats::{Fields, FileFormat, Pieces};
use graphpack_loader::statistics::Statistics;
use serde_json::json;
use std::path::PathBuf;
use std::{iter, slice};

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
    /// Also print the mean neighbours of a row, mean, variance and RMS of each field, and energies of elements by least
    /// squares
    #[arg(long)]
    statistics: bool,
    /// The field of graphs that energies of elements are fitted to, those of the field `z`
    #[arg(long, value_name = "FIELD", default_value = "energy", requires = "statistics")]
    energy: String,
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
    let counted = iter::from_fn(|| {
        let piece = pieces.next()?.and_then(|piece| census.count(&piece).map(|()| piece));
        number += piece.as_ref().map_or(0, |piece| piece.len() as u64);
        let (done, all) = pieces.progress();
        graphs_read(&bar, number, all.map(|all| (done as f64 / all.max(1) as f64).min(1.0)));
        Some(piece)
    });
    let statistics = if args.statistics {
        Some(Statistics::of_stores(counted, "z", &args.energy)?)
    } else {
        counted.into_iter().try_for_each(|piece| piece.map(drop))?;
        None
    };
    bar.finish_and_clear();
    // Data without energies have other statistics.
    if args.energy != "energy" && statistics.as_ref().is_some_and(|of_all| of_all.energies.is_empty()) {
        let found = &args.energy;
        let expected =
            "a field of one number for each graph, beside z, one integer of at most 256 elements for each node";
        return Err(format!("--energy: expected {expected}, found {found}").into());
    }
    if let Some(path) = &args.plot {
        if census.sets().len() > 2 {
            plot::axes(census.sets())?;
        }
        plot::save(path, plot::sizes(census.sets(), census.sizes(), ""))?;
    }
    match args.format {
        Format::Json => {
            let mut object = census.object(format, &pieces.skipped(), pieces.failed());
            if let Some(statistics) = statistics {
                object["statistics"] = json!(statistics);
            }
            print(object)?;
        }
        Format::Text => {
            let skipped: Vec<String> = left_out(pieces.failed()).into_iter().chain(pieces.skipped()).collect();
            census.lines(&args.path, format, &skipped).into_iter().try_for_each(print)?;
            let statistics = statistics.iter().flat_map(|of_all| statistics::lines(of_all, &args.energy));
            statistics.into_iter().try_for_each(print)?;
        }
    }
    Ok(())
}
