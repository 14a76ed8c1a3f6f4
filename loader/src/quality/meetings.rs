//! [`Meetings`]: which graphs have shared a batch.

use super::Compared;
use crate::Random;
use crate::plan::{EpochPlan, LoaderPlan};

/// The most graphs that are watched.
const WATCHED: usize = 2_000;

/// The most bits of memory: 64 MB.
const BITS: usize = 1 << 29;

/// Which graphs each of some watched graphs has shared a batch with.
pub(super) struct Meetings {
    /// For each graph, its number among the watched ones.
    watched: Vec<Option<u32>>,
    /// For each watched graph a row of bits, one for each graph that it has met.
    met: Vec<u64>,
    /// Words of a row.
    words: usize,
    /// Pairs of a watched graph and another that may share a batch.
    pairs: u64,
    /// The share of these pairs that random batches would have left apart so far.
    apart: f64,
}

impl Meetings {
    /// Watches some of the graphs of `plan`, drawn at random.
    pub(super) fn new(plan: &LoaderPlan) -> Self {
        let sizes = plan.sizes();
        let graphs = sizes.graphs();
        // The number of graphs fits into 32 bits.
        let mut drawn: Vec<u32> = (0..graphs as u32).collect();
        let counts = sizes.counts(&drawn);
        Random::new(0, 0).shuffle(&mut drawn);
        drawn.truncate(WATCHED.min(BITS / graphs.max(1)).max(1));
        let mut watched = vec![None; graphs];
        for (number, &graph) in drawn.iter().enumerate() {
            watched[graph as usize] = Some(number as u32);
        }
        let words = graphs.div_ceil(64);
        let others = |own: usize| -> u64 {
            let meet = counts.iter().enumerate().filter(|&(class, _)| plan.may_meet(own, class));
            meet.map(|(_, &graphs)| graphs).sum::<u64>() - u64::from(plan.may_meet(own, own))
        };
        let pairs = drawn.iter().map(|&graph| others(sizes.class(graph))).sum();
        Self { watched, met: vec![0; drawn.len() * words], words, pairs, apart: 1.0 }
    }

    /// Adds the batches of an epoch.
    pub(super) fn add(&mut self, epoch: &EpochPlan) {
        let mut meetings = 0;
        for batch in (0..epoch.len()).map(|batch| epoch.graphs(batch)) {
            for &graph in batch {
                let Some(number) = self.watched[graph as usize] else { continue };
                let row = &mut self.met[number as usize * self.words..][..self.words];
                for &other in batch.iter().filter(|&&other| other != graph) {
                    row[other as usize / 64] |= 1 << (other % 64);
                    meetings += 1;
                }
            }
        }
        self.apart *= 1.0 - (meetings as f64 / self.pairs.max(1) as f64).min(1.0);
    }

    /// The share of pairs that have met at least once.
    pub(super) fn share(&self) -> Compared {
        let met: u64 = self.met.iter().map(|word| u64::from(word.count_ones())).sum();
        Compared { found: met as f64 / self.pairs.max(1) as f64, random: 1.0 - self.apart }
    }
}
