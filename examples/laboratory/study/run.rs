//! [`Run`]: what a finished run measured, a row of `runs.csv`; [`Cell`]: which run it is.

use super::Outcome;
use super::algorithm::Algorithm;
use super::step::Step;
use graphpack_loader::extend::mix;
use laboratory::ModelName;
use laboratory::statistics::{mean, median};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The first steps of a run, which are slower than all others in every algorithm, are left out of its times.
const WARM_UP: usize = 2;

/// A run of the grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) model: ModelName,
    pub(crate) algorithm: Algorithm,
    pub(crate) batch_size: u32,
    pub(crate) repeat: u32,
}

impl Cell {
    /// The name of its files.
    pub(crate) fn name(&self) -> String {
        format!("{}_{}_{}_{}", self.model.name(), self.algorithm, self.batch_size, self.repeat).replace('^', "")
    }

    /// The seed of its weights and of the order of its graphs. Each run has its own: t-tests compare independent runs.
    pub(crate) fn seed(&self, seed: u64) -> u64 {
        mix(mix(mix(seed, self.repeat.into()), self.algorithm as u64), self.batch_size.into())
    }

    pub(crate) fn is(&self, run: &Run) -> bool {
        run.model == self.model.name()
            && run.algorithm == self.algorithm.to_string()
            && (run.batch_size, run.repeat) == (self.batch_size, self.repeat)
    }
}

/// What a run measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) model: String,
    pub(crate) algorithm: String,
    pub(crate) batch_size: u32,
    pub(crate) repeat: u32,
    pub(crate) steps: usize,
    pub(crate) graphs: u64,
    pub(crate) shapes: usize,
    pub(crate) node_fill: f64,
    pub(crate) edge_fill: f64,
    pub(crate) batching_ms_mean: f64,
    pub(crate) batching_ms_median: f64,
    pub(crate) update_ms_mean: f64,
    pub(crate) update_ms_median: f64,
    pub(crate) combined_ms_mean: f64,
    pub(crate) combined_ms_median: f64,
    /// Mean loss of the first and of the last tenth of the steps.
    pub(crate) first_loss: f64,
    pub(crate) last_loss: f64,
    /// Root mean squared error on the test graphs after the last step, in the unit of the target.
    pub(crate) test_rmse: f64,
    /// The mean of the combined milliseconds so far, of all steps.
    pub(crate) running_average: Curve,
    pub(crate) rmse: Curve,
}

impl Run {
    /// Sums up the steps of a run.
    pub(crate) fn new(cell: &Cell, steps: &[Step]) -> Self {
        let timed = &steps[WARM_UP.min(steps.len().saturating_sub(1))..];
        let of = |steps: &[Step], number: fn(&Step) -> f64| steps.iter().map(number).collect::<Vec<_>>();
        let [batching, update] = [of(timed, |step| step.batching_ms), of(timed, |step| step.update_ms)];
        let (combined, losses) = (of(timed, Step::combined_ms), of(steps, |step| step.loss));
        let (mut running_average, mut sum, mut next) = (Vec::new(), 0.0, 1);
        for (place, step) in steps.iter().enumerate() {
            let number = place + 1;
            sum += step.combined_ms();
            // A constant number of points per decade.
            if number >= next || number == steps.len() {
                running_average.push((number, sum / number as f64));
                next = number + number.div_ceil(10);
            }
        }
        let rmse = steps.iter().enumerate().filter_map(|(place, step)| Some((place + 1, step.rmse?)));
        let rmse: Vec<_> = rmse.collect();
        let share = |real: fn(&Step) -> usize, slots: fn(&Step) -> usize| {
            let sum = |number: fn(&Step) -> usize| steps.iter().map(number).sum::<usize>();
            sum(real) as f64 / sum(slots).max(1) as f64
        };
        let tenth = steps.len().div_ceil(10);
        Self {
            model: cell.model.name().into(),
            algorithm: cell.algorithm.to_string(),
            batch_size: cell.batch_size,
            repeat: cell.repeat,
            steps: steps.len(),
            graphs: steps.iter().map(|step| step.graphs as u64).sum(),
            shapes: steps.iter().map(|step| [step.node_slots, step.edge_slots]).collect::<HashSet<_>>().len(),
            node_fill: share(|step| step.nodes, |step| step.node_slots),
            edge_fill: share(|step| step.edges, |step| step.edge_slots),
            batching_ms_mean: mean(&batching),
            batching_ms_median: median(&batching),
            update_ms_mean: mean(&update),
            update_ms_median: median(&update),
            combined_ms_mean: mean(&combined),
            combined_ms_median: median(&combined),
            first_loss: mean(&losses[..tenth]),
            last_loss: mean(&losses[losses.len() - tenth..]),
            test_rmse: rmse.last().map_or(f64::NAN, |(_, rmse)| *rmse),
            running_average: Curve(running_average),
            rmse: Curve(rmse),
        }
    }

    /// Milliseconds per real graph.
    pub(crate) fn ms_per_graph(&self) -> f64 {
        self.combined_ms_mean * self.steps as f64 / self.graphs.max(1) as f64
    }

    /// Seconds for the graphs of `steps` full batches, with `compile_ms` for each distinct shape.
    pub(crate) fn seconds(&self, compile_ms: f64) -> f64 {
        let graphs = self.steps as f64 * f64::from(self.batch_size - 1);
        (graphs * self.ms_per_graph() + self.shapes as f64 * compile_ms) / 1e3
    }
}

/// Values after some of the steps. In a csv file it is one cell, `10:0.5 20:0.4`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Curve(pub(crate) Vec<(usize, f64)>);

impl From<Curve> for String {
    fn from(curve: Curve) -> Self {
        let points = curve.0.iter().map(|(step, value)| format!("{step}:{value:.5}"));
        points.collect::<Vec<_>>().join(" ")
    }
}

impl TryFrom<String> for Curve {
    type Error = Box<dyn std::error::Error>;

    fn try_from(text: String) -> Outcome<Self> {
        let point = |point: &str| {
            let (step, value) = point.split_once(':')?;
            Some((step.parse().ok()?, value.parse().ok()?))
        };
        let points = text.split_whitespace().map(|text| {
            point(text).ok_or_else(|| format!("expected STEP:VALUE such as 10:0.5, found {text:?}").into())
        });
        points.collect::<Outcome<_>>().map(Self)
    }
}
