//! [`Compiled`]: what compiling a step for each new shape adds to its time, from compilations that were timed and the
//! steps at which the batches of an algorithm meet a new shape.

use super::Outcome;
use super::algorithm::Algorithm;
use super::data::Graphs;
use graphpack_loader::{Loader, Options, Order, Shape};
use laboratory::ModelName;
use laboratory::statistics::mean;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// Steps of the study's longest trainings.
const STEPS: u64 = 2_000_000;
/// In epochs before this one, shapes are met at their exact step, later at the end of the epoch.
const EXACT_EPOCHS: u64 = 2;
/// With fewer timed steps than this, the time of a step is that of dynamic batches in proportion to nodes and edges.
const ENOUGH_STEPS: u64 = 30;

/// A row of `python_jax.csv`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Timed {
    network: String,
    batching: String,
    /// Batch size.
    pub(crate) graphs: u32,
    #[serde(rename = "seconds per compilation")]
    seconds: f64,
    #[serde(rename = "steps timed")]
    steps: u64,
    #[serde(rename = "ms per step")]
    step_ms: f64,
}

/// Reads the compilations and steps that were timed.
pub(crate) fn read(path: &Path) -> Outcome<Vec<Timed>> {
    let rows = csv::Reader::from_path(path).and_then(|file| file.into_deserialize().collect());
    rows.map_err(|error| format!("{}: {error}", path.display()).into())
}

/// The shapes of an algorithm over a training.
pub(crate) struct Met {
    algorithm: Algorithm,
    batch_size: u32,
    /// The number of steps after which each shape was met.
    steps: Vec<u64>,
    /// Mean nodes and edges of a batch, padding included.
    slots: f64,
    graphs: f64,
}

impl Met {
    /// Plans the batches of 2,000,000 steps. As in the study, no epoch ends with a smaller batch.
    pub(crate) fn plan(data: &Graphs, (algorithm, batch_size): (Algorithm, u32), seed: u64) -> Outcome<Self> {
        let options = Options::default().order(Order::Shuffled).seed(seed).workers(0).drop_last(true);
        let options = algorithm.apply(options, &data.sample, batch_size).ok_or("the shape exceeds 32 bits")?;
        let loader = Loader::new(data.store.clone(), options)?;
        let (mut seen, mut met, mut steps) = (BTreeSet::<Shape>::new(), Vec::new(), 0);
        let (mut counted, mut slots, mut graphs) = (0, 0, 0);
        for epoch in 0.. {
            if epoch < EXACT_EPOCHS {
                for batch in loader.epoch(epoch) {
                    let batch = batch?;
                    steps += 1;
                    counted += 1;
                    slots += batch.shape().nodes() + batch.shape().edges();
                    graphs += batch.real().graphs();
                    if seen.insert(batch.shape()) {
                        met.push(steps);
                    }
                }
            } else {
                let shapes = loader.shapes(epoch)?;
                steps += shapes.iter().map(|(_, count)| count).sum::<u64>();
                met.extend(shapes.into_iter().filter(|(shape, _)| seen.insert(*shape)).map(|_| steps));
            }
            if steps >= STEPS || steps == 0 || (loader.shape().is_some() && epoch + 1 == EXACT_EPOCHS) {
                break;
            }
        }
        let [slots, graphs] = [slots, graphs].map(|sum| sum as f64 / f64::from(counted.max(1)));
        Ok(Self { algorithm, batch_size, steps: met, slots, graphs })
    }

    fn by(&self, steps: u64) -> usize {
        self.steps.iter().filter(|met| **met <= steps).count()
    }
}

/// One line per algorithm and batch size, in Markdown.
pub(crate) fn table(all: &[Met]) -> String {
    let by = [100, 1000, 10_000, 100_000, STEPS];
    let names = by.map(|steps| format!(" {steps} steps |")).concat();
    let mut text = format!("| shapes met by | batch size |{names}\n|{}\n", "---|".repeat(7));
    for met in all {
        let found = by.map(|steps| format!(" {} |", met.by(steps))).concat();
        text += &format!("| {} | {} |{found}\n", met.algorithm, met.batch_size);
    }
    text
}

