//! Bounds and plans against the optimum of tiny instances, which is found by trying everything.

use crate::draw::Draw;
use graphpack_core::{Budget, Histogram, Limits, PackError, Packer, bound};
use proptest::array::uniform;
use proptest::prelude::*;

/// The fewest packs, over all ways to divide the graphs among packs.
fn optimum<const K: usize>(graphs: &[[u32; K]], limits: &Limits) -> u64 {
    let sets = 1_usize << graphs.len();
    let fits = |set: usize| {
        let members = || (0..graphs.len()).filter(|i| set >> i & 1 == 1);
        let within = |k: usize| members().map(|i| graphs[i][k]).sum::<u32>() <= limits.size[k];
        (0..K).all(within) && members().count() <= limits.graphs as usize
    };
    let fitting: Vec<bool> = (0..sets).map(fits).collect();
    let mut fewest = vec![u64::MAX; sets];
    fewest[0] = 0;
    for set in 1..sets {
        // All non-empty subsets that hold the first graph of the set, as one pack.
        let first = set & set.wrapping_neg();
        let mut pack = set;
        while pack > 0 {
            if pack & first != 0 && fitting[pack] {
                fewest[set] = fewest[set].min(fewest[set & !pack] + 1);
            }
            pack = (pack - 1) & set;
        }
    }
    fewest[sets - 1]
}

fn check<const K: usize>(sizes: Vec<[u32; K]>, limits: Limits) {
    let optimum = optimum(&sizes, &limits);
    let histogram = Histogram::from_sizes(sizes).unwrap();
    let budget = Budget::steps(50_000_000);
    for packer in [Packer::Demand, Packer::Columns(budget), Packer::Auto(budget)] {
        let plan = packer.pack(&histogram, &limits).unwrap();
        assert!(plan.bound() <= optimum, "{packer:?}: bound {} above the optimum {optimum}", plan.bound());
        assert!(plan.packs() >= optimum, "{packer:?}: {} packs below the optimum {optimum}", plan.packs());
    }
    // The whole program is solved here, and rounding it costs at most one pack.
    let plan = Packer::Auto(budget).pack(&histogram, &limits).unwrap();
    assert!(plan.packs() <= optimum + 1);
}

