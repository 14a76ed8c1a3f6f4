//! [`Stats`]: what an epoch did so far, and how long the consumer waited for it.

use crate::Shape;
use std::time::Duration;

/// What was handed over since the epoch began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// Batches.
    pub batches: u64,
    /// Real graphs.
    pub graphs: u64,
    /// Real nodes.
    pub nodes: u64,
    /// Real edges.
    pub edges: u64,
    /// Slots of all batches, padding included: nodes, edges, graphs.
    pub slots: [u64; 3],
    /// Time the consumer spent in `next`.
    pub waited: Duration,
    /// Time the workers spent collating these batches, summed over workers.
    pub collating: Duration,
}

impl Stats {
    pub(crate) fn add(&mut self, real: Shape, shape: Shape, collating: Duration) {
        self.collating += collating;
        self.batches += 1;
        self.graphs += real.graphs as u64;
        self.nodes += real.nodes as u64;
        self.edges += real.edges as u64;
        for (sum, slots) in self.slots.iter_mut().zip([shape.nodes, shape.edges, shape.graphs]) {
            *sum += slots as u64;
        }
    }

    /// Real / all slots of the batches so far, as fractions: nodes, edges, graphs. Zero before the first batch.
    pub fn efficiency(&self) -> [f64; 3] {
        let real = [self.nodes, self.edges, self.graphs];
        std::array::from_fn(|k| if self.slots[k] > 0 { real[k] as f64 / self.slots[k] as f64 } else { 0.0 })
    }
}
