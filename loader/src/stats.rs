//! [`Stats`]: what an epoch did so far, and how long the consumer waited for it.

use crate::Shape;
use std::time::Duration;

/// What was handed over since the epoch began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Batches.
    pub batches: u64,
    /// Real graphs.
    pub graphs: u64,
    /// Real nodes.
    pub nodes: u64,
    /// Real edges.
    pub edges: u64,
    /// Time the consumer spent in `next`.
    pub waited: Duration,
}

impl Stats {
    pub(crate) fn add(&mut self, real: Shape) {
        self.batches += 1;
        self.graphs += real.graphs as u64;
        self.nodes += real.nodes as u64;
        self.edges += real.edges as u64;
    }

    /// Real / all slots of the batches so far, as fractions: nodes, edges, graphs. Zero before the first batch.
    pub fn efficiency(&self, shape: Shape) -> [f64; 3] {
        let share = |real: u64, slots: usize| {
            let all = self.batches as f64 * slots as f64;
            if all > 0.0 { real as f64 / all } else { 0.0 }
        };
        [share(self.nodes, shape.nodes), share(self.edges, shape.edges), share(self.graphs, shape.graphs)]
    }
}