/// A few graphs, and limits that hold each of them.
fn instance<const K: usize>() -> impl Strategy<Value = (Vec<[u32; K]>, Limits)> {
    let size = uniform::<_, K>(0..10_u32);
    let limits = (uniform::<_, K>(9..18_u32), 1..5_u32);
    (proptest::collection::vec(size, 1..9), limits.prop_map(|(size, graphs)| Limits::new(size).graphs(graphs)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn lies_between_bound_and_packs(one in instance::<1>(), two in instance::<2>(), three in instance::<3>()) {
        check(one.0, one.1);
        check(two.0, two.1);
        check(three.0, three.1);
    }
}

/// Up to nine graphs of up to `kinds` sizes, of which one to five fit into a pack.
fn drawn<const K: usize>(draw: &mut Draw) -> (Vec<[u32; K]>, Limits) {
    let limit = draw.one(5..=40);
    let smallest = draw.one(0..=limit / 3);
    let largest = draw.one(smallest.max(limit / 3)..=limit);
    let kinds: Vec<[u32; K]> =
        (0..draw.one(1..=9)).map(|_| std::array::from_fn(|_| draw.one(smallest..=largest))).collect();
    let graphs = draw.one(2..=9);
    let graphs = (0..graphs).map(|_| kinds[draw.one(0..=kinds.len() as u32 - 1) as usize]).collect();
    let most = if draw.one(0..=1) == 0 { u32::MAX } else { draw.one(1..=4) };
    (graphs, Limits::new([limit; K]).graphs(most))
}

fn check_auto_is_optimal<const K: usize>() {
    let mut draw = Draw::new(K as u64);
    for case in 0..2000 {
        let (graphs, limits) = drawn::<K>(&mut draw);
        let optimum = optimum(&graphs, &limits);
        let plan = Packer::Auto(Budget::default()).pack(&Histogram::from_sizes(graphs).unwrap(), &limits).unwrap();
        assert_eq!((plan.packs(), plan.bound()), (optimum, optimum), "case {case} of {K} sets");
    }
}

#[test]
fn auto_is_optimal_and_proves_it() {
    check_auto_is_optimal::<1>();
    check_auto_is_optimal::<2>();
    check_auto_is_optimal::<3>();
}

/// Graphs of hard classes in 1 to 8 sets, few enough for the optimum; whenever the budget ends, the bound is proven,
/// and more budget is never worse.
fn check_whenever_it_ends<const K: usize>() {
    let mut draw = Draw::new(100 + K as u64);
    for case in 0..60 {
        let rows = [1..=1000, 250..=500, 200..=500, 100..=400][case % 4].clone();
        let kinds: Vec<[u32; K]> = (0..10)
            .map(|_| {
                let first = draw.one(rows.clone());
                // Every second case has sets that are large where another is small.
                std::array::from_fn(|k| {
                    if case % 8 < 4 || k % 2 == 0 { draw.one(rows.clone()) } else { rows.start() + rows.end() - first }
                })
            })
            .collect();
        let graphs: Vec<[u32; K]> = (0..10).map(|_| kinds[draw.one(0..=9) as usize]).collect();
        let limits = Limits::new([1000; K]).graphs(if case % 3 == 0 { 3 } else { u32::MAX });
        let optimum = optimum(&graphs, &limits);
        let histogram = Histogram::from_sizes(graphs).unwrap();
        let (mut packs, mut proven) = (u64::MAX, 0);
        for steps in [0, 10_000, 30_000, 100_000, 300_000, 1_000_000, 100_000_000] {
            let budget = Budget::steps(steps);
            let plan = Packer::Auto(budget).pack(&histogram, &limits).unwrap();
            assert!(plan.bound() <= optimum && optimum <= plan.packs(), "case {case} of {K} sets, {budget:?}");
            assert!(plan.packs() <= packs && plan.bound() >= proven, "case {case} of {K} sets, {budget:?}");
            (packs, proven) = (plan.packs(), plan.bound());
            match Packer::Columns(budget).pack(&histogram, &limits) {
                Ok(plan) => assert!(plan.bound() <= optimum && optimum <= plan.packs(), "case {case} of {K} sets"),
                Err(error) => assert!(steps < 1_000_000, "case {case} of {K} sets: {error}"),
            }
        }
        assert_eq!((packs, proven), (optimum, optimum), "case {case} of {K} sets");
    }
}

#[test]
fn whenever_the_budget_ends_the_bound_is_proven() {
    check_whenever_it_ends::<1>();
    check_whenever_it_ends::<2>();
    check_whenever_it_ends::<3>();
    check_whenever_it_ends::<4>();
    check_whenever_it_ends::<6>();
    check_whenever_it_ends::<8>();
}

/// As [`bound::simple`] and unlike packers, which refuse them.
#[test]
fn sets_that_limits_lack_do_not_count() {
    let histogram = Histogram::from_counts([([12, 40], 1)]).unwrap();
    assert_eq!(bound::of_large_graphs(&histogram, &Limits::new([30])), 1);
    assert_eq!(bound::of_large_graphs(&histogram, &Limits::new([30, 40, 50])), 1);
}

fn check_bound_of_large_graphs<const K: usize>() {
    let mut draw = Draw::new(10 + K as u64);
    let (mut better, mut tight) = (0, 0);
    for case in 0..5000 {
        let (graphs, limits) = drawn::<K>(&mut draw);
        let optimum = optimum(&graphs, &limits);
        let histogram = Histogram::from_sizes(graphs).unwrap();
        let simple = bound::simple(&histogram, &limits);
        let found = bound::of_large_graphs(&histogram, &limits);
        assert!((simple..=optimum).contains(&found), "case {case}: {found} is not from {simple} to {optimum}");
        better += u32::from(found > simple);
        tight += u32::from(found == optimum);
    }
    assert!(better > 500 && tight > 3000, "{K} sets: {better} better than sums, {tight} tight");
}

#[test]
fn large_graphs_are_never_counted_too_high() {
    check_bound_of_large_graphs::<1>();
    check_bound_of_large_graphs::<2>();
    check_bound_of_large_graphs::<3>();
}

#[test]
fn the_configuration_bound_sees_what_sums_do_not() {
    // In a pack of 10 nodes a graph of 6 is alone, and two graphs of 5 share one: 8 packs. The sum of nodes says 6.
    let histogram = Histogram::from_counts([([6, 1], 6), ([5, 1], 4)]).unwrap();
    let limits = Limits::new([10, 100]);
    let plan = Packer::Columns(Budget::default()).pack(&histogram, &limits).unwrap();
    assert_eq!((plan.packs(), plan.bound(), plan.gap()), (8, 8, 0.0));
    assert_eq!(Packer::Demand.pack(&histogram, &limits).unwrap().bound(), 6);
}

#[test]
fn an_unlimited_budget_ends() {
    let sizes = (0..60_u32).map(|i| ([1 + i * 7 % 29, 1 + i * 11 % 43], u64::from(1 + i % 5)));
    let histogram = Histogram::from_counts(sizes).unwrap();
    for packer in [Packer::Columns(Budget::steps(u64::MAX)), Packer::Auto(Budget::steps(u64::MAX))] {
        let plan = packer.pack(&histogram, &Limits::new([40, 60])).unwrap();
        assert!(plan.packs() <= plan.bound() + 2, "{} packs, bound {}", plan.packs(), plan.bound());
    }
}

#[test]
fn a_program_that_is_too_large_says_so() {
    let sizes = (0..3000).map(|i| ([1 + i % 997, 1 + (i * 31) % 9973], 1));
    let histogram = Histogram::from_counts(sizes).unwrap();
    let error = Packer::Columns(Budget::steps(10)).pack(&histogram, &Limits::new([1000, 10_000])).unwrap_err();
    assert!(matches!(error, PackError::TooLarge { sizes: 3000, .. }), "{error}");
}
