//! A few shapes hold each graph once, cost no more with more shapes, and are optimal where that can be told.

use crate::common::histogram;
use graphpack_core::search::{self, Candidate};
use graphpack_core::{Cost, FewShapes, Histogram, Packer, SizeClass};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn counts<const K: usize>() -> impl Strategy<Value = Vec<([u32; K], u64)>> {
    let size = proptest::array::uniform::<_, K>(0..90_u32);
    proptest::collection::vec((size, 0..50_u64), 0..30)
}

fn check<const K: usize>(counts: &[([u32; K], u64)], options: FewShapes) {
    let histogram = Histogram::from_counts(counts.iter().copied()).unwrap();
    let mut before = u128::MAX;
    let each = FewShapes { shapes: 4, ..options }.search_each(&histogram).unwrap();
    for (shapes, classes) in (1..).zip(each) {
        let options = FewShapes { shapes, ..options };
        if shapes == 3 {
            assert_eq!(options.search(&histogram).unwrap(), classes);
        }
        if histogram.graphs() == 0 {
            assert!(classes.is_empty());
            continue;
        }
        assert!((1..=shapes).contains(&classes.len()));
        let entries = classes.iter().flat_map(|class| class.histogram.entries().iter().copied());
        assert_eq!(Histogram::from_counts(entries).unwrap(), histogram);
        let largest = classes.last().unwrap().limits;
        let graphs = histogram.graphs().min(options.graphs.into());
        for SizeClass { limits, histogram, packs, .. } in &classes {
            assert!(histogram.largest().fits(&limits.size) && limits.size.fits(&largest.size), "{limits}, {largest}");
            assert_eq!(u64::from(limits.graphs), graphs);
            assert!(limits.size.as_slice().iter().all(|rows| rows.is_multiple_of(options.multiple_of)));
            assert_eq!(Candidate::evaluate(histogram, *limits).unwrap().packs, *packs);
        }
        let total = options.total(&classes);
        assert!(total <= before, "{shapes} shapes cost {total}, one fewer {before}");
        assert!(total >= options.bound(&histogram), "{shapes} shapes: {total}, bound {}", options.bound(&histogram));
        before = total;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn laws_hold_in_one_set(counts in counts::<1>(), graphs in 1..9_u32) {
        check(&counts, FewShapes::new(1, graphs));
    }

    #[test]
    fn laws_hold_in_two_components(counts in counts::<2>(), graphs in 1..9_u32, step in 0..200_u64) {
        let cost = Cost::rows([3, 1]).graph(2).step(step);
        check(&counts, FewShapes { cost, per_shape: 50, multiple_of: 1, ..FewShapes::new(1, graphs) });
    }

    #[test]
    fn laws_hold_in_eight_components(counts in counts::<8>(), graphs in 1..9_u32) {
        check(&counts, FewShapes::new(1, graphs));
    }

    /// Of one set, the bound is exact if each graph has its own pack.
    #[test]
    fn single_graphs_of_one_set_are_divided_best(counts in counts::<1>(), shapes in 1..6_usize) {
        let histogram = Histogram::from_counts(counts).unwrap();
        let options = FewShapes::new(shapes, 1);
        prop_assert_eq!(options.total(&options.search(&histogram).unwrap()), options.bound(&histogram));
    }

    /// Three shapes for single graphs, one of them for all, are at least as good as any two thresholds of nodes, or of
    /// edges.
    #[test]
    fn no_thresholds_of_a_component_are_better(counts in counts::<2>(), k in 0..2_usize) {
        let histogram = Histogram::from_counts(counts).unwrap();
        let options = FewShapes::new(3, 1);
        let found = options.total(&options.search(&histogram).unwrap());
        prop_assume!(histogram.graphs() > 0);
        let all = FewShapes::new(1, 1).search(&histogram).unwrap()[0].limits;
        let cost = |from: u32, to: u32| {
            let class = histogram.entries().iter().copied().filter(|(size, _)| (from..to).contains(&size[k]));
            let class = Histogram::from_counts(class).unwrap();
            let rows = if to == u32::MAX { all.size } else { class.largest() };
            rows.as_slice().iter().map(|rows| u64::from(rows.max(&1).next_multiple_of(8))).sum::<u64>() * class.graphs()
        };
        // Thresholds between two sizes divide the graphs as the larger size does.
        let thresholds: BTreeSet<u32> = histogram.entries().iter().map(|(size, _)| size[k]).collect();
        let from: Vec<_> = thresholds.iter().map(|&second| (second, cost(second, u32::MAX))).collect();
        for (at, &(first, _)) in from.iter().enumerate() {
            let below = cost(0, first);
            for &(second, above) in &from[at..] {
                let total = below + cost(first, second) + above;
                prop_assert!(found <= total.into(), "{} by {} and {}, found {}", total, first, second, found);
            }
        }
    }
}

#[test]
fn extreme_numbers_do_not_overflow() {
    let most = u32::MAX;
    let counts = [([most, most], u64::MAX / 2), ([0, most], u64::MAX / 2), ([0, 0], 1)];
    let histogram = Histogram::from_counts(counts).unwrap();
    let cost = Cost::rows([u64::MAX; 8]).graph(u64::MAX).step(u64::MAX);
    for graphs in [1, 7, most] {
        for per_shape in [0, u64::MAX] {
            let options = FewShapes { cost, per_shape, multiple_of: 1000, ..FewShapes::new(3, graphs) };
            let classes = options.search(&histogram).unwrap();
            assert!(options.total(&classes) >= options.bound(&histogram));
        }
    }
    assert!(FewShapes::new(2, 0).search(&histogram).is_err());
    assert_eq!(FewShapes::new(0, 1).search(&histogram).unwrap().len(), 1);
    assert!(FewShapes::new(usize::MAX, 2).search(&Histogram::default()).unwrap().is_empty());
    assert_eq!(FewShapes::new(usize::MAX, 2).search_each(&histogram).unwrap().len(), 3, "one for each size");
    assert!(search::within(&histogram, &cost, u64::MAX, u32::MAX, 8).is_empty());
    let limits = search::within(&histogram, &Cost::rows([0, 1]), u64::MAX, u32::MAX, 1);
    assert!(search::cheapest(&histogram, &limits, &cost).unwrap().is_some());
}

/// What the tables of docs/measurements/packing.md say.
#[test]
fn shapes_save_rows() {
    let (molhiv, ppa) = ("molhiv_train.hist.csv", "ppa_train.synthetic.hist.csv.gz");
    for (file, graphs, most) in [(molhiv, 1, 0.2), (molhiv, 4, 0.55), (ppa, 1, 0.4)] {
        let histogram = histogram(file);
        let each = FewShapes::new(4, graphs).search_each(&histogram).unwrap();
        let total = |shapes: usize| FewShapes::new(shapes, graphs).total(&each[shapes - 1]) as f64;
        assert!(total(4) <= most * total(1), "{file}, {graphs} graphs: {} of {}", total(4), total(1));
    }
}

/// The cheapest candidate of all, though most are never packed, and within the budget.
#[test]
fn the_cheapest_limits_are_found() {
    let histogram = histogram("molhiv_train.hist.csv");
    let (memory, budget) = (Cost::rows([400, 100]).graph(64), 300_000);
    for step in [0, 10_000] {
        let cost = Cost::rows([1, 3]).step(step);
        let limits = search::within(&histogram, &memory, budget, u32::MAX, 8);
        assert!(limits.len() > 50 && limits.iter().all(|limits| memory.of(limits) <= budget.into()));
        let best = search::cheapest(&histogram, &limits, &cost).unwrap().unwrap();
        for limits in limits.iter().step_by(17) {
            let packs = Packer::Demand.pack(&histogram, limits).unwrap().packs();
            assert!(cost.of_epoch(best.packs, &best.limits) <= cost.of_epoch(packs, limits));
        }
    }
}
