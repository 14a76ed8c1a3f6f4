//! [`HistogramFile`]: the sizes that a plan is made for, or the data set that has them.

use super::DataSetArgs;
use graphpack_core::{Histogram, Limits, Size, components};
use graphpack_formats::histogram_csv::{self, SizeCounts};
use graphpack_loader::Source;
use std::array::from_fn;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

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
    /// Most graphs of a pack: a number, or max for as many of the smallest graphs as the other limits hold
    #[arg(long, value_name = "G", default_value_t = MaxGraphs(Some(Limits::<2>::DEFAULT_GRAPHS)))]
    max_graphs: MaxGraphs,
}

/// A histogram, and the data set that has these sizes.
pub(crate) type Counted = (SizeCounts, Option<Arc<dyn Source>>);

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

impl fmt::Display for MaxGraphs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(graphs) => graphs.fmt(f),
            None => f.write_str("max"),
        }
    }
}

impl HistogramFile {
    /// Reads the histogram, which must have graphs.
    pub(crate) fn read(&self) -> Result<SizeCounts, Box<dyn Error>> {
        Ok(self.read_data()?.0)
    }

    /// Reads the histogram, and the data set if it is that of one.
    pub(crate) fn read_data(&self) -> Result<Counted, Box<dyn Error>> {
        let Some(path) = &self.histogram else {
            let data = self.data.read()?;
            let counts = components!(data.schema().sets().len(), K => counts::<K>(&*data));
            return Ok((counts.unwrap_or_else(|| Err("the data set has no sets".into()))?, Some(data)));
        };
        let counts = histogram_csv::read(path)?;
        if counts.graphs() == 0 {
            return Err(format!("{} has no graphs", path.display()).into());
        }
        Ok((counts, None))
    }

    /// A function that returns the limits of a size, for the graphs of `histogram`.
    pub(crate) fn limits<const K: usize>(&self, histogram: &Histogram<K>) -> impl Fn([u32; K]) -> Limits<K> + use<K> {
        let least = |k: usize| histogram.entries().iter().map(|(size, _)| size.0[k]).min().unwrap_or(0);
        let (smallest, graphs) = (Size(from_fn(least)), self.max_graphs.0);
        // The number never binds: no pack has more than of graphs that are the smallest in all sets.
        move |size| Limits::new(size).graphs(graphs.unwrap_or_else(|| smallest.times_in(&Size(size))))
    }
}

/// Counts the sizes of a data set, which must have graphs.
fn counts<const K: usize>(data: &dyn Source) -> Result<SizeCounts, Box<dyn Error>> {
    if data.is_empty() {
        return Err("the data set has no graphs".into());
    }
    let histogram = Histogram::from_sizes((0..data.len()).map(|graph| data.size(graph).exact::<K>()))?;
    Ok(SizeCounts::new(data.schema().sets().iter().cloned(), &histogram)?)
}
