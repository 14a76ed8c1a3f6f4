//! [`Classes`]: sizes, divided into a few classes of nearly equal sizes.

use super::Budget;
use super::problem::{Counts, Packs};
use crate::FixedLimits;
use crate::histogram::add_up;
use alloc::vec::Vec;

/// Steps of budget that a size takes each time its class is divided, measured as time.
pub(super) const DIVISION_STEPS: u64 = 40;

/// Sizes, divided into classes.
pub(super) struct Classes<const K: usize> {
    /// The means with the number of graphs, and the sizes of each by their position.
    pub(super) means: Counts<K>,
    pub(super) members: Vec<Vec<u32>>,
}

impl<const K: usize> Classes<K> {
    /// Divides the class with the largest error until there are `most` classes. None if the budget is spent.
    pub(super) fn new(graphs: &Counts<K>, limits: &FixedLimits<K>, most: usize, budget: &mut Budget) -> Option<Self> {
        let sizes = graphs.entries();
        let mut classes = alloc::vec![Class::new((0..sizes.len() as u32).collect(), sizes, limits)];
        while classes.len() < most {
            let coarsest = (0..classes.len()).max_by(|&a, &b| classes[a].error.total_cmp(&classes[b].error));
            let Some(coarsest) = coarsest.filter(|&at| classes[at].members.len() > 1) else { break };
            budget.take(DIVISION_STEPS * classes[coarsest].members.len() as u64)?;
            let halves = classes.swap_remove(coarsest).halves(sizes, limits);
            classes.extend(halves);
        }
        let mut means: Vec<([u32; K], u64, Vec<u32>)> =
            classes.into_iter().map(|class| (class.mean, class.graphs, class.members)).collect();
        means.sort_unstable();
        // Classes of the same mean are one.
        means.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
                kept.2.append(&mut next.2);
            }
            same
        });
        Some(Self::of_means(means))
    }

    /// A class for each number of rows of one set, with no rows of the others.
    pub(super) fn of_one_set(graphs: &Counts<K>, set: usize) -> Self {
        let mut classes: Vec<([u32; K], u64, Vec<u32>)> = Vec::new();
        let mut ascending: Vec<u32> = (0..graphs.entries().len() as u32).collect();
        ascending.sort_by_key(|&at| graphs.entries()[at as usize].0[set]);
        for at in ascending {
            let (size, count) = graphs.entries()[at as usize];
            let rows = core::array::from_fn(|k| if k == set { size[k] } else { 0 });
            match classes.last_mut().filter(|class| class.0 == rows) {
                Some((_, graphs, members)) => {
                    *graphs += count;
                    members.push(at);
                }
                None => classes.push((rows, count, alloc::vec![at])),
            }
        }
        Self::of_means(classes)
    }

    /// Returns packs of classes in place of packs of sizes.
    pub(super) fn packs(&self, packs: &Packs) -> Packs {
        let mut class_of = alloc::vec![0; self.members.iter().map(Vec::len).sum()];
        for (class, members) in (0..).zip(&self.members) {
            members.iter().for_each(|&at| class_of[at as usize] = class);
        }
        let mut divided = Packs::default();
        for (contents, repeat) in packs.iter() {
            let mut contents: Vec<_> = contents.iter().map(|&(at, times)| (class_of[at as usize], times)).collect();
            add_up(&mut contents);
            divided.push(contents, repeat);
        }
        divided
    }

    /// Means, ascending, with numbers of graphs and members.
    fn of_means(classes: Vec<([u32; K], u64, Vec<u32>)>) -> Self {
        let means = Counts::of(classes.iter().map(|&(mean, graphs, _)| (mean, graphs)));
        Self { means, members: classes.into_iter().map(|(_, _, members)| members).collect() }
    }
}

/// Some sizes, by their position.
struct Class<const K: usize> {
    members: Vec<u32>,
    mean: [u32; K],
    graphs: u64,
    /// The set that spreads most, and the graphs times how far, as a share of the limit.
    widest: usize,
    error: f64,
}

impl<const K: usize> Class<K> {
    fn new(members: Vec<u32>, sizes: &[([u32; K], u64)], limits: &FixedLimits<K>) -> Self {
        let (mean, graphs) = mean(&members, sizes);
        let (widest, share) = widest(&members, sizes, limits);
        let error = if members.len() > 1 { graphs as f64 * share } else { 0.0 };
        Self { members, mean, graphs, widest, error }
    }

