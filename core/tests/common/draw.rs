//! [`Draw`]: random numbers from a fixed seed.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use std::ops::RangeInclusive;

/// Draws numbers from a range.
pub(crate) struct Draw(Pcg32);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg32::seed_from_u64(seed))
    }

    pub(crate) fn one(&mut self, range: RangeInclusive<u32>) -> u32 {
        let count = u64::from(range.end() - range.start()) + 1;
        range.start() + ((u64::from(self.0.next_u32()) * count) >> 32) as u32
    }
}
