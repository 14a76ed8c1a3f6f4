//! [`Coarse`]: the program of classes of sizes, whose prices are where the program of many sizes begins.
//!
//! Sizes that are nearly equal have nearly equal prices. A program of a hundred classes, each with the mean of its
//! sizes in place of them, is solved in a fraction of the time that the first rounds of the whole program take, and its
//! prices prove nearly the bound.

use super::program::{Program, share};
use crate::FixedLimits;
use crate::packer::Budget;
use crate::packer::division::Classes;
use crate::packer::problem::Counts;
use alloc::vec::Vec;

/// Most classes. Classes and the ascent from their prices save 1.1 to 1.6 % of the packs of hard instances.
const COARSE_CLASSES: usize = 128;

/// Rounds of the program of classes after which its prices are good enough to begin with.
const COARSE_ROUNDS: u32 = 40;

/// The program of classes, which is being solved.
pub(super) struct Coarse<const K: usize> {
    program: Program<K>,
    /// The sizes of each class, by their position.
    members: Vec<Vec<u32>>,
    rounds: u32,
}

impl<const K: usize> Coarse<K> {
    /// None if there are no sizes.
    pub(super) fn new(counts: &Counts<K>, limits: &FixedLimits<K>) -> Option<Self> {
        let Classes { means, members } = Classes::new(counts, limits, COARSE_CLASSES, &mut Budget::steps(u64::MAX))?;
        Some(Self { program: Program::new(&means, limits)?, members, rounds: 0 })
    }

    /// One round. Says whether it was the last one. None if the budget is spent.
    pub(super) fn step(&mut self, budget: &mut Budget) -> Option<bool> {
        self.rounds += 1;
        Some(self.program.round(u64::MAX, budget)? || self.rounds >= COARSE_ROUNDS)
    }

    /// The number of packs in fractions, about.
    pub(super) fn packs(&self) -> f64 {
        self.program.packs()
    }

    /// The prices of all sizes: that of their class, in proportion to the shares of the limits that a graph fills.
    pub(super) fn prices(&self, counts: &Counts<K>, limits: &FixedLimits<K>) -> Vec<f64> {
        let mut prices = alloc::vec![0.0; counts.entries().len()];
        let priced = self.program.counts.entries().iter().zip(&self.program.state.center);
        for (((mean, _), price), members) in priced.zip(&self.members) {
            let each = price / share(mean, limits).max(1e-9);
            for &at in members {
                prices[at as usize] = each * share(&counts.entries()[at as usize].0, limits);
            }
        }
        prices
    }
}
