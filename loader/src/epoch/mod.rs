//! [`Epoch`]: the batches of one epoch, as an iterator; they are made ahead of the consumer, and measured.
//!
//! | file | what is in it |
//! |---|---|
//! | `prefetch` | the worker threads that make batches ahead, in order and in bounded memory; `prefetch/model` tries them in many orders |
//! | `ahead` | a thread that makes what the next epoch begins with |
//! | `report` | where the time went; how full the batches were |

mod ahead;
mod prefetch;
mod report;

use crate::batch::Batch;
use crate::error::Error;
use crate::source::DataSet;
pub(crate) use ahead::Ahead;
pub use graphpack_core::Efficiency;
pub(crate) use prefetch::Prefetch;
pub use report::{Report, Stats, Verdict};
use std::time::Instant;

/// An iterator over the batches of one epoch, in order. An error ends it. Dropping it at any moment stops and joins the
/// workers, all but one that drops it itself.
pub struct Epoch {
    number: u64,
    batches: Prefetch<Batch>,
    report: Report,
    begun: Instant,
}

impl Epoch {
    /// Returns an iterator over `batches` of epoch `number`, which the consumer requested at `begun`. Graphs are
    /// counted by the data set that they are of.
    pub(crate) fn new(number: u64, batches: Prefetch<Batch>, data_sets: &[DataSet], begun: Instant) -> Self {
        let mut report = Report::of(data_sets);
        report.waited(begun.elapsed());
        Self { number, batches, report, begun }
    }

    /// The same epoch, whose report says what the loader warns of.
    pub(crate) fn warned(mut self, warning: Option<&str>) -> Self {
        self.report.warned(warning);
        self
    }

    /// Waits until `next` would return at once, at most for `timeout`; returns whether it would. For consumers that
    /// have other things to look after. Without workers, `next` makes the batch itself, and this is always true.
    #[cfg(not(shuttle))]
    pub fn wait(&mut self, timeout: std::time::Duration) -> bool {
        let begun = Instant::now();
        let ready = self.batches.wait(timeout);
        self.report.waited(begun.elapsed());
        ready
    }

    /// The number of the epoch, from 0.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// When it was requested, from which [`Stats::elapsed`] counts.
    pub fn begun(&self) -> Instant {
        self.begun
    }

    /// Returns how much was handed over so far, and where the time went.
    pub fn stats(&self) -> Stats {
        Stats {
            elapsed: self.begun.elapsed(),
            workers: self.batches.workers(),
            workers_waited: self.batches.workers_waited(),
            ..self.report.stats()
        }
    }

    /// Shapes, efficiency, graphs per batch and collating time of the batches so far.
    pub fn report(&self) -> &Report {
        &self.report
    }
}

impl Iterator for Epoch {
    type Item = Result<Batch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = Instant::now();
        let item = self.batches.next();
        self.report.waited(start.elapsed());
        if let Some(Ok(batch)) = &item {
            self.report.add(batch);
        }
        item
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // An error may end the epoch early.
        let remaining = self.batches.remaining();
        (remaining.min(1), Some(remaining))
    }
}
