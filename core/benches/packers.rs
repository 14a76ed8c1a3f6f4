//! Every packer on the histograms of the data folder: `cargo bench -p graphpack-core`. Single-threaded; prints packs
//! and bound beside the times.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{data, histogram};
use divan::Bencher;
use graphpack_core::{Effort, Heuristic, Limits, Packer};

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
fn bench(bencher: Bencher<'_, '_>, file: &str, packer: Packer<2>) {
    let Some(data) = data() else { return };
    let histogram = histogram(&data, file);
    let limits = Limits::new(histogram.largest().0);
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
    bench(bencher, file, Packer::Published(Heuristic::Component(0)));
}

#[divan::bench(args = HISTOGRAMS, max_time = 2)]
fn demand(bencher: Bencher<'_, '_>, file: &str) {
    bench(bencher, file, Packer::Demand);
}

#[divan::bench(args = HISTOGRAMS, max_time = 4)]
fn columns(bencher: Bencher<'_, '_>, file: &str) {
    bench(bencher, file, Packer::Columns(Effort::default()));
}

#[divan::bench(args = HISTOGRAMS, max_time = 2)]
fn window(bencher: Bencher<'_, '_>, file: &str) {
    bench(bencher, file, Packer::Window { open: 32, seed: 0 });
}

#[divan::bench(args = HISTOGRAMS, max_time = 4)]
fn auto(bencher: Bencher<'_, '_>, file: &str) {
    bench(bencher, file, Packer::Auto(Effort::default()));
}
