//! Plans of generated sizes and of all histograms of `tests/data`, bit by bit, as they are written down in
//! `unchanged/`. They may change only on purpose, and are the same on every target.
//!
//! `GRAPHPACK_WRITE_UNCHANGED=1` overwrites the files.

use crate::common::histogram;
use crate::instances::{few_per_pack, four_sets, one_of_each};
use crate::of_sets::of_sets;
use graphpack_core::{
    Budget, Cost, FewShapes, Heuristic, Histogram, Limits, Packer, Plan, Recomposer, Size, baseline, bound, search,
};
use std::fmt::Write;
use std::fs;
use std::path::Path;

fn hash(numbers: impl IntoIterator<Item = u64>) -> String {
    let numbers = numbers.into_iter();
    let hash =
        numbers.fold(0xCBF2_9CE4_8422_2325, |hash: u64, number| (hash ^ number).wrapping_mul(0x0000_0100_0000_01B3));
    format!("{hash:016x}")
}

/// A number of the packs of a plan and its bound.
fn of_plan(plan: &Plan) -> String {
    let numbers = plan.iter().flat_map(|pack| {
        let mut numbers: Vec<u64> = Vec::new();
        for (size, times) in pack.contents() {
            numbers.extend(size.as_slice().iter().chain([&times]).map(|&number| u64::from(number)));
        }
        numbers.push(pack.repeat);
        numbers
    });
    hash(numbers.chain([plan.bound()]))
}

/// A number of the packs of all packers that decide by floating point.
fn fingerprint((histogram, limits): (Histogram, Limits)) -> String {
    let budget = Budget::seconds(0.2);
    let plans = [Packer::Demand, Packer::Columns(budget), Packer::Auto(budget)]
        .map(|packer| packer.pack(&histogram, &limits).map_or_else(|_| "none".to_owned(), |plan| of_plan(&plan)));
    plans.join(" ")
}

/// Every packer by every heuristic, on sizes of a number of sets; what is searched and composed again there; one line
/// each.
fn of_everything(sets: usize, found: &mut String) {
    let weights = |from: u32| Size::of(sets, |set| (from + 3 * set as u32) % 4);
    let heuristics = [
        Heuristic::Product,
        Heuristic::Sum,
        Heuristic::Maximum,
        Heuristic::Minimum,
        Heuristic::Set(sets / 2),
        Heuristic::WeightedSum(weights(3)),
        Heuristic::WeightedProduct(weights(1)),
        Heuristic::WeightedMaximum(weights(2)),
        Heuristic::WeightedMinimum(weights(3)),
    ];
    let budget = Budget::steps(20_000_000);
    let others =
        [Packer::Demand, Packer::Columns(budget), Packer::Auto(budget), Packer::Auto(Budget::steps(400_000_000))];
    let greedy = [Packer::BestFit, Packer::FirstFit, Packer::Published].map(|packer| heuristics.map(packer));
    // Many graphs of few sizes, a few of many, and packs of two or three.
    for (distinct, most, graphs, most_graphs) in [(25, 900, 14, 20), (120, 4, 9, 256), (90, 40, 2, 3), (9, 4, 3, 9)] {
        let (histogram, limits) = of_sets(sets, distinct, most, graphs);
        let limits = limits.graphs(most_graphs);
        write!(found, "{sets} sets, {distinct} sizes:").unwrap();
        for packer in greedy.as_flattened().iter().chain(&others) {
            let plan = packer.pack(&histogram, &limits);
            let plan = plan.map_or_else(|_| "none".to_owned(), |plan| of_plan(&plan));
            write!(found, " {plan}").unwrap();
        }
        let base = baseline::one_set(&histogram, &limits, sets - 1).unwrap();
        let alone = baseline::no_packing(&histogram, &limits).unwrap();
        write!(found, " {} {}", of_plan(&base), of_plan(&alone)).unwrap();
        let shares = base.efficiency();
        let shares = shares.sets.iter().chain([&shares.graphs]).map(|share| share.to_bits());
        let bounds = [bound::of_large_graphs(&histogram, &limits), base.gap().to_bits()];
        writeln!(found, " {}", hash(shares.chain(bounds))).unwrap();
        if distinct == 120 {
            let plan = Packer::BestFit(Heuristic::Product).pack(&histogram, &limits).unwrap();
            let recomposer = Recomposer::new(&plan).unwrap();
            let weighted =
                |pack: &Size| (0..).zip(pack.as_slice()).map(|(k, &rows)| (3 - 2 * k) * i64::from(rows)).sum::<i64>();
            let most = recomposer.packs().map(|pack| weighted(&pack)).max();
            let fits = |pack: &Size| Some(weighted(pack)) <= most;
            let mut numbers: Vec<u64> = Vec::new();
            let rows = recomposer.sizes().iter().flat_map(Size::as_slice);
            numbers.extend(rows.map(|&rows| u64::from(rows)));
            for packs in [
                recomposer.recompose(None, &mut |order| order.rotate_left(5)),
                recomposer.recompose(Some(&fits), &mut |order| order.reverse()),
            ] {
                for pack in packs.iter() {
                    numbers.extend(pack.iter().map(|&graph| u64::from(graph)).chain([u64::MAX]));
                }
            }
            writeln!(found, "{sets} sets, recomposed: {}", hash(numbers)).unwrap();
            let cost = Cost::rows(std::array::from_fn::<_, 8, _>(|k| 5 + k as u64)).graph(3).step(900);
            let around = search::around(&histogram, 11.0, 8);
            let within = search::within(&histogram, &cost, 20_000, 40, 8);
            let cheapest = search::cheapest(&histogram, &around, &cost).unwrap();
            let of = |limits: &Limits| -> Vec<u64> {
                limits.size.as_slice().iter().chain([&limits.graphs]).map(|&number| u64::from(number)).collect()
            };
            let limits: Vec<u64> =
                around.iter().chain(&within).chain(cheapest.iter().map(|best| &best.limits)).flat_map(of).collect();
            let shapes = FewShapes { cost, per_shape: 7, ..FewShapes::new(3, 12) };
            let few = shapes.search(&histogram).unwrap();
            let classes: Vec<u64> = few
                .iter()
                .flat_map(|class| of(&class.limits).into_iter().chain([class.packs, class.histogram.graphs()]))
                .collect();
            let bounds = [shapes.bound(&histogram) as u64, shapes.total(&few) as u64];
            writeln!(found, "{sets} sets, searched: {} {}", hash(limits), hash(classes.into_iter().chain(bounds)))
                .unwrap();
        }
    }
}

