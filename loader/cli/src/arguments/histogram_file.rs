//! [`HistogramFile`]: the sizes that a plan is made for, or the data set that has them.

use super::{DataSetArgs, TargetArgs};
use graphpack_core::{Histogram, Limits, Size};
use graphpack_formats::histogram_csv::{self, SizeCounts};
use graphpack_loader::Data;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The sizes that are packed, and the most graphs of a pack.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("input").required(true)))]
pub(crate) struct HistogramFile {
    /// Histogram with the header num_nodes,num_edges,count, or num_SET for each of 1 to 8 sets, then count; without
    /// the column count, each line is one graph
    #[arg(long, value_name = "FILE.csv[.gz]", group = "input", conflicts_with_all = DataSetArgs::OPTIONS)]
    histogram: Option<PathBuf>,
    #[command(flatten)]
    data: DataSetArgs,
    #[arg(long, value_name = "G", help = max_graphs_help())]
    max_graphs: Option<MaxGraphs>,
}

/// A histogram, and the data set that has these sizes.
pub(crate) type Counted = (SizeCounts, Option<Data>);

fn max_graphs_help() -> String {
    let default = Limits::DEFAULT_GRAPHS;
    format!(
        "Most graphs of a pack: a number, or max for as many of the smallest graphs as the other limits hold [default: \
         {default}]"
    )
}

/// The most graphs of a pack; `None` for as many as fit.
#[derive(Clone, Copy)]
struct MaxGraphs(Option<u32>);

impl FromStr for MaxGraphs {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let graphs = if text == "max" { Some(None) } else { text.parse().ok().map(Some) };
        graphs.map(Self).ok_or_else(|| format!("expected a number of graphs or max, found {text:?}"))
    }
}

impl HistogramFile {
    /// Reads the histogram, which must have graphs.
    pub(crate) fn read(&self) -> Result<SizeCounts, Box<dyn Error>> {
        Ok(self.read_data(None)?.0)
    }

    /// Reads the histogram, and the data set with these targets if it is that of one.
    pub(crate) fn read_data(&self, targets: Option<&TargetArgs>) -> Result<Counted, Box<dyn Error>> {
        let Some(path) = &self.histogram else {
            let data = self.data.read(targets.and_then(TargetArgs::given))?;
            return Ok((counts(&data)?, Some(data)));
        };
        let counts = histogram_csv::read(path)?;
        if counts.graphs() == 0 {
            return Err(format!("{} has no graphs", path.display()).into());
        }
        Ok((counts, None))
    }

    /// The most graphs of a pack as `--max-graphs` says it; `None` if it is not given.
    pub(crate) fn most_graphs(&self) -> Option<u32> {
        self.max_graphs.map(|most| most.0.unwrap_or(u32::MAX))
    }

    /// The files that are read.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.histogram.iter().chain(&self.data.files).map(PathBuf::as_path)
    }

    /// A function that returns the limits of a size, for the graphs of `histogram`.
    pub(crate) fn limits(&self, histogram: &Histogram) -> impl Fn(Size) -> Limits + use<> {
        let sizes = histogram.entries().iter().map(|(size, _)| *size);
        let smallest = sizes.reduce(|smallest, size| smallest.min_each(&size)).unwrap_or(Size::new([]));
        let graphs = self.max_graphs.map_or(Some(Limits::DEFAULT_GRAPHS), |most| most.0);
        // The number never binds: no pack has more than of graphs that are the smallest in all sets.
        move |size| Limits::new(size).graphs(graphs.unwrap_or_else(|| smallest.times_in(&size).max(1)))
    }
}

/// Counts the sizes of a data set, which must have graphs.
fn counts(data: &Data) -> Result<SizeCounts, Box<dyn Error>> {
    if data.is_empty() {
        return Err("the data set has no graphs".into());
    }
    let histogram = Histogram::from_sizes(data.sizes()?)?;
    Ok(SizeCounts::new(data.schema().sets().iter().cloned(), histogram)?)
}
