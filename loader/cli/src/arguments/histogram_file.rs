//! [`HistogramFile`]: the sizes that a plan is made for.

use graphpack_core::{Histogram, Limits};
use graphpack_formats::histogram_csv;
use std::error::Error;
use std::path::PathBuf;

/// The sizes that are packed, and the most graphs of a pack.
#[derive(clap::Args)]
pub(crate) struct HistogramFile {
    /// Histogram with the header num_nodes,num_edges,count
    #[arg(long, value_name = "FILE.csv[.gz]")]
    histogram: PathBuf,
    /// Most graphs of a pack
    #[arg(long, value_name = "G", default_value_t = Limits::<2>::DEFAULT_GRAPHS)]
    max_graphs: u32,
}

impl HistogramFile {
    /// Reads the histogram, which must have graphs.
    pub(crate) fn read(&self) -> Result<Histogram<2>, Box<dyn Error>> {
        let histogram = histogram_csv::read(&self.histogram)?;
        if histogram.graphs() == 0 {
            return Err(format!("{} has no graphs", self.histogram.display()).into());
        }
        Ok(histogram)
    }

    /// Limits of this size.
    pub(crate) fn limits(&self, size: [u32; 2]) -> Limits<2> {
        Limits::new(size).graphs(self.max_graphs)
    }
}
