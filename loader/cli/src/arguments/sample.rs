//! [`SampleArgs`]: whether and how batches are measured as a sample of the data set.

use clap::ValueEnum;
use graphpack_core::Plan;
use graphpack_loader::quality::SampleQuality;
use graphpack_loader::{Data, Grouping, Loader, Options, Order};
use std::error::Error;

/// Whether and how batches are measured as a sample of the data set.
#[derive(clap::Args)]
pub(crate) struct SampleArgs {
    /// With a data set, also say how good a sample of it batches are, by this field of graphs, such as the target
    #[arg(long, value_name = "FIELD", conflicts_with = "histogram")]
    sample: Option<String>,
    /// With --sample, which graphs share a batch
    #[arg(long, value_enum, default_value_t = Way::Packed, conflicts_with = "histogram")]
    batching: Way,
    /// With --sample, packs of a batch
    #[arg(long, value_name = "P", default_value_t = 1, conflicts_with = "histogram")]
    packs_per_batch: usize,
    /// With --sample, shuffled epochs that are measured
    #[arg(long, value_name = "E", default_value_t = 50, conflicts_with = "histogram")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
}

/// Ways of batching that have limits.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Way {
    Packed,
    Window,
    Dynamic,
}

impl SampleArgs {
    /// Whether batches are measured.
    pub(crate) fn is_given(&self) -> bool {
        self.sample.is_some()
    }

    /// Whether those of a window are measured.
    pub(crate) fn is_window(&self) -> bool {
        self.is_given() && self.batching == Way::Window
    }

    /// Measures the batches that a loader makes of `data` by `plan` or within its limits, unless `--sample` is not
    /// given. `open` is the number of packs of a window.
    pub(crate) fn measure(
        &self,
        data: Option<Data>,
        plan: &Plan,
        (open, seed): (u8, u64),
    ) -> Result<Option<SampleQuality>, Box<dyn Error>> {
        let (Some(field), Some(data)) = (&self.sample, data) else { return Ok(None) };
        let limited = Options::default().capacity(*plan.limits());
        let options = match self.batching {
            Way::Packed => limited.grouping(plan.clone()),
            Way::Window => limited.grouping(Grouping::Window(open)),
            Way::Dynamic => limited.grouping(Grouping::InOrder),
        };
        let loader = Loader::new(data, options.packs(self.packs_per_batch).order(Order::Shuffled).seed(seed))?;
        Ok(Some(loader.sample_quality(field, 0..self.epochs)?))
    }
}
