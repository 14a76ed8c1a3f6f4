//! [`Stats`]: how much an epoch handed over so far, and where the time went.

use super::Efficiency;
use crate::layout::Shape;
use std::fmt;
use std::time::Duration;

/// How much was handed over since the epoch began, and where the time went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// Number of batches.
    pub batches: u64,
    /// Real rows of all batches.
    pub real: Shape,
    /// Rows of all batches, padding included.
    pub slots: Shape,
    /// Number of bytes of all batches.
    pub bytes: u64,
    /// Time since the epoch began.
    pub elapsed: Duration,
    /// Time that the consumer waited for batches, the planning of the epoch included.
    pub waited: Duration,
    /// Time that the workers needed to make these batches, summed over workers.
    pub collating: Duration,
    /// Time that the workers waited for the consumer, summed over workers.
    pub workers_waited: Duration,
    /// Number of worker threads.
    pub workers: usize,
}

impl Stats {
    pub(crate) fn add(&mut self, real: Shape, shape: Shape, collating: Duration, bytes: usize) {
        self.batches += 1;
        self.bytes += bytes as u64;
        self.collating += collating;
        self.real = self.real.plus(&real);
        self.slots = self.slots.plus(&shape);
    }

    /// Adds the batches of others, and the time that was spent on them.
    pub(super) fn add_all(&mut self, other: &Self) {
        self.batches += other.batches;
        self.bytes += other.bytes;
        self.collating += other.collating;
        self.waited += other.waited;
        self.real = self.real.plus(&other.real);
        self.slots = self.slots.plus(&other.slots);
    }

    /// Returns the share of rows that are real, not padding: of each set, and of graphs. Zero before the first batch.
    pub fn efficiency(&self) -> Efficiency {
        let share = |(real, slots): (&usize, &usize)| *real as f64 / (*slots).max(1) as f64;
        let rows = self.real.sets().iter().zip(self.slots.sets());
        Efficiency::new(rows.map(share).collect(), share((&self.real.graphs(), &self.slots.graphs())))
    }

    /// Returns the bytes handed over per second.
    pub fn bytes_per_second(&self) -> f64 {
        self.bytes as f64 / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// Returns what slows the training down: its steps or the loader.
    pub fn verdict(&self) -> Verdict {
        let elapsed = self.elapsed.as_secs_f64();
        if self.batches == 0 || elapsed == 0.0 {
            return Verdict::Unknown;
        }
        let wait_share = self.waited.as_secs_f64() / elapsed;
        if wait_share < 0.02 {
            return Verdict::Step { wait_share };
        }
        // The number of workers that make batches as fast as steps use them.
        let steps = (elapsed - self.waited.as_secs_f64()).max(1e-9);
        let wanted = (self.collating.as_secs_f64() / steps).ceil().clamp(1.0, 64.0) as usize;
        Verdict::Loader { wait_share, more_workers: wanted.saturating_sub(self.workers) }
    }
}

/// What slows a training down: its steps or the loader.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// No batch was handed over yet.
    Unknown,
    /// The steps: batches are ready when the consumer asks for them.
    Step {
        /// Share of the time that was spent waiting for data.
        wait_share: f64,
    },
    /// The loader: the consumer waits for batches.
    Loader {
        /// Share of the time that was spent waiting for data.
        wait_share: f64,
        /// How many more workers would make batches as fast as steps use them; 0 if the wait was only the start of the
        /// epoch.
        more_workers: usize,
    },
}

/// Writes one line.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: &f64| 100.0 * share;
        match self {
            Self::Unknown => f.write_str("no batch was handed over yet"),
            Self::Step { wait_share } => {
                write!(
                    f,
                    "the step is the bottleneck: {:.1} % of the time was spent waiting for data",
                    percent(wait_share)
                )
            }
            Self::Loader { wait_share, more_workers } => {
                write!(
                    f,
                    "the loader is the bottleneck: {:.1} % of the time was spent waiting for data; ",
                    percent(wait_share)
                )?;
                match more_workers {
                    0 => f.write_str("there are enough workers, the wait was the start of the epoch"),
                    1 => f.write_str("1 more worker would help"),
                    more => write!(f, "{more} more workers would help"),
                }
            }
        }
    }
}
