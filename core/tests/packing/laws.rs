//! Laws that every packer keeps, over random histograms of one, two, three and 16 sets.

use graphpack_core::{
    Budget, Heuristic, Histogram, HistogramError, Limits, PackError, Packer, Plan, Size, baseline, best_fit_by,
};
use proptest::prelude::*;

fn packers(sets: usize) -> Vec<Packer> {
    let weights = |weight: u32| Size::of(sets, |_| weight);
    let heuristics = [
        Heuristic::Product,
        Heuristic::Sum,
        Heuristic::Maximum,
        Heuristic::Minimum,
        Heuristic::Set(sets - 1),
        Heuristic::WeightedSum(weights(3)),
        Heuristic::WeightedProduct(weights(2)),
        Heuristic::WeightedMaximum(weights(3)),
        Heuristic::WeightedMinimum(weights(u32::MAX)),
    ];
    let of = |packer: fn(Heuristic) -> Packer| heuristics.map(packer);
    let budget = Budget::steps(3_000_000);
    let others = [Packer::Demand, Packer::Auto(budget), Packer::Columns(budget)];
    [&of(Packer::BestFit), &of(Packer::FirstFit), &of(Packer::Published), &others[..]].concat()
}

fn check_plan<const K: usize>(plan: &Plan, packer: &Packer, histogram: &Histogram, limits: &Limits) {
    assert_eq!(plan.histogram(), *histogram, "{packer:?}: each graph once");
    assert!(plan.packs() >= plan.bound(), "{packer:?}: {} packs, bound {}", plan.packs(), plan.bound());
    for pack in plan.iter() {
        let mut sums = [0; K];
        for (size, times) in pack.contents() {
            sums.iter_mut().zip(size.as_slice()).for_each(|(sum, rows)| *sum += u64::from(rows * times));
        }
        assert!(sums.iter().zip(limits.size.as_slice()).all(|(&sum, &limit)| sum <= u64::from(limit)), "{packer:?}");
        assert_eq!(Size::of(K, |set| sums[set] as u32), pack.size());
        assert!((1..=u64::from(limits.graphs)).contains(&pack.graphs()), "{packer:?}");
        assert!(pack.repeat > 0, "{packer:?}");
    }
}

fn check_laws<const K: usize>(counts: &[([u32; K], u64)], limits: &Limits) {
    let histogram = Histogram::from_counts(counts.iter().copied()).unwrap();
    let mut plans = Vec::new();
    for packer in packers(K) {
        let plan = match packer.pack(&histogram, limits) {
            Err(PackError::TooLarge { .. }) if matches!(packer, Packer::Columns(_)) => continue,
            plan => plan.unwrap(),
        };
        check_plan::<K>(&plan, &packer, &histogram, limits);
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan, "{packer:?}: survives serde");
        plans.push((packer, plan));
    }
    let by_name = |packer: Packer| &plans.iter().find(|(other, _)| *other == packer).unwrap().1;
    let auto = by_name(Packer::Auto(Budget::steps(3_000_000)));
    let fitted = by_name(Packer::BestFit(Heuristic::Product));
    assert!(auto.packs() <= fitted.packs(), "auto is never worse than best-fit by the product");
    assert!(
        histogram.graphs() == 0 || !matches!(auto.packer(), None | Some(Packer::Auto(_))),
        "auto says which packer was best"
    );
    let by = |heuristic: Heuristic| best_fit_by(&histogram, limits, &|size| heuristic.value(size)).unwrap();
    assert!(
        by(Heuristic::Sum).iter().eq(by_name(Packer::BestFit(Heuristic::Sum)).iter()),
        "a heuristic by name or as a function"
    );
    // Not monotone.
    let odd = best_fit_by(&histogram, limits, &|size| u64::from(size[0] % 7)).unwrap();
    assert_eq!((odd.histogram(), odd.packer()), (histogram.clone(), None));
    let alone = baseline::no_packing(&histogram, limits).unwrap();
    assert_eq!((alone.packs(), alone.histogram()), (histogram.graphs(), histogram.clone()));
    for set in 0..K {
        assert_eq!(baseline::one_set(&histogram, limits, set).unwrap().histogram(), histogram);
    }
}

