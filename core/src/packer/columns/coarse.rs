//! [`Coarse`]: the program of classes of sizes, whose prices are where the program of many sizes begins.
//!
//! Prices hardly differ between sizes that hardly differ. A program of a hundred classes, each with the mean of its
//! sizes in place of them, is solved in a fraction of the time that the first rounds of the whole program take, and its
//! prices prove nearly the bound.

use super::program::{Program, share};
use crate::FixedLimits;
use crate::histogram::add_up;
use crate::packer::Budget;
use crate::packer::problem::Counts;
use alloc::vec::Vec;

/// Sizes of a class, about, and most classes.
const SIZES: usize = 4;
const MOST: usize = 128;

/// Rounds after which prices are good enough.
const ROUNDS: u32 = 40;

/// Nearest classes that a price is the mean of.
const NEAREST: usize = 4;

/// The program of classes, which is being solved.
pub(super) struct Coarse<const K: usize> {
    program: Program<K>,
    rounds: u32,
}

impl<const K: usize> Coarse<K> {
    /// None if there are no sizes.
    pub(super) fn new(counts: &Counts<K>, limits: &FixedLimits<K>) -> Option<Self> {
        let sizes = counts.entries();
        let wanted = (sizes.len() / SIZES).min(MOST);
        let mut parts: Vec<Vec<u32>> = alloc::vec![(0..sizes.len() as u32).collect()];
        while parts.len() < wanted {
            parts = parts.into_iter().flat_map(|part| halves(&part, sizes, limits)).collect();
        }
        let mut entries: Vec<([u32; K], u64)> = parts.iter().map(|part| mean(part, sizes)).collect();
        // Classes of the same mean are one.
        add_up(&mut entries);
        let counts = Counts::of(entries.into_iter());
        Some(Self { program: Program::new(&counts, limits)?, rounds: 0 })
    }

    /// One round. Says whether it was the last one. None if the budget is spent.
    pub(super) fn step(&mut self, budget: &mut Budget) -> Option<bool> {
        self.rounds += 1;
        Some(self.program.round(u64::MAX, budget)? || self.rounds >= ROUNDS)
    }

    /// The number of packs in fractions, about.
    pub(super) fn packs(&self) -> f64 {
        self.program.packs()
    }

    /// The prices of all sizes: the mean of those of the nearest classes, in proportion to the shares of the limits
    /// that a graph fills.
    pub(super) fn prices(&self, counts: &Counts<K>, limits: &FixedLimits<K>) -> Vec<f64> {
        let classes = self.program.counts.entries();
        let distance = |a: &[u32; K], b: &[u32; K]| {
            let along = |k: usize| f64::from(a[k].abs_diff(b[k])) / f64::from(limits.size[k].max(1));
            (0..K).fold(0.0, |sum, k| sum + along(k) * along(k))
        };
        let price = |(size, _): &([u32; K], u64)| {
            let mut nearest = [(f64::INFINITY, 0); NEAREST];
            for (class, (mean, _)) in classes.iter().enumerate() {
                let mut next = (distance(size, mean), class);
                for place in &mut nearest {
                    if next.0 < place.0 {
                        core::mem::swap(place, &mut next);
                    }
                }
            }
            let (mut sum, mut weights) = (0.0, 0.0);
            for (distance, class) in nearest {
                if distance < f64::INFINITY {
                    let weight = 1.0 / (distance + 1e-9);
                    let price = self.program.state.center[class] / share(&classes[class].0, limits).max(1e-9);
                    sum += weight * price;
                    weights += weight;
                }
            }
            share(size, limits) * sum / weights
        };
        counts.entries().iter().map(price).collect()
    }
}

/// Divides sizes at the middle of the component that spreads most.
fn halves<const K: usize>(part: &[u32], sizes: &[([u32; K], u64)], limits: &FixedLimits<K>) -> Vec<Vec<u32>> {
    let (widest, _) = widest(part, sizes, limits);
    let mut ascending: Vec<(u32, u32)> = part.iter().map(|&at| (sizes[at as usize].0[widest], at)).collect();
    ascending.sort_unstable();
    let (low, high) = ascending.split_at(part.len() / 2);
    let halves = [low, high].into_iter().filter(|half| !half.is_empty());
    halves.map(|half| half.iter().map(|&(_, at)| at).collect()).collect()
}

/// The component that spreads most among sizes, and how far, as a share of the limit.
pub(crate) fn widest<const K: usize>(part: &[u32], sizes: &[([u32; K], u64)], limits: &FixedLimits<K>) -> (usize, f64) {
    let mut widest = (0, -1.0);
    for k in 0..K {
        let rows = || part.iter().map(|&at| sizes[at as usize].0[k]);
        let spread = rows().max().unwrap_or(0) - rows().min().unwrap_or(0);
        let share = f64::from(spread) / f64::from(limits.size[k].max(1));
        if share > widest.1 {
            widest = (k, share);
        }
    }
    widest
}

/// The mean of sizes, and the number of their graphs.
pub(crate) fn mean<const K: usize>(part: &[u32], sizes: &[([u32; K], u64)]) -> ([u32; K], u64) {
    let graphs: u64 = part.iter().map(|&at| sizes[at as usize].1).sum();
    let mean = |k: usize| {
        let sum = |&at: &u32| u128::from(sizes[at as usize].0[k]) * u128::from(sizes[at as usize].1);
        let sum = part.iter().map(sum).sum::<u128>();
        u32::try_from((sum + u128::from(graphs) / 2) / u128::from(graphs.max(1))).unwrap_or(u32::MAX)
    };
    (core::array::from_fn(mean), graphs)
}
