//! [`Observed`]: what an epoch said about itself right after it gave a batch.

use graphpack_loader::{Epoch, Report, Stats};
use std::any::Any;
use std::time::{Duration, Instant};

/// What an epoch said about itself right after it gave a batch. It travels with the batch, since the epoch may be on
/// another thread, and ahead of the training.
#[derive(Debug)]
pub(crate) struct Observed {
    stats: Stats,
    report: Report,
    begun: Instant,
}

impl Observed {
    /// Asks an [`Epoch`]; other iterators have nothing to say.
    pub(crate) fn of<I: 'static>(batches: &I) -> Self {
        match (batches as &dyn Any).downcast_ref::<Epoch>() {
            Some(epoch) => Self { stats: epoch.stats(), report: epoch.report().clone(), begun: epoch.begun() },
            None => Self { stats: Stats::default(), report: Report::default(), begun: Instant::now() },
        }
    }

    /// The statistics as of now, for a training that has waited for `waited`.
    pub(crate) fn stats(&self, waited: Duration) -> Stats {
        let mut stats = self.stats;
        (stats.elapsed, stats.waited) = (self.begun.elapsed(), waited);
        stats
    }

    /// How long the epoch's consumer had waited for it.
    pub(crate) fn waited(&self) -> Duration {
        self.stats.waited
    }

    pub(crate) fn report(&self) -> &Report {
        &self.report
    }
}
