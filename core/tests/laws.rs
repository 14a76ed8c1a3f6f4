//! Laws that every packer keeps, over random histograms of one, two, three and eight components.

use graphpack_core::{
    Effort, Heuristic, Histogram, HistogramError, Limits, PackError, Packer, Plan, Size, baseline, packer::best_fit_by,
};
use proptest::prelude::*;

fn packers<const K: usize>() -> Vec<Packer<K>> {
    let heuristics = [
        Heuristic::Product,
        Heuristic::Sum,
        Heuristic::Maximum,
        Heuristic::Minimum,
        Heuristic::Component(K - 1),
        Heuristic::Weighted(Size([3; K])),
        Heuristic::WeightedProduct(Size([2; K])),
        Heuristic::WeightedMaximum(Size([3; K])),
        Heuristic::WeightedMinimum(Size([u32::MAX; K])),
    ];
    let of = |packer: fn(Heuristic<K>) -> Packer<K>| heuristics.map(packer);
    let effort = Effort::steps(3_000_000);
    let others = [Packer::Demand, Packer::Auto(effort), Packer::Window { open: 3, seed: 7 }, Packer::Columns(effort)];
    [&of(Packer::BestFit), &of(Packer::FirstFit), &of(Packer::Published), &others[..]].concat()
}

fn check_laws<const K: usize>(counts: &[(Size<K>, u64)], limits: &Limits<K>) {
    let histogram = Histogram::from_counts(counts.iter().copied()).unwrap();
    for packer in packers() {
        let plan = match packer.pack(&histogram, limits) {
            Err(PackError::TooLarge { .. }) if matches!(packer, Packer::Columns(_)) => continue,
            Err(PackError::TooManyGraphs { .. }) if matches!(packer, Packer::Window { .. }) => continue,
            plan => plan.unwrap(),
        };
        assert_eq!(plan.histogram(), histogram, "{packer:?}: each graph once");
        assert!(plan.packs() >= plan.bound(), "{packer:?}: {} packs, bound {}", plan.packs(), plan.bound());
        for pack in plan.iter() {
            assert!(pack.size().iter().zip(&limits.size.0).all(|(&sum, &limit)| sum <= u64::from(limit)), "{packer:?}");
            assert!((1..=u64::from(limits.graphs)).contains(&pack.graphs()), "{packer:?}");
            assert!(pack.repeat > 0, "{packer:?}");
        }
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan<K>>(&text).unwrap(), plan, "{packer:?}: survives serde");
    }
    let auto = Packer::Auto(Effort::steps(3_000_000)).pack(&histogram, limits).unwrap();
    for packer in packers().into_iter().filter(|packer| {
        matches!(
            packer,
            Packer::BestFit(
                Heuristic::Product | Heuristic::Sum | Heuristic::Maximum | Heuristic::Minimum | Heuristic::Component(_)
            )
        )
    }) {
        assert!(
            auto.packs() <= packer.pack(&histogram, limits).unwrap().packs(),
            "auto is never worse than {packer:?}"
        );
    }
    assert!(
        histogram.graphs() == 0 || !matches!(auto.packer(), None | Some(Packer::Auto(_))),
        "auto says which packer was best"
    );
    let by = |heuristic: Heuristic<K>| best_fit_by(&histogram, limits, |size| heuristic.value(size)).unwrap();
    let named = Packer::BestFit(Heuristic::Sum).pack(&histogram, limits).unwrap();
    assert!(by(Heuristic::Sum).iter().eq(named.iter()), "a heuristic by name or as a function");
    // Not monotone.
    let odd = best_fit_by(&histogram, limits, |size| u64::from(size.0[0] % 7)).unwrap();
    assert_eq!((odd.histogram(), odd.packer()), (histogram.clone(), None));
    let alone = baseline::no_packing(&histogram, limits).unwrap();
    assert_eq!((alone.packs(), alone.histogram()), (histogram.graphs(), histogram.clone()));
    for component in 0..K {
        assert_eq!(baseline::one_component(&histogram, limits, component).unwrap().histogram(), histogram);
    }
}

fn instance<const K: usize>() -> impl Strategy<Value = (Vec<(Size<K>, u64)>, Limits<K>)> {
    let size = proptest::array::uniform::<_, K>(0..20_u32).prop_map(Size);
    let limits = (proptest::array::uniform::<_, K>(20..90_u32), 1..40_u32);
    (proptest::collection::vec((size, 0..200_u64), 0..60), limits)
        .prop_map(|(counts, (size, graphs))| (counts, Limits::new(size).graphs(graphs)))
}

