//! Pack counts of all histograms of the data folder, as they are written down in `unchanged/packs.txt`.
//!
//! `GRAPHPACK_WRITE_UNCHANGED=1` overwrites them.

mod common;

use common::{data, histogram};
use graphpack_core::{Effort, Heuristic, Limits, Packer};
use std::fmt::Write;
use std::fs;
use std::path::Path;

#[test]
fn pack_counts_of_all_histograms() {
    let Some(data) = data() else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unchanged/packs.txt");
    let entries = fs::read_dir(data.join("histograms")).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    let mut found = String::new();
    for file in files {
        let histogram = histogram(&data, &file);
        let limits = Limits::new(histogram.largest().0);
        let packers = [
            Packer::BestFit(Heuristic::Product),
            Packer::FirstFit(Heuristic::Sum),
            Packer::Demand,
            Packer::Auto(Effort::default()),
        ];
        let plans = packers.map(|packer| packer.pack(&histogram, &limits).unwrap());
        let packs = plans.each_ref().map(|plan| plan.packs().to_string());
        writeln!(found, "{file} {} bound {}", packs.join(" "), plans[3].bound()).unwrap();
    }
    if std::env::var_os("GRAPHPACK_WRITE_UNCHANGED").is_some() {
        fs::write(&path, &found).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), found);
}
