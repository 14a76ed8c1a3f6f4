//! [`Random`]: random numbers that are the same on every platform.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng, TryRng};
use std::convert::Infallible;

/// ChaCha with 8 rounds, keyed by a seed and the number of a stream. Streams are independent of each other, and the
/// same on every platform.
///
/// All randomness of the loader comes from here: epoch orders, generated data, the random numbers of a transform. Your
/// own source should use [`of_graph`](Self::of_graph) when it writes a graph and [`of_draw`](Self::of_draw) when it
/// draws an epoch, so that its batches do not depend on the number of workers.
#[derive(Clone, Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// Returns stream `stream` of `seed`.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self::keyed([seed, stream, 0, 0])
    }

    /// Returns the stream of one graph in one epoch; `number` is the graph's number in the data set. It differs from
    /// every stream of [`new`](Self::new) and [`of_draw`](Self::of_draw).
    pub fn of_graph(seed: u64, epoch: u64, number: u64) -> Self {
        Self::keyed([seed, epoch, number, 1])
    }

    /// Returns a stream for drawing the graphs of one epoch, before there is an epoch order. `number` tells the draws
    /// of the epoch apart: it may be that of a root node, or of a list of parts.
    pub fn of_draw(seed: u64, epoch: u64, number: u64) -> Self {
        Self::keyed([seed, epoch, number, 2])
    }

    /// Returns the stream that decides which rows of a graph are left when it is trimmed in one epoch.
    pub(crate) fn of_trim(seed: u64, epoch: u64, number: u64) -> Self {
        Self::keyed([seed, epoch, number, 3])
    }

    fn keyed(numbers: [u64; 4]) -> Self {
        let mut key = [0; 32];
        for (part, number) in key.chunks_exact_mut(8).zip(numbers) {
            part.copy_from_slice(&number.to_le_bytes());
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// Returns a uniform number in [0, 1), a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a uniform number below `bound` (Lemire, arXiv 1805.10941); 0 if `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        let threshold = bound.wrapping_neg() % bound.max(1);
        loop {
            let product = u64::from(self.0.next_u32()) * u64::from(bound);
            if product as u32 >= threshold {
                return (product >> 32) as u32;
            }
        }
    }

    /// Shuffles `list`, which may have at most 2^32 - 1 elements (Fisher and Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

/// Gives other crates, such as those with distributions, the raw numbers of the stream.
impl TryRng for Random {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill_bytes(bytes);
        Ok(())
    }
}
