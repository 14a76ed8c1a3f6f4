//! Every packer on the histograms of `tests/data`: `cargo bench -p graphpack-core`. Single-threaded; prints packs
//! and bound beside the times.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/draw.rs"]
mod draw;
#[path = "../tests/common/of_sets.rs"]
mod of_sets;

use common::histogram;
use divan::Bencher;
use graphpack_core::stream::{Waiting, Window};
use graphpack_core::{Budget, FixedLimits, Heuristic, Histogram, Limits, Packer, Plan, Recomposer, Size};
use of_sets::of_sets;
use std::hint::black_box;

const HISTOGRAMS: [&str; 5] = [
    "molhiv_train.hist.csv",
    "molpcba_train.hist.csv",
    "pcqm4mv2_train.reconstructed.hist.csv.gz",
    "code2_train.synthetic.hist.csv.gz",
    "ppa_train.synthetic.hist.csv.gz",
];

fn main() {
    divan::main();
}

/// Limits are the largest value of each component and 256 graphs per pack.
fn bench(bencher: Bencher<'_, '_>, file: &str, packer: Packer) {
    let histogram = histogram(file);
    let limits = Limits::new(histogram.largest());
    bench_one(bencher, (histogram, limits), packer);
}

fn bench_one(bencher: Bencher<'_, '_>, (histogram, limits): (Histogram, Limits), packer: Packer) {
    match packer.pack(&histogram, &limits) {
        Ok(plan) => println!("{} packs, bound {}", plan.packs(), plan.bound()),
        Err(error) => return println!("{error}"),
    }
    bencher.bench(|| packer.pack(&histogram, &limits));
}

#[divan::bench(args = HISTOGRAMS, max_time = 2)]
fn best_fit(bencher: Bencher<'_, '_>, file: &str) {
    bench(bencher, file, Packer::BestFit(Heuristic::Product));
}

#[divan::bench(args = HISTOGRAMS, max_time = 2)]
fn first_fit(bencher: Bencher<'_, '_>, file: &str) {
    bench(bencher, file, Packer::FirstFit(Heuristic::Product));
}

#[divan::bench(args = HISTOGRAMS, max_time = 2)]
fn published(bencher: Bencher<'_, '_>, file: &str) {
    bench(bencher, file, Packer::Published(Heuristic::Set(0)));
}

#[divan::bench(args = HISTOGRAMS, max_time = 2)]
fn demand(bencher: Bencher<'_, '_>, file: &str) {
    bench(bencher, file, Packer::Demand);
}

#[divan::bench(args = HISTOGRAMS, max_time = 4)]
fn columns(bencher: Bencher<'_, '_>, file: &str) {
    bench(bencher, file, Packer::Columns(Budget::default()));
}

#[divan::bench(args = HISTOGRAMS, max_time = 4)]
fn auto(bencher: Bencher<'_, '_>, file: &str) {
    bench(bencher, file, Packer::Auto(Budget::default()));
}

/// Histogram, limits and graphs per pack, where limits are not those of the largest graph.
const LIMITS: [(&str, [u32; 2], u32); 5] = [
    ("pcqm4mv2_train.reconstructed.hist.csv.gz", [51, 118], 256),
    ("pcqm4mv2_train.reconstructed.hist.csv.gz", [30, 62], 256),
    ("ppa_train.synthetic.hist.csv.gz", [3_000, 54_000], 256),
    ("molhiv_train.hist.csv", [1_024, 2_304], 64),
    ("molhiv_train.hist.csv", [222, 502], u32::MAX),
];

#[divan::bench(args = 0..LIMITS.len(), max_time = 4)]
fn auto_with_other_limits(bencher: Bencher<'_, '_>, row: usize) {
    let (file, limits, graphs) = LIMITS[row];
    print!("{file}, {limits:?}: ");
    bench_one(bencher, (histogram(file), Limits::new(limits).graphs(graphs)), Packer::Auto(Budget::default()));
}

