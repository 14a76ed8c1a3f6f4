//! [`FixedPlan::best_fit`] makes the packs of `Packer::BestFit`, and says what it has no room for.

use crate::common::histogram;
use graphpack_core::{
    FixedHistogram, FixedLimits, FixedPackError, FixedPlan, Heuristic, Histogram, Limits, Pack, Packer, Size,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

type Packs<const K: usize> = BTreeMap<Vec<([u32; K], u64)>, u64>;

/// Packs by what they hold, whatever their order in the plan and that of the sizes in them.
fn packs<const K: usize>(packs: impl Iterator<Item = (Vec<([u32; K], u32)>, u64)>) -> Packs<K> {
    let mut found = BTreeMap::new();
    for (contents, repeat) in packs {
        let mut sizes = BTreeMap::<_, u64>::new();
        contents.iter().for_each(|&(size, times)| *sizes.entry(size).or_default() += u64::from(times));
        *found.entry(sizes.into_iter().collect()).or_default() += repeat;
    }
    found
}

/// Packs with and without an allocator, and compares.
fn compare<const K: usize, const N: usize, const ENTRIES: usize, const PACKS: usize>(
    histogram: &Histogram,
    limits: &Limits,
    by: Heuristic,
) {
    let mut counts = Box::new(FixedHistogram::<K, N>::new());
    // The order in which sizes are first seen does not matter.
    histogram.entries().iter().rev().for_each(|&(size, count)| counts.add(size.first(), count).unwrap());
    let mut plan = Box::new(FixedPlan::<K, ENTRIES, PACKS>::new());
    plan.best_fit(&counts, &limits.into(), |&size| by.value(&Size::new(size))).unwrap();
    let expected = Packer::BestFit(by).pack(histogram, limits).unwrap();
    assert_eq!((&Limits::from(*plan.limits()), plan.packs()), (limits, expected.packs()));
    let found = plan.iter().map(|pack| (pack.contents.to_vec(), pack.repeat));
    let contents = |pack: Pack<'_>| pack.contents().map(|(size, times)| (size.first(), times)).collect();
    assert_eq!(packs(found), packs(expected.iter().map(|pack| (contents(pack), pack.repeat))));
}

proptest! {
    #[test]
    fn packs_are_those_of_best_fit(
        counts in proptest::collection::vec((proptest::array::uniform2(0..20_u32), 0..200_u64), 0..40),
        (limits, graphs) in (proptest::array::uniform2(20..90_u32), 1..40_u32),
        by in proptest::sample::select(vec![Heuristic::Product, Heuristic::Minimum, Heuristic::WeightedSum(Size::new([3, 2]))]),
    ) {
        let histogram = Histogram::from_counts(counts).unwrap();
        compare::<2, 64, 4096, 1024>(&histogram, &Limits::new(limits).graphs(graphs), by);
    }
}

#[test]
fn packs_of_real_histograms_are_those_of_best_fit() {
    for file in ["molhiv_train.hist.csv", "qm9_bonds.hist.csv", "tu_enzymes.hist.csv", "molpcba_train.hist.csv"] {
        let histogram = histogram(file);
        let limits = Limits::new(histogram.largest());
        compare::<2, 1024, 8192, 2048>(&histogram, &limits, Heuristic::Product);
    }
}

#[test]
fn huge_counts_and_components_are_packed_exactly() {
    let limits = Limits::new([u32::MAX, u32::MAX]).graphs(1000);
    let counts = [([u32::MAX, 1], 1 << 62), ([0, 0], 1 << 62), ([1, u32::MAX], 7)];
    compare::<2, 4, 8, 8>(&Histogram::from_counts(counts).unwrap(), &limits, Heuristic::Product);
}

#[test]
fn what_cannot_be_packed_is_named_and_leaves_no_packs() {
    let mut histogram = FixedHistogram::<1, 4>::new();
    (5..8).for_each(|nodes| histogram.add([nodes], 10).unwrap());
    let mut plan = FixedPlan::<1, 2, 2>::new();
    let mut error = |histogram: &FixedHistogram<1, 4>, limits| {
        let error = plan.best_fit(histogram, &limits, |size| u64::from(size[0])).unwrap_err();
        assert_eq!(plan.packs(), 0);
        error
    };
    let full = FixedPackError::Full { size: [5], most_entries: 2, most_packs: 2 };
    assert_eq!(error(&histogram, FixedLimits::new([8])), full);
    let message = "no room for graphs of size (5): the plan holds 2 packs with 2 sizes in all";
    assert_eq!(full.to_string(), message);
    let message = "10 graphs exceed the limits (6) with at most 256 graphs; limits of (7) hold every graph";
    assert_eq!(error(&histogram, FixedLimits::new([6])).to_string(), message);
    assert!(matches!(error(&histogram, FixedLimits::new([9]).graphs(0)), FixedPackError::Limits { .. }));
    histogram.add([1], u64::MAX).unwrap();
    assert!(matches!(error(&histogram, FixedLimits::new([9])), FixedPackError::Overflow { .. }));
}
