//! [`Stats`]: what an epoch did so far, and where the time went.

use crate::layout::{Level, Shape};
use graphpack_core::Efficiency;
use std::fmt;
use std::time::Duration;

/// What was handed over since the epoch began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// Batches.
    pub batches: u64,
    /// Real rows of all batches.
    pub real: Shape,
    /// Rows of all batches, padding included.
    pub slots: Shape,
    /// Bytes of all batches.
    pub bytes: u64,
    /// Time since the epoch began.
    pub elapsed: Duration,
    /// Time the consumer spent in `next`, the planning of the epoch included.
    pub waited: Duration,
    /// Time the workers spent collating these batches, summed over workers.
    pub collating: Duration,
    /// Time the workers waited for the consumer, summed over workers.
    pub workers_waited: Duration,
    /// Worker threads.
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

    /// Real / all slots of the batches so far, as fractions of nodes, edges and graphs. Zero before the first batch.
    pub fn efficiency(&self) -> Efficiency<2> {
        let share = |level: Level| self.real.rows(level) as f64 / self.slots.rows(level).max(1) as f64;
        Efficiency::new([share(Level::Node), share(Level::Edge)], share(Level::Graph))
    }

    /// Bytes of batches handed over per second.
    pub fn bytes_per_second(&self) -> f64 {
        self.bytes as f64 / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// What holds the training up.
    pub fn verdict(&self) -> Verdict {
        let elapsed = self.elapsed.as_secs_f64();
        if self.batches == 0 || elapsed == 0.0 {
            return Verdict::Unknown;
        }
        let wait_share = self.waited.as_secs_f64() / elapsed;
        if wait_share < 0.02 {
            return Verdict::Step { wait_share };
        }
        // Workers enough to make a batch in the time of a step.
        let steps = (elapsed - self.waited.as_secs_f64()).max(1e-9);
        let wanted = (self.collating.as_secs_f64() / steps).ceil().clamp(1.0, 64.0) as usize;
        Verdict::Loader { wait_share, more_workers: wanted.saturating_sub(self.workers) }
    }
}

/// What holds a training up.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// There was no batch yet.
    Unknown,
    /// The step: batches are there when they are asked for.
    Step {
        /// Share of the time that was spent waiting for data.
        wait_share: f64,
    },
    /// The loader.
    Loader {
        /// Share of the time that was spent waiting for data.
        wait_share: f64,
        /// How many more workers would make batches as fast as steps use them; 0 if the wait was only the start of the epoch.
        more_workers: usize,
    },
}

/// One line.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: &f64| 100.0 * share;
        match self {
            Self::Unknown => f.write_str("no batch was asked for yet"),
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
                    0 => f.write_str("the workers keep up, so it is the start of the epoch"),
                    1 => f.write_str("1 more worker would help"),
                    more => write!(f, "{more} more workers would help"),
                }
            }
        }
    }
}
