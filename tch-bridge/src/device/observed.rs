//! [`Observed`]: the statistics of an epoch right after it returned a batch.

use graphpack_loader::{Batch, Epoch, Report, Stats};
use std::any::Any;
use std::time::{Duration, Instant};

/// What an epoch said about itself right after it gave a batch. It travels with the batch, since the epoch may be on
/// another thread, and ahead of the training.
#[derive(Debug)]
pub(crate) struct Observed {
    number: u64,
    stats: Stats,
    report: Report,
    begun: Instant,
}

impl Observed {
    /// Asks an [`Epoch`] about all of its batches so far; other iterators have nothing to say.
    pub(crate) fn of<I: 'static>(batches: &I) -> Self {
        Self::ask(batches, Report::clone)
    }

    /// Asks about one batch alone: all of them would be copied for each.
    pub(crate) fn of_batch<I: 'static>(batches: &I, batch: &Batch) -> Self {
        Self::ask(batches, |report| report.of_batch(batch))
    }

    fn ask<I: 'static>(batches: &I, report: impl FnOnce(&Report) -> Report) -> Self {
        match (batches as &dyn Any).downcast_ref::<Epoch>() {
            Some(epoch) => Self {
                number: epoch.number(),
                stats: epoch.stats(),
                report: report(epoch.report()),
                begun: epoch.begun(),
            },
            None => Self { number: 0, stats: Stats::default(), report: Report::default(), begun: Instant::now() },
        }
    }

    /// Adds what was said about the next batch.
    pub(crate) fn add(&mut self, next: Self) {
        self.stats = next.stats;
        self.report += next.report;
    }

    /// The statistics as of now, for a training that has waited for `waited`.
    pub(crate) fn stats(&self, waited: Duration) -> Stats {
        let mut stats = self.stats;
        (stats.elapsed, stats.waited) = (self.begun.elapsed(), waited);
        stats
    }

    /// The number of the epoch.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// How long the epoch's consumer had waited for it.
    pub(crate) fn waited(&self) -> Duration {
        self.stats.waited
    }

    pub(crate) fn report(&self) -> &Report {
        &self.report
    }
}
