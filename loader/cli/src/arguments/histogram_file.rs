//! [`HistogramFile`]: the sizes that a plan is made for.

use graphpack_core::Limits;
use graphpack_formats::histogram_csv::{self, SizeCounts};
use std::error::Error;
use std::path::PathBuf;

/// The sizes that are packed, and the most graphs of a pack.
#[derive(clap::Args)]
pub(crate) struct HistogramFile {
    /// Histogram with the header num_nodes,num_edges,count, or num_SET for each of 1 to 8 sets, then count
    #[arg(long, value_name = "FILE.csv[.gz]")]
    histogram: PathBuf,
    /// Most graphs of a pack
    #[arg(long, value_name = "G", default_value_t = Limits::<2>::DEFAULT_GRAPHS)]
    max_graphs: u32,
}

impl HistogramFile {
    /// Reads the histogram, which must have graphs.
    pub(crate) fn read(&self) -> Result<SizeCounts, Box<dyn Error>> {
        let counts = histogram_csv::read(&self.histogram)?;
        if counts.graphs() == 0 {
            return Err(format!("{} has no graphs", self.histogram.display()).into());
        }
        Ok(counts)
    }

    /// Limits of this size.
    pub(crate) fn limits<const K: usize>(&self, size: [u32; K]) -> Limits<K> {
        Limits::new(size).graphs(self.max_graphs)
    }
}