/// An algorithm with a model whose compilations and steps were timed.
pub(crate) struct Compiled<'a> {
    pub(crate) model: &'static str,
    pub(crate) algorithm: Algorithm,
    seconds: f64,
    step_ms: f64,
    met: &'a Met,
}

/// A point of a curve, a row of a table.
#[derive(Serialize)]
pub(crate) struct Point {
    model: &'static str,
    algorithm: String,
    batch_size: u32,
    steps: f64,
    shapes: usize,
    seconds_per_compilation: f64,
    ms_per_step: f64,
    running_average_ms: f64,
}

impl<'a> Compiled<'a> {
    /// Joins a model's timed rows with the shapes of all algorithms at the same batch size; none if dynamic batches
    /// were not timed.
    pub(crate) fn all(model: ModelName, timed: &[Timed], all: &'a [Met]) -> Vec<Self> {
        let rows: Vec<_> = timed.iter().filter(|row| row.network == model.name().to_lowercase()).collect();
        let row = |algorithm: Algorithm, size: u32| {
            let name = match algorithm {
                Algorithm::StaticPow2 => "static_pow2".into(),
                other => other.to_string().replace('-', "_"),
            };
            rows.iter().find(move |row| row.batching == name && row.graphs == size)
        };
        // Compiling takes as long for one shape as for another: all rows count.
        let seconds = mean(&rows.iter().map(|row| row.seconds).collect::<Vec<_>>());
        let compiled = |met: &'a Met| {
            let dynamic = row(Algorithm::Dynamic, met.batch_size)?;
            let slots =
                all.iter().find(|of| (of.algorithm, of.batch_size) == (Algorithm::Dynamic, met.batch_size))?.slots;
            let own = row(met.algorithm, met.batch_size).filter(|row| row.steps >= ENOUGH_STEPS);
            let step_ms = own.map_or(dynamic.step_ms * met.slots / slots, |own| own.step_ms);
            Some(Self { model: model.name(), algorithm: met.algorithm, seconds, step_ms, met })
        };
        all.iter().filter_map(compiled).collect()
    }

    pub(crate) fn batch_size(&self) -> u32 {
        self.met.batch_size
    }

    /// Mean milliseconds of a step by then, compilations included.
    fn average(&self, steps: u64) -> f64 {
        self.step_ms + 1e3 * self.seconds * self.met.by(steps) as f64 / steps as f64
    }

    /// (steps, mean milliseconds by then) at 20 numbers of steps in each decade.
    pub(crate) fn curve(&self) -> impl Iterator<Item = (f64, f64)> {
        places().map(|steps| (steps as f64, self.average(steps)))
    }

    pub(crate) fn points(&self) -> impl Iterator<Item = Point> {
        places().map(|steps| Point {
            model: self.model,
            algorithm: self.algorithm.to_string(),
            batch_size: self.met.batch_size,
            steps: steps as f64,
            shapes: self.met.by(steps),
            seconds_per_compilation: self.seconds,
            ms_per_step: self.step_ms,
            running_average_ms: self.average(steps),
        })
    }

    /// From how many steps on this is faster than another algorithm, per step and per real graph.
    pub(crate) fn overtakes(&self, other: &Self) -> [Option<u64>; 2] {
        [[1.0, 1.0], [self.met.graphs, other.met.graphs]].map(|[graphs, of_other]| {
            let is_faster = |steps: u64| self.average(steps) / graphs < other.average(steps) / of_other;
            let faster: Vec<u64> =
                places().collect::<Vec<_>>().into_iter().rev().take_while(|&s| is_faster(s)).collect();
            faster.last().copied()
        })
    }
}

/// Numbers of steps on a logarithmic scale, up to the study's.
fn places() -> impl Iterator<Item = u64> {
    let decades = (STEPS as f64).log10();
    (0..=(20.0 * decades) as u32).map(|place| 10_f64.powf(f64::from(place) / 20.0).round() as u64)
}