    /// Divides the class, of at least two sizes, near the middle one of its graphs along the set that spreads
    /// most.
    fn halves(mut self, sizes: &[([u32; K], u64)], limits: &FixedLimits<K>) -> [Self; 2] {
        let mut ascending: Vec<(u32, u32)> =
            self.members.iter().map(|&at| (sizes[at as usize].0[self.widest], at)).collect();
        ascending.sort_unstable();
        let (mut low, mut seen) = (0, 0_u128);
        // A size that holds the middle one is on the side where less of it is.
        for &(_, at) in &ascending {
            let graphs = u128::from(sizes[at as usize].1);
            if 2 * seen + graphs >= u128::from(self.graphs) {
                break;
            }
            seen += graphs;
            low += 1;
        }
        self.members = ascending.iter().map(|&(_, at)| at).collect();
        let high = self.members.split_off(low.clamp(1, ascending.len() - 1));
        [self.members, high].map(|members| Self::new(members, sizes, limits))
    }
}

/// The set that spreads most among sizes, and how far, as a share of the limit.
fn widest<const K: usize>(members: &[u32], sizes: &[([u32; K], u64)], limits: &FixedLimits<K>) -> (usize, f64) {
    let mut widest = (0, -1.0);
    for k in 0..K {
        let rows = || members.iter().map(|&at| sizes[at as usize].0[k]);
        let spread = rows().max().unwrap_or(0) - rows().min().unwrap_or(0);
        let share = f64::from(spread) / f64::from(limits.size[k].max(1));
        if share > widest.1 {
            widest = (k, share);
        }
    }
    widest
}

/// The mean of sizes, and the number of their graphs.
fn mean<const K: usize>(members: &[u32], sizes: &[([u32; K], u64)]) -> ([u32; K], u64) {
    let graphs: u64 = members.iter().map(|&at| sizes[at as usize].1).sum();
    let mean = |k: usize| {
        let sum = |&at: &u32| u128::from(sizes[at as usize].0[k]) * u128::from(sizes[at as usize].1);
        let sum = members.iter().map(sum).sum::<u128>();
        u32::try_from((sum + u128::from(graphs) / 2) / u128::from(graphs.max(1))).unwrap_or(u32::MAX)
    };
    (core::array::from_fn(mean), graphs)
}

#[cfg(test)]
mod tests {
    use super::{Budget, Classes, Counts, FixedLimits, Packs, Vec};
    use crate::packer::problem::tests::drawn;

    #[test]
    fn each_size_is_in_one_class_and_means_are_among_sizes() {
        let (counts, limits) = (drawn::<2>(2_000, 400, 20), FixedLimits { size: [1_000; 2], graphs: 30 });
        let classes = Classes::new(&counts, &limits, 64, &mut Budget::default()).unwrap();
        let mut members: Vec<u32> = classes.members.concat();
        members.sort_unstable();
        assert_eq!(members, (0..counts.entries().len() as u32).collect::<Vec<_>>());
        assert!((32..=64).contains(&classes.members.len()));
        for (class, (mean, graphs)) in classes.members.iter().zip(classes.means.entries()) {
            let sizes = || class.iter().map(|&at| counts.entries()[at as usize]);
            assert_eq!(sizes().map(|(_, count)| count).sum::<u64>(), *graphs);
            assert!((0..2).all(|k| {
                let rows = || sizes().map(|(size, _)| size[k]);
                rows().min() <= Some(mean[k]) && Some(mean[k]) <= rows().max()
            }));
            assert!(class.len() == 1 || sizes().all(|(_, count)| count < 10_000), "many graphs are a class alone");
        }
    }

    #[test]
    fn sizes_with_the_same_rows_of_one_set_are_one_class() {
        let counts = Counts::of([([2, 1], 3), ([2, 5], 3), ([3, 1], 3)].into_iter());
        let classes = Classes::of_one_set(&counts, 0);
        assert_eq!(classes.means.entries(), [([2, 0], 6), ([3, 0], 3)]);
        let mut packs = Packs::default();
        packs.push([(0, 1), (1, 1), (2, 1)], 3);
        assert_eq!(classes.packs(&packs).iter().next(), Some((&[(0, 2), (1, 1)][..], 3)));
    }
}