fn instance<const K: usize>() -> impl Strategy<Value = (Vec<([u32; K], u64)>, Limits)> {
    let size = proptest::array::uniform::<_, K>(0..20_u32);
    let limits = (proptest::array::uniform::<_, K>(20..90_u32), 1..40_u32);
    (proptest::collection::vec((size, 0..200_u64), 0..60), limits)
        .prop_map(|(counts, (size, graphs))| (counts, Limits::new(size).graphs(graphs)))
}

proptest! {
    #[test]
    fn plans_keep_the_laws_in_one_set((counts, limits) in instance::<1>()) {
        check_laws(&counts, &limits);
    }

    #[test]
    fn plans_keep_the_laws_in_two_components((counts, limits) in instance::<2>()) {
        check_laws(&counts, &limits);
    }

    #[test]
    fn plans_keep_the_laws_in_three_components((counts, limits) in instance::<3>()) {
        check_laws(&counts, &limits);
    }

    #[test]
    fn plans_keep_the_laws_in_16_components((counts, limits) in instance::<16>()) {
        check_laws(&counts, &limits);
    }

    #[test]
    fn a_component_that_no_graph_has_changes_nothing((counts, limits) in instance::<2>(), more in 1..90_u32) {
        let wide: Vec<_> = counts.iter().map(|&([nodes, edges], count)| ([nodes, edges, 0], count)).collect();
        let wide_limits = Limits::new([limits.size[0], limits.size[1], more]).graphs(limits.graphs);
        check_laws(&wide, &wide_limits);
        let weights = Heuristic::WeightedSum(Size::new([2, 3]));
        let heuristics = [Heuristic::Sum, Heuristic::Set(1), weights, weights.resized(3)];
        let greedy = heuristics.iter().flat_map(|&by| [Packer::BestFit(by), Packer::FirstFit(by)]);
        let histogram = Histogram::from_counts(counts).unwrap();
        let wide = Histogram::from_counts(wide).unwrap();
        for packer in greedy.chain([Packer::Demand]) {
            let plan = packer.pack(&histogram, &limits).unwrap();
            let found = packer.pack(&wide, &wide_limits).unwrap();
            for (pack, same) in plan.iter().zip(found.iter()) {
                assert_eq!((pack.entries(), pack.repeat), (same.entries(), same.repeat), "{packer:?}");
            }
            assert_eq!((plan.packs(), plan.bound()), (found.packs(), found.bound()), "{packer:?}");
            let mean = [plan.efficiency().harmonic_mean(), found.efficiency().harmonic_mean()];
            assert!(plan.packs() == 0 || mean[0] == mean[1], "{packer:?}: {mean:?}");
        }
    }
}

#[test]
fn all_graphs_over_the_limits_are_counted() {
    let histogram = Histogram::from_counts([([412, 900], 2), ([3, 504], 3), ([3, 4], 1)]).unwrap();
    let limits = Limits::new([222, 502]);
    let error = Packer::BestFit(Heuristic::Sum).pack(&histogram, &limits).unwrap_err();
    assert_eq!(error, PackError::Oversize { count: 5, largest: Size::new([412, 900]), limits });
    let message =
        "5 graphs exceed the limits (222, 502) with at most 256 graphs; limits of (412, 900) hold every graph";
    assert_eq!(error.to_string(), message);
}

#[test]
fn a_limit_of_zero_is_refused() {
    let histogram = Histogram::from_counts([([0, 0], 1)]).unwrap();
    for limits in [Limits::new([0, 5]), Limits::new([5, 5]).graphs(0)] {
        assert!(matches!(Packer::FirstFit(Heuristic::Sum).pack(&histogram, &limits), Err(PackError::Limits(_))));
    }
}