#[divan::bench(args = [0.03, 0.1, 0.3, 1.0], sample_count = 1)]
fn auto_on_code2_by_budget(bencher: Bencher<'_, '_>, seconds: f64) {
    bench(bencher, "code2_train.synthetic.hist.csv.gz", Packer::Auto(Budget::seconds(seconds)));
}

/// Numbers of sets that every packer is measured at, on about 2,000 sizes with up to 50 graphs of each.
const SETS: [usize; 5] = [1, 2, 3, 4, 8];

fn with_sets(sets: usize) -> (Histogram, Limits) {
    let (histogram, limits) = of_sets(sets, 2_000, 50, 12);
    (histogram, limits.graphs(64))
}

fn plan(sets: usize) -> Plan {
    let (histogram, limits) = with_sets(sets);
    Packer::BestFit(Heuristic::Product).pack(&histogram, &limits).unwrap()
}

#[divan::bench(args = SETS, max_time = 1)]
fn sets_best_fit(bencher: Bencher<'_, '_>, sets: usize) {
    bench_one(bencher, with_sets(sets), Packer::BestFit(Heuristic::Product));
}

#[divan::bench(args = SETS, max_time = 1)]
fn sets_best_fit_weighted(bencher: Bencher<'_, '_>, sets: usize) {
    bench_one(bencher, with_sets(sets), Packer::BestFit(Heuristic::WeightedSum(Size::of(sets, |_| 2))));
}

#[divan::bench(args = SETS, max_time = 1)]
fn sets_first_fit(bencher: Bencher<'_, '_>, sets: usize) {
    bench_one(bencher, with_sets(sets), Packer::FirstFit(Heuristic::Product));
}

#[divan::bench(args = SETS, max_time = 1)]
fn sets_published(bencher: Bencher<'_, '_>, sets: usize) {
    bench_one(bencher, with_sets(sets), Packer::Published(Heuristic::Set(0)));
}

#[divan::bench(args = SETS, max_time = 1)]
fn sets_demand(bencher: Bencher<'_, '_>, sets: usize) {
    bench_one(bencher, with_sets(sets), Packer::Demand);
}

#[divan::bench(args = SETS, max_time = 2)]
fn sets_columns(bencher: Bencher<'_, '_>, sets: usize) {
    bench_one(bencher, with_sets(sets), Packer::Columns(Budget::seconds(0.5)));
}

#[divan::bench(args = SETS, max_time = 2)]
fn sets_auto(bencher: Bencher<'_, '_>, sets: usize) {
    bench_one(bencher, with_sets(sets), Packer::Auto(Budget::seconds(0.5)));
}

/// The streaming packer itself, in the memory of a device.
#[divan::bench(consts = SETS, max_time = 1)]
fn sets_stream_window<const K: usize>(bencher: Bencher<'_, '_>) {
    let (histogram, limits) = with_sets(K);
    let sizes: Vec<[u32; K]> = histogram.entries().iter().map(|(size, _)| size.first()).collect();
    let mut memory = vec![Waiting::EMPTY; sizes.len()];
    bencher.bench_local(|| {
        let mut window = Window::<K, 32, _>::new(FixedLimits::from(&limits), &mut memory);
        for (graph, &size) in (0_u32..).zip(&sizes) {
            let _ = black_box(window.push(size, graph));
        }
        window.finish().count()
    });
}

#[divan::bench(args = SETS, max_time = 1)]
fn sets_level(bencher: Bencher<'_, '_>, sets: usize) {
    let plan = plan(sets);
    bencher.bench(|| Recomposer::new(&plan));
}

#[divan::bench(args = SETS, max_time = 1)]
fn sets_recompose(bencher: Bencher<'_, '_>, sets: usize) {
    let recomposer = Recomposer::new(&plan(sets)).unwrap();
    bencher.bench(|| recomposer.recompose(None, &mut |order| order.reverse()));
}
