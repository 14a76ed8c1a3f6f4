//! [`Left`]: the graphs that are not packed yet.

use crate::FixedLimits;
use crate::lanes::Lanes;
use crate::packer::Effort;
use crate::packer::problem::Counts;
use alloc::vec::Vec;

/// Steps of effort that it takes to look at a size.
const VISIT: u64 = 4;

/// How many graphs of each size are left.
pub(super) struct Left<'a, const K: usize> {
    graphs: &'a Counts<K>,
    sizes: &'a [([u32; K], u64)],
    counts: Vec<u64>,
    /// The sum of each size's shares of the limits.
    fill: Vec<f64>,
}

impl<'a, const K: usize> Left<'a, K> {
    pub(super) fn new(graphs: &'a Counts<K>, limits: &FixedLimits<K>) -> Self {
        let sizes = graphs.entries();
        let fill = |size: &[u32; K]| (0..K).fold(0.0, |sum, k| sum + f64::from(size[k]) / f64::from(limits.size[k]));
        let counts = sizes.iter().map(|(_, count)| *count).collect();
        Self { graphs, sizes, counts, fill: sizes.iter().map(|(size, _)| fill(size)).collect() }
    }

    /// How often a pack can be used.
    pub(super) fn times(&self, contents: &[(u32, u32)]) -> u64 {
        let of = |&(number, times): &(u32, u32)| {
            self.graphs.position(number).map_or(0, |position| self.counts[position] / u64::from(times))
        };
        contents.iter().map(of).min().unwrap_or(0)
    }

    /// Takes the graphs of a pack that is used `repeat` times, for which there must be enough.
    pub(super) fn take(&mut self, contents: &[(u32, u32)], repeat: u64) {
        for &(number, times) in contents {
            if let Some(position) = self.graphs.position(number) {
                self.counts[position] -= repeat * u64::from(times);
            }
        }
    }

    /// A pack of graphs that are left, in the places of `contents`: the largest graphs take the places for which there
    /// is no graph of that very size. Also says whether all places are taken; not if `effort` is spent.
    ///
    /// `all` are all sizes that are packed, by number.
    pub(super) fn similar(
        &self,
        all: &[([u32; K], u64)],
        contents: &[(u32, u32)],
        effort: &mut Effort,
    ) -> (Vec<(u32, u32)>, bool) {
        let mut pack: Vec<(usize, u32)> = Vec::new();
        let mut is_full = true;
        for &(number, times) in contents {
            let place = &all[number as usize].0;
            let mut missing = times;
            while missing > 0 {
                let left = |at: usize| {
                    let taken = pack.iter().filter(|(taken, _)| *taken == at).map(|(_, times)| u64::from(*times));
                    self.counts[at] - taken.sum::<u64>()
                };
                let same = self.graphs.position(number).filter(|&at| left(at) > 0);
                let fitting = || (0..self.sizes.len()).filter(|&at| self.sizes[at].0.fits(place) && left(at) > 0);
                let largest = || fitting().max_by(|&a, &b| self.fill[a].total_cmp(&self.fill[b]));
                let mut other = || effort.spend(self.sizes.len() as u64 * VISIT).then(largest).flatten();
                let Some(at) = same.or_else(&mut other) else {
                    is_full = false;
                    break;
                };
                let taken = u32::try_from(left(at)).unwrap_or(u32::MAX).min(missing);
                missing -= taken;
                pack.push((at, taken));
            }
        }
        pack.sort_unstable();
        let sizes = pack.chunk_by(|a, b| a.0 == b.0);
        (
            sizes.map(|same| (self.graphs.numbers()[same[0].0], same.iter().map(|(_, times)| times).sum())).collect(),
            is_full,
        )
    }
}