#[test]
fn counts_beyond_64_bits_are_refused() {
    let size = [1, 2];
    let error = Histogram::from_counts([(size, u64::MAX), (size, 1)]).unwrap_err();
    assert_eq!(error, HistogramError::Overflow { size: Size::new(size), count: 1 });
}

#[test]
fn huge_counts_and_components_are_packed_exactly() {
    let limits = Limits::new([u32::MAX, u32::MAX]).graphs(1000);
    let counts = [([u32::MAX, 1], 1 << 62), ([0, 0], 1 << 62), ([1, u32::MAX], 7)];
    check_laws(&counts, &limits);
}

#[test]
fn thousands_of_sizes_are_packed_whatever_they_are() {
    let whole = Limits::new([4_001, 4_001]);
    let counts =
        |size: fn(u32) -> [u32; 2]| (0..1_500).map(|n| (size(n), u64::from(20_000 / (1 + n)))).collect::<Vec<_>>();
    let skewed = counts(|n| [1 + n * n % 4_001 / 3, 1 + n * 7_919 % 4_001 / 3]);
    let with_nearly_all = [&skewed[..], &[([4_001, 4_001], u64::MAX - (1 << 32))]].concat();
    for (counts, limits) in [
        (counts(|n| [n, n % 2]), Limits::new([2_000, 1]).graphs(2)),
        (counts(|n| [1_000 + n, 0]), Limits::new([4_001, 1])),
        (counts(|n| [600 + n, 700 + n % 3]), whole.graphs(3)),
        (skewed, whole),
        (with_nearly_all, whole),
    ] {
        let histogram = Histogram::from_counts(counts).unwrap();
        for steps in [50_000_000, 300_000_000] {
            let packer = Packer::Auto(Budget::steps(steps));
            check_plan::<2>(&packer.pack(&histogram, &limits).unwrap(), &packer, &histogram, &limits);
        }
    }
    // So many sizes of three sets are packed in slices.
    let many = (0..6_000_u32).map(|n| ([1 + n, 1 + n * n % 4_001, 1 + n * 7_919 % 4_001], u64::from(5_000 / (1 + n))));
    let histogram = Histogram::from_counts(many.map(|(size, count)| (size, 1 + count))).unwrap();
    let limits = Limits::new([9_000; 3]).graphs(20);
    let packer = Packer::Auto(Budget::steps(300_000_000));
    check_plan::<3>(&packer.pack(&histogram, &limits).unwrap(), &packer, &histogram, &limits);
}

#[test]
fn packs_of_millions_of_graphs_take_work_by_sizes() {
    let counts: Vec<_> = (1..40).map(|n| ([n, 3 * n], 50_000_000)).collect();
    check_laws(&counts, &Limits::new([u32::MAX, u32::MAX]).graphs(u32::MAX));
}