proptest! {
    #[test]
    fn plans_keep_the_laws_in_one_component((counts, limits) in instance::<1>()) {
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
    fn plans_keep_the_laws_in_eight_components((counts, limits) in instance::<8>()) {
        check_laws(&counts, &limits);
    }

    #[test]
    fn a_component_that_no_graph_has_changes_nothing((counts, limits) in instance::<2>(), more in 1..90_u32) {
        let wide: Vec<_> = counts.iter().map(|(size, count)| (size.with_components::<3>(), *count)).collect();
        let [nodes, edges] = limits.size.0;
        let wide_limits = Limits::new([nodes, edges, more]).graphs(limits.graphs);
        check_laws(&wide, &wide_limits);
        let heuristics = [Heuristic::Sum, Heuristic::Component(1), Heuristic::Weighted(Size([2, 3]))];
        let greedy = heuristics.iter().flat_map(|&by| [Packer::BestFit(by), Packer::FirstFit(by)]);
        for packer in greedy.chain([Packer::Demand, Packer::Window { open: 3, seed: 7 }]) {
            let plan = packer.pack(&Histogram::from_counts(counts.iter().copied()).unwrap(), &limits).unwrap();
            let histogram = Histogram::from_counts(wide.iter().copied()).unwrap();
            let found = packer.with_components::<3>().pack(&histogram, &wide_limits).unwrap();
            for (pack, same) in plan.iter().zip(found.iter()) {
                let contents = same.contents.iter().map(|(size, times)| (size.with_components(), *times));
                assert_eq!((pack.contents, pack.repeat), (&contents.collect::<Vec<_>>()[..], same.repeat), "{packer:?}");
            }
            assert_eq!((plan.packs(), plan.bound()), (found.packs(), found.bound()), "{packer:?}");
            let mean = [plan.efficiency().harmonic_mean(), found.efficiency().harmonic_mean()];
            assert!(plan.packs() == 0 || mean[0] == mean[1], "{packer:?}: {mean:?}");
        }
    }
}

#[test]
fn all_graphs_over_the_limits_are_counted() {
    let histogram = Histogram::from_counts([(Size([412, 900]), 2), (Size([3, 504]), 3), (Size([3, 4]), 1)]).unwrap();
    let limits = Limits::new([222, 502]);
    let error = Packer::BestFit(Heuristic::Sum).pack(&histogram, &limits).unwrap_err();
    assert_eq!(error, PackError::Oversize { count: 5, largest: Size([412, 900]), limits });
    let message =
        "5 graphs exceed the limits (222, 502) with at most 256 graphs; limits of (412, 900) hold every graph";
    assert_eq!(error.to_string(), message);
}

#[test]
fn a_limit_of_zero_is_refused() {
    let histogram = Histogram::from_counts([(Size([0, 0]), 1)]).unwrap();
    for limits in [Limits::new([0, 5]), Limits::new([5, 5]).graphs(0)] {
        assert!(matches!(Packer::FirstFit(Heuristic::Sum).pack(&histogram, &limits), Err(PackError::Limits(_))));
    }
}

#[test]
fn counts_beyond_64_bits_are_refused() {
    let size = Size([1, 2]);
    let error = Histogram::from_counts([(size, u64::MAX), (size, 1)]).unwrap_err();
    assert_eq!(error, HistogramError::Overflow { size, count: 1 });
}

#[test]
fn huge_counts_and_components_are_packed_exactly() {
    let limits = Limits::new([u32::MAX, u32::MAX]).graphs(1000);
    let counts = [(Size([u32::MAX, 1]), 1 << 62), (Size([0, 0]), 1 << 62), (Size([1, u32::MAX]), 7)];
    check_laws(&counts, &limits);
}

#[test]
fn packs_of_millions_of_graphs_take_work_by_sizes() {
    let counts: Vec<_> = (1..40).map(|n| (Size([n, 3 * n]), 50_000_000)).collect();
    check_laws(&counts, &Limits::new([u32::MAX, u32::MAX]).graphs(u32::MAX));
}

#[test]
fn damaged_plans_are_refused() {
    let histogram = Histogram::from_counts([(Size([3, 4]), 5)]).unwrap();
    let plan = Packer::BestFit(Heuristic::Sum).pack(&histogram, &Limits::new([9, 9])).unwrap();
    let text = serde_json::to_string(&plan).unwrap();
    let damaged = [
        (r#""contents":[[[3,4],2]"#, r#""contents":[[[3,4],9]"#, "exceeds its limits"),
        (r#""packs":[[1,2]"#, r#""packs":[[7,2]"#, "ascending order"),
        (r#""packs":[[1,2]"#, r#""packs":[[1,0]"#, "never used"),
        (r#"[3,4]"#, r#"[3]"#, "tuple of 2 numbers"),
        (r#""bound":0"#, r#""bound":9"#, "fewer than its bound of 9"),
        (r#""graphs":256"#, r#""graphs":0"#, "limits must be at least 1"),
    ];
    for (from, to, message) in damaged {
        assert!(text.contains(from), "{text}");
        let error = serde_json::from_str::<Plan<2>>(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
