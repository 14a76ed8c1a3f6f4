//! [`Report`]: shapes, shares of real rows and collating time of the batches of an epoch; [`Stats`]: how much of it was
//! handed over so far, and where the time went.

use crate::batch::Batch;
use crate::layout::{SetNames, Shape};
use crate::source::DataSet;
use std::collections::HashMap;
use std::fmt;
use std::ops::AddAssign;
use std::time::Duration;

/// The most errors that a report keeps.
const FAILURES: usize = 16;

/// Shapes, shares of real rows and collating time of the batches of an epoch so far, to compare one way of batching
/// with another.
///
/// ```
/// use graphpack_loader::{Loader, Options, molecules};
///
/// let mut epoch = Loader::new(molecules::generate(7, 1000), Options::graphs(32))?.epoch(0);
/// for batch in &mut epoch {
///     batch?; // train on it
/// }
/// println!("{}", epoch.report()); // batches and their shape, shares of real rows, graphs per batch, time
/// println!("{}", epoch.stats().verdict()); // whether the training waits for the loader
/// assert_eq!(epoch.report().shapes().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Report {
    stats: Stats,
    /// Known from the first batch on.
    sets: Option<SetNames>,
    shapes: HashMap<Shape, u64>,
    graphs: Vec<u64>,
    left_out: u64,
    failed: u64,
    /// The errors of the first of these graphs, at most [`FAILURES`].
    failures: Vec<String>,
    /// What the loader warns of.
    warning: Option<String>,
    /// The data sets of a mixture, and how many graphs of each the batches have.
    data_sets: Vec<(DataSet, u64)>,
}

impl Report {
    pub(crate) fn add(&mut self, batch: &Batch) {
        let (real, shape) = (batch.real(), batch.shape());
        let (bytes, collating) = (batch.layout().bytes() as u64, batch.collating());
        self.stats.add_all(&Stats { batches: 1, real, rows: shape, bytes, collating, ..Stats::default() });
        self.sets.get_or_insert_with(|| batch.layout().schema().sets().clone());
        *self.shapes.entry(shape).or_default() += 1;
        self.left_out += batch.left_out();
        self.add_failed(batch.failed().len() as u64, batch.failed().iter().map(ToString::to_string));
        if self.graphs.len() <= real.graphs() {
            self.graphs.resize(real.graphs() + 1, 0);
        }
        self.graphs[real.graphs()] += 1;
        if !self.data_sets.is_empty() {
            for &graph in batch.graph_ids() {
                let place = self.data_sets.partition_point(|(data_set, _)| data_set.graphs.end <= graph as u64);
                self.data_sets.get_mut(place).into_iter().for_each(|(_, graphs)| *graphs += 1);
            }
        }
    }

    /// Returns the report of no batch, which counts the graphs of each of these data sets.
    pub(super) fn of(data_sets: &[DataSet]) -> Self {
        let data_sets = data_sets.iter().map(|data_set| (data_set.clone(), 0)).collect();
        Self { data_sets, ..Self::default() }
    }

    /// Adds what the loader warns of.
    pub(super) fn warned(&mut self, warning: Option<&str>) {
        self.warning = warning.map(str::to_owned);
    }

    fn add_failed(&mut self, failed: u64, errors: impl Iterator<Item = String>) {
        self.failed += failed;
        self.failures.extend(errors.take(FAILURES - self.failures.len()));
    }

    pub(crate) fn waited(&mut self, time: Duration) {
        self.stats.waited += time;
    }

    /// Returns the sums over the batches, with 0 for what only [`Epoch::stats`](crate::Epoch::stats) knows: the time
    /// elapsed, the number of workers, and how long they waited.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Returns the distinct shapes, smallest first, and how many batches have each. Each shape costs one compilation in
    /// JAX or `torch.compile`, or one capture of a CUDA graph.
    pub fn shapes(&self) -> Vec<(Shape, u64)> {
        let mut shapes: Vec<_> = self.shapes.iter().map(|(&shape, &batches)| (shape, batches)).collect();
        shapes.sort_unstable();
        shapes
    }

    /// The distribution of graphs over batches: entry i is the number of batches with i real graphs.
    pub fn graphs_per_batch(&self) -> &[u64] {
        &self.graphs
    }

    /// Number of edges that were left out because maps moved atoms nearer to each other than the
    /// [`margin`](crate::Connect::margin) allows for.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Number of graphs that could not be loaded and were left out of their batches
    /// ([`OnError::Skip`](crate::OnError::Skip)).
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// The errors of the first 16 of these graphs, each with the step and the graph.
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    /// The data sets of a [mix](crate::Data::mix) by their names, and how many graphs of each the batches have;
    /// empty for any other source.
    pub fn graphs_per_data_set(&self) -> Vec<(String, u64)> {
        self.data_sets.iter().map(|(data_set, graphs)| (data_set.name.clone(), *graphs)).collect()
    }

    /// Returns the mean time that a worker needed to make a batch.
    pub fn collating_per_batch(&self) -> Duration {
        let nanoseconds = self.stats.collating.as_nanos() / u128::from(self.stats.batches.max(1));
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }
}

/// Returns the report of `batch` alone, a batch of the epoch whose report `epoch` is. Added up, such reports are that
/// of the batches that a crate has handed on, of which an epoch that runs ahead has made more.
pub fn report_of(epoch: &Report, batch: &Batch) -> Report {
    let data_sets = epoch.data_sets.iter().map(|(data_set, _)| (data_set.clone(), 0)).collect();
    let mut report = Report { data_sets, warning: epoch.warning.clone(), ..Report::default() };
    report.add(batch);
    report
}

