//! [`Way`]: a batching and a batch size.

use crate::options::{Batching, Capacity, LoaderBuilder};
use graphpack_core::{Effort, Packer};
use std::fmt;

/// A way of making batches: a [`Batching`], and a batch size that counts the padding graph, as in jraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Way {
    /// Which graphs share a batch.
    pub batching: Batching,
    /// Graphs of a batch, the padding graph included; at least 2.
    pub batch_size: u32,
}

impl Way {
    /// The batchings that [`Advice`](super::Advice) compares: packs, windows, and those of the batching study
    /// (Speckhard et al., arXiv 2502.00944).
    pub fn batchings() -> [Batching; 6] {
        let packed = Batching::Packed(Packer::Auto(Effort::default()));
        let window = Batching::Window { open: Batching::DEFAULT_OPEN };
        let static_ways = [Batching::Static64, Batching::StaticPow2, Batching::StaticConstant];
        [packed, window, Batching::Dynamic, static_ways[0], static_ways[1], static_ways[2]]
    }

    /// Returns each batching with each batch size.
    pub fn all(batchings: &[Batching], batch_sizes: &[u32]) -> Vec<Self> {
        let of_size = |&batch_size: &u32| batchings.iter().map(move |&batching| Self { batching, batch_size });
        batch_sizes.iter().flat_map(of_size).collect()
    }

    /// How much a batch holds: jraph's estimate for dynamic batching, `batch_size - 1` graphs for all others.
    pub fn capacity(&self) -> Capacity {
        match self.batching {
            Batching::Dynamic => Capacity::Dynamic { batch_size: self.batch_size },
            _ => Capacity::Graphs(self.batch_size.saturating_sub(1)),
        }
    }

    /// Makes batches this way, with the other options as they are.
    pub fn apply<S>(&self, options: LoaderBuilder<S>) -> LoaderBuilder<S> {
        options.batching(self.batching).capacity(self.capacity())
    }
}

/// Writes both: `static-64, batch size 32`.
impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, batch size {}", self.batching, self.batch_size)
    }
}
