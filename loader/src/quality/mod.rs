//! [`SampleQuality`]: how good a sample of the data set the batches of a loader are, in targets, in sizes and in which
//! graphs meet, each figure beside that of random batches. `targets` has the values of a field, in standard deviations.

mod targets;

use crate::error::Error;
use crate::layout::SetNames;
use crate::plan::{EpochPlan, LoaderPlan, Sizes};
use crate::random::{Random, Use};
use std::fmt;
use std::ops::Range;
pub(crate) use targets::{SampleError, Targets};

/// How good a sample of the data set the batches of a loader are
/// ([`Loader::sample_quality`](crate::Loader::sample_quality) has an example). Each figure stands beside that of random
/// batches, which have as many graphs, shuffled and whatever their size.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SampleQuality {
    /// Number of epochs.
    pub epochs: u64,
    /// Number of batches of all epochs together.
    pub batches: u64,
    /// For each column of the field, how its values are spread over batches.
    pub columns: Vec<ColumnQuality>,
    /// For each set, the standard deviation over batches of the rows per graph.
    pub deviation: Vec<Compared>,
    /// The share of the pairs of graphs that fit into a batch together and have shared one at least once. Counted
    /// exactly for up to 2,000 graphs, drawn at random, and all others.
    pub pairs: Compared,
    field: String,
    sets: SetNames,
}

/// How the values of one column of a field are spread over batches. With a batch of n values that have the mean m, and
/// the mean mu and the standard deviation sigma of the data set:
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColumnQuality {
    /// The mean over batches of n (m - mu)^2 / sigma^2: 1 for independent draws, less where each batch is a likeness of
    /// the data set.
    pub variance: Compared,
    /// The largest mean over a batch of (y - mu)^2 / sigma^2: how unlike the data set one batch can be.
    pub worst: Compared,
    /// Number of graphs whose value is NaN or infinite, or that lack it as `has_NAME` says. They count for nothing.
    pub missing: usize,
}

impl SampleQuality {
    /// Returns the figures of the batches that all ranks together get in `epochs`.
    pub(crate) fn measure(plan: &LoaderPlan, targets: &Targets, epochs: Range<u64>) -> Result<Self, Error> {
        let (sizes, sets) = (plan.sizes(), plan.sets());
        let mut own = Sums::new(targets.width, sets.len());
        let mut random = own.clone();
        let mut meetings = Meetings::new(plan);
        for number in epochs.clone() {
            let epoch = plan.own_epoch(number)?;
            let mut shuffled: Vec<u32> = (0..epoch.len()).flat_map(|batch| epoch.graphs(batch)).copied().collect();
            Random::of(plan.options().seed, Use::Compared { epoch: number }).shuffle(&mut shuffled);
            let mut rest = shuffled.as_slice();
            for graphs in (0..epoch.len()).map(|batch| epoch.graphs(batch)) {
                own.add(graphs, targets, sizes);
                let (drawn, others) = rest.split_at(graphs.len());
                random.add(drawn, targets, sizes);
                rest = others;
            }
            meetings.add(&epoch);
        }
        let compared = |figure: &dyn Fn(&Sums) -> f64| Compared { found: figure(&own), random: figure(&random) };
        let column = |(column, &missing): (usize, &usize)| ColumnQuality {
            variance: compared(&|sums| sums.variance(column)),
            worst: compared(&|sums| sums.worst(column)),
            missing,
        };
        Ok(Self {
            epochs: epochs.end.saturating_sub(epochs.start),
            batches: own.batches,
            columns: targets.missing.iter().enumerate().map(column).collect(),
            deviation: (0..sets.len()).map(|set| compared(&|sums| sums.deviation(set))).collect(),
            pairs: meetings.share(),
            field: targets.field.clone(),
            sets: sets.clone(),
        })
    }
}

/// Writes a line for each column, for each set and for the pairs, with the figures of random batches in brackets.
impl fmt::Display for SampleQuality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} batches of {} epochs (in brackets: random batches)", self.batches, self.epochs)?;
        for (number, ColumnQuality { variance, worst, missing }) in self.columns.iter().enumerate() {
            let column = if self.columns.len() > 1 { format!("[{number}]") } else { String::new() };
            write!(f, "{}{column}: variance {variance:.3}, worst {worst:.2}", self.field)?;
            writeln!(f, "{}", if *missing > 0 { format!(", {missing} missing") } else { String::new() })?;
        }
        for (deviation, set) in self.deviation.iter().zip(self.sets.iter()) {
            writeln!(f, "{set} per graph: deviation {deviation:.3}")?;
        }
        let percent = Compared { found: 100.0 * self.pairs.found, random: 100.0 * self.pairs.random };
        write!(f, "pairs of graphs that met: {percent:.2} %")
    }
}

/// Adds up, batch by batch in a fixed order, so that figures are the same everywhere.
#[derive(Clone)]
struct Sums {
    batches: u64,
    columns: Vec<Column>,
    rows: Vec<Moments>,
}

#[derive(Clone, Default)]
struct Column {
    /// Batches with a value.
    batches: u64,
    variance: f64,
    worst: f64,
}

/// Mean and sum of squared deviations of the numbers so far (Welford 1962).
#[derive(Clone, Default)]
struct Moments {
    mean: f64,
    squares: f64,
}

