//! [`Run`]: what a finished run measured, a row of `runs.csv`; [`Cell`]: which run it is.

use super::algorithm::Algorithm;
use graphpack_loader::extend::mix;
use laboratory::ModelName;
use laboratory::statistics::{mean, median};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt;

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
    /// The seed of its weights and of the order of its graphs. Each run has its own.
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
}

impl Run {
    /// Sums up the steps of a run.
    pub(crate) fn new(cell: &Cell, steps: &[Step]) -> Self {
        let timed = &steps[WARM_UP.min(steps.len().saturating_sub(1))..];
        let of = |number: fn(&Step) -> f64| timed.iter().map(number).collect::<Vec<_>>();
        let [batching, update] = [of(|step| step.batching_ms), of(|step| step.update_ms)];
        let combined = of(|step| step.batching_ms + step.update_ms);
        let share = |real: fn(&Step) -> usize, slots: fn(&Step) -> usize| {
            let sum = |number: fn(&Step) -> usize| steps.iter().map(number).sum::<usize>();
            sum(real) as f64 / sum(slots).max(1) as f64
        };
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
        }
    }

    /// Milliseconds per real graph.
    pub(crate) fn ms_per_graph(&self) -> f64 {
        self.combined_ms_mean * self.steps as f64 / self.graphs.max(1) as f64
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, algorithm, batch_size, repeat } = self;
        write!(f, "{}, {algorithm}, batch size {batch_size}, repeat {repeat}", model.name())
    }
}

/// What a step measured.
pub(crate) struct Step {
    pub(crate) batching_ms: f64,
    pub(crate) update_ms: f64,
    /// Real rows of its batch, then all.
    pub(crate) graphs: usize,
    pub(crate) nodes: usize,
    pub(crate) edges: usize,
    pub(crate) node_slots: usize,
    pub(crate) edge_slots: usize,
}
