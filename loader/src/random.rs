//! [`Random`]: the random numbers of orders and generated data, the same on every platform.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// ChaCha with 8 rounds, keyed by a seed and the number of a stream: streams have nothing to do with each other.
pub struct Random(ChaCha8Rng);

impl Random {
    /// The stream `stream` of a seed.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&stream.to_le_bytes());
        Self(ChaCha8Rng::from_seed(key))
    }

    /// Random numbers for one graph of one epoch; streams of orders have no number of a graph.
    pub fn of_graph(seed: u64, epoch: u64, number: u64) -> ChaCha8Rng {
        let mut key = [0; 32];
        for (part, number) in key.chunks_exact_mut(8).zip([seed, epoch, number, 1]) {
            part.copy_from_slice(&number.to_le_bytes());
        }
        ChaCha8Rng::from_seed(key)
    }

    /// Random numbers for draws of one epoch that make graphs, before there is an order: of a node, or of a list of parts.
    pub fn of_draw(seed: u64, epoch: u64, number: u64) -> Self {
        let mut key = [0; 32];
        for (part, number) in key.chunks_exact_mut(8).zip([seed, epoch, number, 2]) {
            part.copy_from_slice(&number.to_le_bytes());
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// A uniform number in [0, 1), a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A uniform number below `bound`, which is at least 1 (Lemire, arXiv 1805.10941).
    pub fn below(&mut self, bound: u32) -> u32 {
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let product = u64::from(self.0.next_u32()) * u64::from(bound);
            if product as u32 >= threshold {
                return (product >> 32) as u32;
            }
        }
    }

    /// Brings a list of at most 2^32 - 1 things into random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}