/// Adds the batches of another report of this data.
impl AddAssign for Report {
    fn add_assign(&mut self, other: Self) {
        self.stats.add_all(&other.stats);
        self.sets = self.sets.take().or(other.sets);
        other.shapes.into_iter().for_each(|(shape, batches)| *self.shapes.entry(shape).or_default() += batches);
        self.graphs.resize(self.graphs.len().max(other.graphs.len()), 0);
        self.graphs.iter_mut().zip(other.graphs).for_each(|(of, batches)| *of += batches);
        self.left_out += other.left_out;
        self.add_failed(other.failed, other.failures.into_iter());
        self.warning = self.warning.take().or(other.warning);
        if self.data_sets.is_empty() {
            self.data_sets = other.data_sets;
        } else {
            self.data_sets.iter_mut().zip(other.data_sets).for_each(|((_, of), (_, graphs))| *of += graphs);
        }
    }
}

/// Writes three lines: batches and shapes; shares of real rows; graphs and time per batch. Where there is anything to
/// say, further lines have the edges that were left out, the graphs that could not be loaded, what the loader
/// [warns](crate::Loader::warning) of, and the graphs of each data set of a mixture.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shapes = self.shapes();
        write!(f, "{} batches of ", self.stats.batches)?;
        match shapes.as_slice() {
            [(only, _)] => writeln!(f, "{}", self.sets.as_ref().map_or(String::new(), |sets| sets.shape(only)))?,
            several => writeln!(f, "{} shapes", several.len())?,
        }
        write!(f, "filled: ")?;
        for (share, set) in self.stats.filled().iter().zip(self.sets.iter().flat_map(|sets| sets.iter())) {
            write!(f, "{:.1} % of the {set}, ", 100.0 * share)?;
        }
        writeln!(f, "{:.1} % of the graphs", 100.0 * share(self.stats.real.graphs(), self.stats.rows.graphs()))?;
        let counts = || self.graphs.iter().enumerate().filter(|(_, batches)| **batches > 0).map(|(graphs, _)| graphs);
        let mean = self.stats.real.graphs() as f64 / self.stats.batches.max(1) as f64;
        write!(
            f,
            "{} to {} graphs per batch, {mean:.1} on average; {:.3} ms to collate one",
            counts().next().unwrap_or(0),
            counts().next_back().unwrap_or(0),
            self.collating_per_batch().as_secs_f64() * 1e3
        )?;
        if self.left_out > 0 {
            write!(f, "\nleft out: {} edges beyond the margin", self.left_out)?;
        }
        if let Some(first) = self.failures.first() {
            write!(f, "\nleft out: {} graphs that could not be loaded (the first: {first})", self.failed)?;
        }
        if let Some(warning) = &self.warning {
            write!(f, "\n{warning}")?;
        }
        for (place, (data_set, graphs)) in self.data_sets.iter().enumerate() {
            write!(f, "{} {graphs} of {:?}", if place == 0 { "\ngraphs:" } else { "," }, data_set.name)?;
        }
        Ok(())
    }
}

fn share(real: usize, all: usize) -> f64 {
    real as f64 / all.max(1) as f64
}

/// How much was handed over since the epoch began, and where the time went ([`Epoch::stats`](crate::Epoch::stats)).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// Number of batches.
    pub batches: u64,
    /// Real rows and graphs of all batches.
    pub real: Shape,
    /// Rows and graphs of all batches, padding included.
    pub rows: Shape,
    /// Number of bytes of all batches.
    pub bytes: u64,
    /// Time since the epoch began.
    pub elapsed: Duration,
    /// Time that the training loop waited for batches, the planning of the epoch included.
    pub waited: Duration,
    /// Time that the workers needed to make these batches, summed over workers.
    pub collating: Duration,
    /// Time that the workers waited for the training loop to take batches, summed over workers.
    pub workers_waited: Duration,
    /// Number of worker threads.
    pub workers: usize,
}

impl Stats {
    /// Adds the batches of others, and the time that was spent on them.
    fn add_all(&mut self, other: &Self) {
        self.batches += other.batches;
        self.bytes += other.bytes;
        self.collating += other.collating;
        self.waited += other.waited;
        self.real = self.real.plus(&other.real);
        self.rows = self.rows.plus(&other.rows);
    }

    /// Returns the share of the rows of each set that are real, not padding, from 0 to 1. Zeros before the first batch,
    /// or no set. [`Plan::efficiency`](graphpack_core::Plan::efficiency) is of the limits instead, without padding.
    pub fn filled(&self) -> Vec<f64> {
        self.real.sets().iter().zip(self.rows.sets()).map(|(&real, &rows)| share(real, rows)).collect()
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

/// What slows a training down: its steps or the loader ([`Stats::verdict`]). It prints as a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// No batch was handed over yet.
    Unknown,
    /// The steps: batches are ready when the training loop asks for them.
    Step {
        /// Share of the time that was spent waiting for data.
        wait_share: f64,
    },
    /// The loader: the training loop waits for batches.
    Loader {
        /// Share of the time that was spent waiting for data.
        wait_share: f64,
        /// How many more workers would make batches as fast as steps use them; 0 if the training loop waited only for
        /// the start of the epoch.
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
