//! [`Projection`]: sizes as they are in one set alone; [`lift`]: packs of these, filled with whole sizes.

use super::program::MAX_SIZES;
use crate::FixedLimits;
use crate::packer::Budget;
use crate::packer::problem::{Counts, Packs};
use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;

/// Steps of budget that each place of a distinct pack takes.
const PLACE: u64 = 20;

/// The sizes to pack, in one set alone.
pub(crate) struct Projection {
    /// The distinct numbers of rows, ascending.
    pub(crate) counts: Counts<1>,
    pub(crate) limits: FixedLimits<1>,
    /// The number there of each size.
    classes: Vec<u32>,
}

impl Projection {
    /// Projects all sizes that are packed. None if they are too many for a program in that set, too.
    pub(crate) fn new<const K: usize>(histogram: &Counts<K>, limits: &FixedLimits<K>, set: usize) -> Option<Self> {
        let mut rows = BTreeSet::new();
        for (size, _) in histogram.entries() {
            rows.insert(size[set]);
            if rows.len() > MAX_SIZES {
                return None;
            }
        }
        let rows: Vec<u32> = rows.into_iter().collect();
        let class = |(size, _): &([u32; K], u64)| rows.binary_search(&size[set]).unwrap_or_default() as u32;
        let classes: Vec<u32> = histogram.entries().iter().map(class).collect();
        let mut counts = alloc::vec![0; rows.len()];
        for (&class, (_, count)) in classes.iter().zip(histogram.entries()) {
            counts[class as usize] += count;
        }
        let counts = Counts::of(rows.into_iter().map(|rows| [rows]).zip(counts));
        Some(Self { counts, limits: FixedLimits { size: [limits.size[set]], graphs: limits.graphs }, classes })
    }

    /// The same packs in this set alone.
    pub(crate) fn packs(&self, packs: &Packs) -> Packs {
        let mut projected = Packs::default();
        for (contents, repeat) in packs.iter() {
            // Sizes of a pack that are one here are one entry.
            let mut classes: Vec<(u32, u32)> =
                contents.iter().map(|&(number, times)| (self.classes[number as usize], times)).collect();
            crate::histogram::add_up(&mut classes);
            projected.push(classes, repeat);
        }
        projected
    }
}

/// Fills packs that were made by one set with whole sizes, and leaves out packs that exceed another limit. Of the sizes
/// with the same rows in that set it takes the smallest and the largest in turn, so that the other sets even out.
pub(crate) fn lift<const K: usize>(
    packs: &Packs,
    projection: &Projection,
    histogram: &Counts<K>,
    limits: &FixedLimits<K>,
    budget: &mut Budget,
) -> Packs {
    let mut classes: Vec<VecDeque<(u32, u64)>> = projection.counts.entries().iter().map(|_| VecDeque::new()).collect();
    for (number, (_, count)) in (0..).zip(histogram.entries()) {
        classes[projection.classes[number as usize] as usize].push_back((number, *count));
    }
    let mut lifted: Vec<(Vec<(u32, u32)>, u64)> = Vec::new();
    for (contents, repeat) in packs.iter() {
        let places = || contents.iter().flat_map(|&(class, times)| (0..times).map(move |_| class as usize)).enumerate();
        let mut left = repeat;
        while left > 0 {
            // The number of equal packs for which the first and the last size of every class have graphs enough.
            let enough = |&(class, times): &(u32, u32)| {
                let ends = [classes[class as usize].front(), classes[class as usize].back()];
                ends.iter().map(|end| end.map_or(0, |(_, count)| count / u64::from(times))).min().unwrap_or(0)
            };
            let alike = contents.iter().map(enough).fold(left, u64::min).max(1);
            let graphs = places().filter_map(|(place, class)| take(&mut classes[class], place % 2 == 0, alike));
            let contents: Vec<(u32, u32)> = graphs.map(|number| (number, 1)).collect();
            budget.use_up(PLACE * contents.len() as u64);
            let rows = |k: usize| contents.iter().map(move |&(at, _)| u64::from(histogram.entries()[at as usize].0[k]));
            if (0..K).all(|k| rows(k).sum::<u64>() <= u64::from(limits.size[k])) {
                match lifted.last_mut() {
                    Some((last, repeat)) if *last == contents => *repeat += alike,
                    _ => lifted.push((contents, alike)),
                }
            }
            left -= alike;
        }
    }
    let mut plan = Packs::default();
    for (contents, repeat) in lifted {
        plan.push(contents, repeat);
    }
    plan
}

/// Returns the first or the last size of a class and takes `graphs` from its count, which must not be smaller. A size
/// whose count becomes zero is removed.
fn take(class: &mut VecDeque<(u32, u64)>, first: bool, graphs: u64) -> Option<u32> {
    let (number, count) = if first { class.front_mut() } else { class.back_mut() }?;
    let number = *number;
    *count -= graphs;
    if *count == 0 {
        if first {
            class.pop_front()
        } else {
            class.pop_back()
        };
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::{Budget, Counts, FixedLimits, Packs, Projection, lift};

    #[test]
    fn a_pack_of_two_sizes_that_are_one_class_is_lifted_once() {
        let counts = Counts::of([([2, 1], 3), ([2, 5], 3), ([3, 1], 3)].into_iter());
        let limits = FixedLimits::new([7, 20]);
        let mut packs = Packs::default();
        packs.push([(0, 1), (1, 1), (2, 1)], 3);
        let projection = Projection::new(&counts, &limits, 0).unwrap();
        let projected = projection.packs(&packs);
        assert_eq!(projected.iter().next(), Some((&[(0, 2), (1, 1)][..], 3)));
        let plan = lift(&projected, &projection, &counts, &limits, &mut Budget::default());
        let held = plan.counts(3);
        assert!(counts.entries().iter().zip(&held).all(|((_, count), held)| held <= count), "{held:?}");
        assert_eq!((plan.packs(), held), (3, alloc::vec![3, 3, 3]));
    }
}
