//! [`Epoch`]: the batches of one epoch, as an iterator.

use super::{Prefetch, Report, Stats};
use crate::batch::Batch;
use crate::error::LoadError;
use graphpack_core::Efficiency;
use std::time::Instant;

/// The batches of one epoch, in order. An error ends it. Dropping it at any moment stops and joins the workers.
pub struct Epoch {
    batches: Prefetch<Batch>,
    report: Report,
    begun: Instant,
}

impl Epoch {
    /// An epoch that was planned since `begun`.
    pub(crate) fn new(batches: Prefetch<Batch>, begun: Instant) -> Self {
        let mut report = Report::default();
        report.waited(begun.elapsed());
        Self { batches, report, begun }
    }

    /// With the time since `begun`, when the consumer began to wait for what this epoch takes.
    pub(crate) fn since(mut self, begun: Instant) -> Self {
        self.report.waited(self.begun.saturating_duration_since(begun));
        self.begun = begun;
        self
    }

    /// What was handed over so far, and where the time went.
    pub fn stats(&self) -> Stats {
        Stats {
            elapsed: self.begun.elapsed(),
            workers: self.batches.workers(),
            workers_waited: self.batches.workers_waited(),
            ..self.report.stats()
        }
    }

    /// Shapes, fill, graphs per batch and collating time of the batches so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Real / all slots of the batches so far.
    pub fn efficiency(&self) -> Efficiency<2> {
        self.report.stats().efficiency()
    }
}

impl Iterator for Epoch {
    type Item = Result<Batch, LoadError>;

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