/// Compares with a file of the folder `unchanged`, or writes it.
fn compare(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packing/unchanged").join(name);
    if std::env::var_os("GRAPHPACK_WRITE_UNCHANGED").is_some() {
        fs::write(&path, found).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), found);
}

#[test]
fn plans_of_one_to_eight_sets() {
    let mut found = String::new();
    (1..=8).for_each(|sets| of_everything(sets, &mut found));
    compare("sets.txt", &found);
}

#[test]
fn plans_are_the_ones_written_down() {
    let found = [
        fingerprint(one_of_each()),
        fingerprint(few_per_pack(1, 8)),
        fingerprint(few_per_pack(1, 1000)),
        fingerprint(four_sets()),
    ];
    let expected = [
        "2fa2e731024b7c38 4ea4b8fc4bf86265 4ea4b8fc4bf86265",
        "5d9dff5b018d47c2 d818774c48d08e89 d818774c48d08e89",
        "ef6b6dfd6557265d 837a3c6fefa4ac48 837a3c6fefa4ac48",
        "1ef6dcfbe5b24ee8 none 01d31b2cd475c21e",
    ];
    assert_eq!(found, expected);
}

#[test]
fn pack_counts_of_all_histograms() {
    let entries = fs::read_dir(crate::common::histograms()).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    let mut found = String::new();
    for file in files {
        let histogram = histogram(&file);
        let limits = Limits::new(histogram.largest());
        let packers = [
            Packer::BestFit(Heuristic::Product),
            Packer::FirstFit(Heuristic::Sum),
            Packer::Demand,
            Packer::Auto(Budget::default()),
        ];
        let plans = packers.map(|packer| packer.pack(&histogram, &limits).unwrap());
        let packs = plans.each_ref().map(|plan| plan.packs().to_string());
        let hashes = plans.each_ref().map(of_plan);
        let auto = &plans[3];
        assert_eq!(auto.packs(), auto.bound(), "{file}: auto packs all of these best");
        writeln!(found, "{file} {} bound {} {}", packs.join(" "), auto.bound(), hashes.join(" ")).unwrap();
    }
    compare("packs.txt", &found);
}
