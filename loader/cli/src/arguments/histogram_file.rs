//! [`HistogramFile`]: the sizes that a plan is made for, or the data set that has them.

use super::DataSetArgs;
use graphpack_core::{Histogram, Limits, components};
use graphpack_formats::histogram_csv::{self, SizeCounts};
use graphpack_loader::Source;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

/// The sizes that are packed, and the most graphs of a pack.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("input").required(true)))]
pub(crate) struct HistogramFile {
    /// Histogram with the header num_nodes,num_edges,count, or num_SET for each of 1 to 8 sets, then count
    #[arg(long, value_name = "FILE.csv[.gz]", group = "input")]
    histogram: Option<PathBuf>,
    #[command(flatten)]
    data: DataSetArgs,
    /// Most graphs of a pack
    #[arg(long, value_name = "G", default_value_t = Limits::<2>::DEFAULT_GRAPHS)]
    max_graphs: u32,
}

impl HistogramFile {
    /// Reads the histogram, which must have graphs.
    pub(crate) fn read(&self) -> Result<SizeCounts, Box<dyn Error>> {
        Ok(self.read_data()?.0)
    }

    /// Reads the histogram, and the data set if it is that of one.
    pub(crate) fn read_data(&self) -> Result<(SizeCounts, Option<Arc<dyn Source>>), Box<dyn Error>> {
        let Some(path) = &self.histogram else {
            let data = self.data.read()?.into_source();
            let counts = components!(data.schema().sets().len(), K => counts::<K>(&*data));
            return Ok((counts.unwrap_or_else(|| Err("the data set has no sets".into()))?, Some(data)));
        };
        let counts = histogram_csv::read(path)?;
        if counts.graphs() == 0 {
            return Err(format!("{} has no graphs", path.display()).into());
        }
        Ok((counts, None))
    }

    /// Limits of this size.
    pub(crate) fn limits<const K: usize>(&self, size: [u32; K]) -> Limits<K> {
        Limits::new(size).graphs(self.max_graphs)
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
