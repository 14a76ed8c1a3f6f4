//! [`Counts`]: the sizes to pack and how many graphs have each, for a `const` number of sets; [`Packs`]: packs of them.

use crate::Histogram;
use crate::histogram::add_up;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// A histogram of sizes of K sets, or some of its graphs: distinct sizes in ascending order, with counts of at least 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts<const K: usize> {
    entries: Vec<([u32; K], u64)>,
    /// The position of each size among all that are packed: what packs know it by.
    numbers: Vec<u32>,
    graphs: u64,
}

impl<const K: usize> Counts<K> {
    /// All graphs of a histogram.
    pub(crate) fn new(histogram: &Histogram) -> Self {
        Self::of(histogram.entries().iter().map(|(size, count)| (size.first(), *count)))
    }

    /// Sizes in ascending order with counts, numbered from 0.
    pub(crate) fn of(entries: impl Iterator<Item = ([u32; K], u64)>) -> Self {
        let entries: Vec<_> = entries.collect();
        let graphs = entries.iter().map(|(_, count)| count).sum();
        Self { numbers: (0..entries.len() as u32).collect(), entries, graphs }
    }

    /// Sizes with counts and numbers, in any order; counts of one number are added up.
    pub(crate) fn numbered(sizes: Vec<([u32; K], u64, u32)>) -> Self {
        let mut sizes: Vec<_> = sizes.into_iter().map(|(size, count, number)| ((size, number), count)).collect();
        add_up(&mut sizes);
        Self {
            graphs: sizes.iter().map(|(_, count)| count).sum(),
            numbers: sizes.iter().map(|&((_, number), _)| number).collect(),
            entries: sizes.into_iter().map(|((size, _), count)| (size, count)).collect(),
        }
    }

    /// Distinct sizes with their counts, ascending.
    pub(crate) fn entries(&self) -> &[([u32; K], u64)] {
        &self.entries
    }

    /// The number of each of the [entries](Self::entries), ascending.
    pub(crate) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Number of graphs.
    pub(crate) fn graphs(&self) -> u64 {
        self.graphs
    }

    /// Sum of each set's rows over all graphs.
    pub(crate) fn totals(&self) -> [u128; K] {
        let mut totals = [0; K];
        for &(size, count) in &self.entries {
            for (total, rows) in totals.iter_mut().zip(size) {
                *total += u128::from(rows) * u128::from(count);
            }
        }
        totals
    }

    /// The graphs of these that are in none of `packs`, whose sizes must all be among these.
    pub(crate) fn without(&self, packs: &Packs) -> Self {
        let numbers = self.numbers.last().map_or(0, |&last| last as usize + 1);
        let taken = packs.counts(numbers);
        let mut left = Self::default();
        for (&number, &(size, all)) in self.numbers.iter().zip(&self.entries) {
            let count = all.saturating_sub(taken[number as usize]);
            if count > 0 {
                left.entries.push((size, count));
                left.numbers.push(number);
                left.graphs += count;
            }
        }
        left
    }

    /// Every distinct size, in descending order of (priority, size).
    pub(crate) fn descending(&self, priority: impl Fn(&[u32; K]) -> u64) -> Vec<Ranked<K>> {
        let entries = self.entries.iter().zip(&self.numbers);
        let ranked =
            |(&(size, count), &number): (&([u32; K], u64), &u32)| Ranked { key: priority(&size), size, number, count };
        let mut sizes: Vec<_> = entries.map(ranked).collect();
        Ranked::sort(&mut sizes);
        sizes
    }
}

/// A size with its priority.
pub(crate) struct Ranked<const K: usize> {
    pub(crate) key: u64,
    pub(crate) size: [u32; K],
    /// The number of the size in packs.
    pub(crate) number: u32,
    pub(crate) count: u64,
}

impl<const K: usize> Ranked<K> {
    /// A function of its own, which is compiled for all kinds of priorities at once.
    fn sort(sizes: &mut [Self]) {
        sizes.sort_unstable_by_key(|ranked| Reverse((ranked.key, ranked.size)));
    }
}

/// Sorts by value, the largest first, then by `N`. A sort is much code: in functions that are generic over the number
/// of sets it would be compiled for each.
pub(crate) fn sort_by_value<N: Ord>(ranked: &mut [(f64, N)]) {
    ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
}

/// Packs of sizes that are known by their position in a histogram. All packs share one array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packs {
    /// Positions of sizes with the number of graphs of that size, pack after pack.
    pub(crate) contents: Vec<(u32, u32)>,
    /// Per pack: the end of its range in `contents`, and how often it is used.
    pub(crate) ends: Vec<(usize, u64)>,
    /// A lower bound on the number of packs that was proven; 0 if none was.
    pub(crate) bound: u64,
}

impl Packs {
    /// Adds a pack that is used `repeat` times.
    pub(crate) fn push(&mut self, contents: impl IntoIterator<Item = (u32, u32)>, repeat: u64) {
        self.contents.extend(contents);
        self.ends.push((self.contents.len(), repeat));
    }

    /// Adds all packs of another plan.
    pub(crate) fn append(&mut self, other: &Self) {
        for (contents, repeat) in other.iter() {
            self.push(contents.iter().copied(), repeat);
        }
    }

    /// Remembers a proven bound if it is better than the one so far.
    pub(crate) fn with_bound(mut self, bound: u64) -> Self {
        self.bound = self.bound.max(bound);
        self
    }

    /// Number of packs, repeats counted.
    pub(crate) fn packs(&self) -> u64 {
        self.ends.iter().map(|&(_, repeat)| repeat).sum()
    }

    /// Number of distinct packs.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The contents of the distinct packs, and how often each is used.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&[(u32, u32)], u64)> {
        (0..self.ends.len()).map(|i| {
            let start = if i == 0 { 0 } else { self.ends[i - 1].0 };
            let (end, repeat) = self.ends[i];
            (&self.contents[start..end], repeat)
        })
    }

    /// Returns how many graphs of each of `sizes` sizes all packs hold.
    pub(crate) fn counts(&self, sizes: usize) -> Vec<u64> {
        let mut counts = alloc::vec![0; sizes];
        for (contents, repeat) in self.iter() {
            contents.iter().for_each(|&(position, times)| counts[position as usize] += u64::from(times) * repeat);
        }
        counts
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Counts;
    use alloc::collections::BTreeMap;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;

    /// Sizes of up to `most` rows of each set, nearly all with up to `graphs` graphs, one with very many.
    pub(crate) fn drawn<const K: usize>(sizes: u32, most: u32, graphs: u32) -> Counts<K> {
        let mut random = Pcg32::seed_from_u64(1);
        let mut below = |end: u32| random.next_u32() % end;
        let mut counts = BTreeMap::new();
        for number in 0..sizes {
            let more = if number == 0 { 1000 * (graphs - 1) } else { below(graphs) };
            *counts.entry(core::array::from_fn(|_| 1 + below(most))).or_insert(0) += 1 + u64::from(more);
        }
        Counts::of(counts.into_iter())
    }
}
