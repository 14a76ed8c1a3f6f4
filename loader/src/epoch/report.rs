//! [`Report`]: shapes, fill and time of the batches of an epoch.

use super::Stats;
use crate::batch::Batch;
use crate::layout::Shape;
use graphpack_core::Efficiency;
use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

/// Shapes, fill and time of the batches of an epoch so far, to compare two ways of [`Batching`](crate::Batching).
#[derive(Clone, Debug, Default)]
pub struct Report {
    stats: Stats,
    shapes: HashMap<Shape, u64>,
    graphs: Vec<u64>,
}

impl Report {
    pub(crate) fn add(&mut self, batch: &Batch) {
        let (real, shape) = (batch.real(), batch.shape());
        self.stats.add(real, shape, batch.collating(), batch.layout().bytes());
        *self.shapes.entry(shape).or_default() += 1;
        if self.graphs.len() <= real.graphs() {
            self.graphs.resize(real.graphs() + 1, 0);
        }
        self.graphs[real.graphs()] += 1;
    }

    pub(crate) fn waited(&mut self, time: Duration) {
        self.stats.waited += time;
    }

    /// Sums over the batches; where the time went, [`Epoch::stats`](crate::Epoch::stats) knows.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Distinct shapes and how many batches have each, smallest first. Each one is a compilation in JAX or `torch.compile`, and a capture
    /// for CUDA graphs.
    pub fn shapes(&self) -> Vec<(Shape, u64)> {
        let mut shapes: Vec<_> = self.shapes.iter().map(|(&shape, &batches)| (shape, batches)).collect();
        shapes.sort_unstable();
        shapes
    }

    /// How many batches have how many real graphs: entry i counts those with i.
    pub fn graphs_per_batch(&self) -> &[u64] {
        &self.graphs
    }

    /// Mean time that a worker spent collating a batch.
    pub fn collating_per_batch(&self) -> Duration {
        let nanoseconds = self.stats.collating.as_nanos() / u128::from(self.stats.batches.max(1));
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }
}

/// Three lines: batches and shapes, fill, graphs and time per batch.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shapes = self.shapes();
        write!(f, "{} batches of ", self.stats.batches)?;
        match shapes.as_slice() {
            [(only, _)] => writeln!(f, "{only}")?,
            several => writeln!(f, "{} shapes", several.len())?,
        }
        let Efficiency { components, graphs, .. } = self.stats.efficiency();
        let [nodes, edges, graphs] = [components[0], components[1], graphs].map(|share| 100.0 * share);
        writeln!(f, "filled: {nodes:.1} % of the nodes, {edges:.1} % of the edges, {graphs:.1} % of the graphs")?;
        let counts = || self.graphs.iter().enumerate().filter(|(_, batches)| **batches > 0).map(|(graphs, _)| graphs);
        let mean = self.stats.real.graphs() as f64 / self.stats.batches.max(1) as f64;
        write!(
            f,
            "{} to {} graphs per batch, {mean:.1} on average; {:.3} ms to collate one",
            counts().next().unwrap_or(0),
            counts().next_back().unwrap_or(0),
            self.collating_per_batch().as_secs_f64() * 1e3
        )
    }
}
