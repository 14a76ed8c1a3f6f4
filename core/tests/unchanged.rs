//! Plans of generated sizes, bit by bit, and pack counts of all histograms of the data folder, as they are written down in
//! `unchanged/packs.txt`. They may change only on purpose, and are the same on every target.
//!
//! `GRAPHPACK_WRITE_UNCHANGED=1` overwrites the file.

mod common;
#[path = "common/draw.rs"]
mod draw;
#[path = "common/instances.rs"]
mod instances;

use common::{data, histogram};
use graphpack_core::{Effort, Heuristic, Histogram, Limits, Packer};
use instances::{few_per_pack, four_sets, one_of_each};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A number of the packs of all packers that decide by floating point.
fn fingerprint<const K: usize>((histogram, limits): (Histogram<K>, Limits<K>)) -> String {
    let effort = Effort::seconds(0.2);
    let plans = [Packer::Demand, Packer::Columns(effort), Packer::Auto(effort)].map(|packer| {
        let Ok(plan) = packer.pack(&histogram, &limits) else { return "none".to_owned() };
        let numbers = plan.iter().flat_map(|pack| {
            let sizes = pack.contents.iter().flat_map(|(size, times)| size.0.into_iter().chain([*times]));
            sizes.map(u64::from).chain([pack.repeat]).collect::<Vec<_>>()
        });
        let hash = numbers
            .chain([plan.bound()])
            .fold(0xCBF2_9CE4_8422_2325, |hash: u64, number| (hash ^ number).wrapping_mul(0x0000_0100_0000_01B3));
        format!("{hash:016x}")
    });
    plans.join(" ")
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
        "eeca80ce3b855a64 4ea4b8fc4bf86265 4ea4b8fc4bf86265",
        "5d9dff5b018d47c2 d818774c48d08e89 d818774c48d08e89",
        "ef6b6dfd6557265d 837a3c6fefa4ac48 837a3c6fefa4ac48",
        "970b2909b6061e54 51f228fc531eff4f 75dbd83c76afa4a4",
    ];
    assert_eq!(found, expected);
}

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