#[test]
fn damaged_plans_are_refused() {
    let histogram = Histogram::from_counts([([3, 4], 5)]).unwrap();
    let plan = Packer::BestFit(Heuristic::Sum).pack(&histogram, &Limits::new([9, 9])).unwrap();
    let text = serde_json::to_string(&plan).unwrap();
    let damaged = [
        (r#""entries":[[0,2]"#, r#""entries":[[0,9]"#, "exceeds its limits"),
        (r#""entries":[[0,2]"#, r#""entries":[[1,2]"#, "expected positions of 1 sizes, found 1"),
        (r#""packs":[[1,2]"#, r#""packs":[[7,2]"#, "ascending order"),
        (r#""packs":[[1,2]"#, r#""packs":[[1,0]"#, "never used"),
        (r#""sizes":[[3,4]]"#, r#""sizes":[[3]]"#, "expected sizes of 2 sets"),
        (r#""sizes":[[3,4]]"#, r#""sizes":[[3,4],[3,4]]"#, "ascending order"),
        (r#""sizes":[[3,4]]"#, r#""sizes":[[3,4],[3,5]]"#, "no pack has graphs of size (3, 5)"),
        (r#""bound":3"#, r#""bound":9"#, "fewer than its bound of 9"),
        (r#""graphs":256"#, r#""graphs":0"#, "limits must be at least 1"),
        (r#""version":1"#, r#""version":2"#, "expected version 1 of a plan, found 2"),
    ];
    for (from, to, message) in damaged {
        assert!(text.contains(from), "{text}");
        let error = serde_json::from_str::<Plan>(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

/// Names of packers are written to disk, in plans and in states.
#[test]
fn packers_are_written_by_these_names() {
    let weights = Size::new([1, 2]);
    let budget = Budget::steps(5);
    for (packer, expected) in [
        (Packer::BestFit(Heuristic::Product), r#"{"BestFit":"Product"}"#),
        (Packer::FirstFit(Heuristic::Sum), r#"{"FirstFit":"Sum"}"#),
        (Packer::Published(Heuristic::Maximum), r#"{"Published":"Maximum"}"#),
        (Packer::BestFit(Heuristic::Minimum), r#"{"BestFit":"Minimum"}"#),
        (Packer::BestFit(Heuristic::Set(1)), r#"{"BestFit":{"Set":1}}"#),
        (Packer::BestFit(Heuristic::WeightedSum(weights)), r#"{"BestFit":{"WeightedSum":[1,2]}}"#),
        (Packer::BestFit(Heuristic::WeightedProduct(weights)), r#"{"BestFit":{"WeightedProduct":[1,2]}}"#),
        (Packer::BestFit(Heuristic::WeightedMaximum(weights)), r#"{"BestFit":{"WeightedMaximum":[1,2]}}"#),
        (Packer::BestFit(Heuristic::WeightedMinimum(weights)), r#"{"BestFit":{"WeightedMinimum":[1,2]}}"#),
        (Packer::Demand, r#""Demand""#),
        (Packer::Columns(budget), r#"{"Columns":{"steps":5}}"#),
        (Packer::Auto(budget), r#"{"Auto":{"steps":5}}"#),
    ] {
        assert_eq!(serde_json::to_string(&packer).unwrap(), expected);
        assert_eq!(serde_json::from_str::<Packer>(expected).unwrap(), packer);
    }
}

#[test]
fn sizes_of_other_sets_are_refused() {
    let mixed = Histogram::from_sizes([Size::new([1, 2]), Size::new([1])]).unwrap_err();
    assert_eq!(mixed, HistogramError::Sets { expected: 2, found: Size::new([1]) });
    let histogram = Histogram::from_sizes([[1, 2]]).unwrap();
    let limits = Limits::new([9, 9, 9]);
    let error = Packer::Demand.pack(&histogram, &limits).unwrap_err();
    assert_eq!(error, PackError::Sets { sets: 2, limits });
    assert!(matches!(Packer::Demand.pack(&histogram, &Limits::new([])), Err(PackError::Limits(_))));
}

#[test]
fn sizes_are_written_without_the_sets_that_there_are_not() {
    let size = Size::new([3, 4]);
    assert_eq!(serde_json::to_string(&size).unwrap(), "[3,4]");
    assert_eq!(serde_json::from_str::<Size>("[3,4]").unwrap(), size);
    for wrong in ["[]", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]", "[-1]"] {
        assert!(serde_json::from_str::<Size>(wrong).is_err(), "{wrong}");
    }
    assert_eq!((size.resized(1), size.resized(3)), (Size::new([3]), Size::new([3, 4, 0])));
    assert_eq!((size.sets(), size[1], size[7], size.first::<3>()), (2, 4, 0, [3, 4, 0]));
    assert_eq!(size.times_in(&Size::new([7, 13])), 2);
}
