//! [`Left`]: the graphs that are not packed yet.

use crate::{Effort, Histogram, Limits, Size};
use alloc::vec::Vec;

/// Steps of effort that it takes to look at a size.
const VISIT: u64 = 4;

/// How many graphs of each size are left.
pub(super) struct Left<'a, const K: usize> {
    sizes: &'a [(Size<K>, u64)],
    counts: Vec<u64>,
    /// The sum of each size's shares of the limits.
    fill: Vec<f64>,
}

impl<'a, const K: usize> Left<'a, K> {
    pub(super) fn new(graphs: &'a Histogram<K>, limits: &Limits<K>) -> Self {
        let sizes = graphs.entries();
        let fill = |size: &Size<K>| (0..K).fold(0.0, |sum, k| sum + f64::from(size.0[k]) / f64::from(limits.size.0[k]));
        let counts = sizes.iter().map(|(_, count)| *count).collect();
        Self { sizes, counts, fill: sizes.iter().map(|(size, _)| fill(size)).collect() }
    }

    fn position(&self, size: &Size<K>) -> Option<usize> {
        self.sizes.binary_search_by_key(size, |(size, _)| *size).ok()
    }

    /// How often a pack can be used.
    pub(super) fn times(&self, contents: &[(Size<K>, u32)]) -> u64 {
        let of = |(size, times): &(Size<K>, u32)| {
            self.position(size).map_or(0, |position| self.counts[position] / u64::from(*times))
        };
        contents.iter().map(of).min().unwrap_or(0)
    }

    /// Takes the graphs of a pack that is used `repeat` times, for which there must be enough.
    pub(super) fn take(&mut self, contents: &[(Size<K>, u32)], repeat: u64) {
        for (size, times) in contents {
            if let Some(position) = self.position(size) {
                self.counts[position] -= repeat * u64::from(*times);
            }
        }
    }

    /// A pack of graphs that are left, in the places of `contents`: the largest graphs take the places for which there
    /// is no graph of that very size. Also says whether all places are taken; not if `effort` is spent.
    pub(super) fn similar(&self, contents: &[(Size<K>, u32)], effort: &mut Effort) -> (Vec<(Size<K>, u32)>, bool) {
        let mut pack: Vec<(usize, u32)> = Vec::new();
        let mut is_full = true;
        for (place, times) in contents {
            let mut missing = *times;
            while missing > 0 {
                let left = |at: usize| {
                    let taken = pack.iter().filter(|(taken, _)| *taken == at).map(|(_, times)| u64::from(*times));
                    self.counts[at] - taken.sum::<u64>()
                };
                let same = self.position(place).filter(|&at| left(at) > 0);
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
        (sizes.map(|same| (self.sizes[same[0].0].0, same.iter().map(|(_, times)| times).sum())).collect(), is_full)
    }
}
