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
use crate::plan::Run;
use crate::source::DataSet;
pub(crate) use ahead::Ahead;
pub(crate) use prefetch::Prefetch;
pub use report::{Report, Stats, Verdict, report_of};
use std::sync::Arc;
use std::time::Instant;

/// An iterator over the batches of one epoch, in order ([`Loader::epoch`](crate::Loader::epoch)). Dropping it at any
/// moment stops and joins the worker threads.
///
/// An error is its last item, and has the states [before](Error::before) and [after](Error::after) the batch that
/// failed:
///
/// ```
/// use graphpack_loader::{Loader, Options, molecules};
///
/// let loader = Loader::new(molecules::generate(7, 1000), Options::graphs(32))?;
/// let mut epoch = loader.epoch(0);
/// while let Some(batch) = epoch.next() {
///     match batch {
///         Ok(batch) => assert!(batch.real().graphs() > 0),
///         // Makes the batch again; `after` in place of `before` leaves it out. Ranks go on from the same state.
///         Err(error) => epoch = loader.resume(error.before().ok_or(error.to_string())?)?,
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Epoch {
    number: u64,
    /// Where it is in the run; `None` if it could not be planned.
    run: Option<Arc<Run>>,
    batches: Prefetch<Batch>,
    report: Report,
    begun: Instant,
}

impl Epoch {
    /// Returns an iterator over `batches` of `run`, which the consumer requested at `begun`. Graphs are counted by the
    /// data set that they are of.
    pub(crate) fn new(run: Arc<Run>, batches: Prefetch<Batch>, data_sets: &[DataSet], begun: Instant) -> Self {
        let mut report = Report::of(data_sets);
        report.waited(begun.elapsed());
        Self { number: run.from().epoch(), run: Some(run), batches, report, begun }
    }

    /// Returns an iterator whose only item is the reason why epoch `number` has no batches.
    pub(crate) fn failed(number: u64, error: Error, begun: Instant) -> Self {
        Self { number, run: None, batches: Prefetch::failed(error), report: Report::default(), begun }
    }

    /// Returns this epoch with a report that says what the loader warns of.
    pub(crate) fn warned(mut self, warning: Option<&str>) -> Self {
        self.report.warned(warning);
        self
    }

    /// Waits until `next` would return at once, at most for `timeout`; returns whether it would. A consumer that has
    /// other work can do that meanwhile. Without workers, `next` makes the batch itself, and this is always true.
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

    /// Returns how much was handed over so far, and where the time went.
    pub fn stats(&self) -> Stats {
        Stats {
            elapsed: self.begun.elapsed(),
            workers: self.batches.workers(),
            workers_waited: self.batches.workers_waited(),
            ..self.report.stats()
        }
    }

    /// Returns shapes, shares of real rows, graphs per batch and collating time of the batches so far.
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
        let given = self.report.stats().batches as usize;
        match (item?, &self.run) {
            (Ok(batch), _) => {
                self.report.add(&batch);
                Some(Ok(batch))
            }
            (Err(error), Some(run)) => Some(Err(error.of_batch(run.after(given), run.after(given + 1)))),
            (Err(error), None) => Some(Err(error)),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // An error may end the epoch early.
        let remaining = self.batches.remaining();
        (remaining.min(1), Some(remaining))
    }
}