impl Sums {
    /// Returns sums over no batch yet, for a field of `columns` columns and graphs of `sets` sets.
    fn new(columns: usize, sets: usize) -> Self {
        Self { batches: 0, columns: vec![Column::default(); columns], rows: vec![Moments::default(); sets] }
    }

    /// Adds a batch of these graphs, unless it is empty.
    fn add(&mut self, graphs: &[u32], targets: &Targets, sizes: &Sizes) {
        if graphs.is_empty() {
            return;
        }
        self.batches += 1;
        for (column, sums) in self.columns.iter_mut().enumerate() {
            let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
            for value in graphs.iter().filter_map(|&graph| targets.of(graph).get(column)) {
                if !value.is_nan() {
                    (count, sum, squares) = (count + 1.0, sum + value, squares + value * value);
                }
            }
            if count > 0.0 {
                sums.batches += 1;
                sums.variance += sum * sum / count;
                sums.worst = sums.worst.max(squares / count);
            }
        }
        let rows = sizes.rows(graphs);
        for (&rows, moments) in rows.sets().iter().zip(&mut self.rows) {
            let per_graph = rows as f64 / graphs.len() as f64;
            let off = per_graph - moments.mean;
            moments.mean += off / self.batches as f64;
            moments.squares += off * (per_graph - moments.mean);
        }
    }

    /// The mean over batches of n times the squared mean of their n values of a column.
    fn variance(&self, column: usize) -> f64 {
        let Column { batches, variance, .. } = self.columns[column];
        variance / batches.max(1) as f64
    }

    /// The largest mean square of a batch's values of a column.
    fn worst(&self, column: usize) -> f64 {
        self.columns[column].worst
    }

    /// The standard deviation over batches of the rows of a set per graph.
    fn deviation(&self, set: usize) -> f64 {
        (self.rows[set].squares / self.batches.max(1) as f64).sqrt()
    }
}

/// A figure of batches, and what it is for random batches. It prints as `0.075 (1.002)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// The figure of the batches.
    pub found: f64,
    /// The figure of random batches.
    pub random: f64,
}

impl Compared {
    /// Returns the figure divided by that of random batches; 1 if both are 0.
    pub fn ratio(&self) -> f64 {
        if self.found == self.random { 1.0 } else { self.found / self.random }
    }
}

/// Writes `0.075 (1.002)`, both with the precision of the format.
impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.found.fmt(f)?;
        f.write_str(" (")?;
        self.random.fmt(f)?;
        f.write_str(")")
    }
}

/// The most graphs that are watched.
const WATCHED: usize = 2_000;

/// The most bits of memory: 64 MB.
const BITS: usize = 1 << 29;

/// Which graphs each of some watched graphs has shared a batch with.
struct Meetings {
    /// For each graph, its number among the watched ones.
    watched: Vec<Option<u32>>,
    /// For each watched graph a row of bits, one for each graph that it has met.
    met: Vec<u64>,
    /// Words of a row.
    words: usize,
    /// Pairs of a watched graph and another that may share a batch.
    pairs: u64,
    /// The share of these pairs that random batches would have left apart so far.
    apart: f64,
}

impl Meetings {
    /// Watches some of the graphs of `plan`, drawn at random.
    fn new(plan: &LoaderPlan) -> Self {
        let sizes = plan.sizes();
        let graphs = sizes.graphs();
        // The number of graphs fits into 32 bits.
        let mut drawn: Vec<u32> = (0..graphs as u32).collect();
        let counts = sizes.counts(&drawn);
        Random::of(0, Use::Watched).shuffle(&mut drawn);
        drawn.truncate(WATCHED.min(BITS / graphs.max(1)).max(1));
        let mut watched = vec![None; graphs];
        for (number, &graph) in drawn.iter().enumerate() {
            watched[graph as usize] = Some(number as u32);
        }
        let words = graphs.div_ceil(64);
        let others = |own: usize| -> u64 {
            let meet = counts.iter().enumerate().filter(|&(size, _)| plan.may_meet(own, size));
            meet.map(|(_, &graphs)| graphs).sum::<u64>() - u64::from(plan.may_meet(own, own))
        };
        let pairs = drawn.iter().map(|&graph| others(sizes.size_number(graph))).sum();
        Self { watched, met: vec![0; drawn.len() * words], words, pairs, apart: 1.0 }
    }

    /// Adds the batches of an epoch.
    fn add(&mut self, epoch: &EpochPlan) {
        let mut meetings = 0;
        for batch in (0..epoch.len()).map(|batch| epoch.graphs(batch)) {
            for &graph in batch {
                let Some(number) = self.watched[graph as usize] else { continue };
                let row = &mut self.met[number as usize * self.words..][..self.words];
                for &other in batch.iter().filter(|&&other| other != graph) {
                    row[other as usize / 64] |= 1 << (other % 64);
                    meetings += 1;
                }
            }
        }
        self.apart *= 1.0 - (meetings as f64 / self.pairs.max(1) as f64).min(1.0);
    }

    /// The share of pairs that have met at least once.
    fn share(&self) -> Compared {
        let met: u64 = self.met.iter().map(|word| u64::from(word.count_ones())).sum();
        Compared { found: met as f64 / self.pairs.max(1) as f64, random: 1.0 - self.apart }
    }
}
