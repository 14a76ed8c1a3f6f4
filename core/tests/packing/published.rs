//! `Packer::Published` gives the published pack counts and efficiencies (`tests/data/tuple_packing_published.csv`).

use crate::common::histogram;
use graphpack_core::{Heuristic, Histogram, Limits, Packer, baseline};

fn histogram_of(name: &str) -> Histogram {
    let file = match name {
        "code2" => "code2_train.synthetic.hist.csv.gz",
        "pcqm4mv2" => "pcqm4mv2_train.reconstructed.hist.csv.gz",
        "ppa" => "ppa_train.synthetic.hist.csv.gz",
        "molhiv" => "molhiv_train.hist.csv",
        _ => "molpcba_train.hist.csv",
    };
    histogram(file)
}

#[test]
fn pack_counts_are_the_published_ones() {
    let mut table =
        csv::Reader::from_path(crate::common::histograms().with_file_name("tuple_packing_published.csv")).unwrap();
    let mut compared = 0;
    for row in table.records().map(Result::unwrap).filter(|row| !row[12].is_empty()) {
        let number = |column: usize| row[column].parse::<u32>().unwrap();
        let limits = Limits::new([number(2), number(3)]);
        let limits = limits.graphs(row[4].parse().unwrap_or_else(|_| number(2).min(number(3))));
        let heuristic = match &row[5] {
            "prod" => Heuristic::Product,
            "sum" => Heuristic::Sum,
            // The authors' "min" is the maximum (their notebook codes it as max).
            "max" | "min" => Heuristic::Maximum,
            "node" => Heuristic::Set(0),
            _ => Heuristic::Set(1),
        };
        let plan = Packer::Published(heuristic).pack(&histogram_of(&row[0]), &limits).unwrap();
        assert_eq!(plan.packs().to_string(), row[12], "packs of {row:?}");
        assert_eq!(plan.distinct_packs().to_string(), row[13], "distinct packs of {row:?}");
        compared += 1;
    }
    assert!(compared > 30, "only {compared} rows of the table have pack counts");
}

#[test]
fn a_true_minimum_gives_other_counts_than_the_printed_row() {
    for (name, limits, packs) in [("molhiv", [222, 502], 3789), ("molpcba", [313, 636], 31427)] {
        let plan = Packer::Published(Heuristic::Minimum).pack(&histogram_of(name), &Limits::new(limits)).unwrap();
        assert_eq!(plan.packs(), packs, "{name}");
    }
}

#[test]
fn baselines_are_those_of_table_2() {
    let percent = |x: f64| (x * 1000.0).round() / 10.0;
    let histogram = histogram_of("molhiv");
    let limits = Limits::new([222, 502]);
    let none = baseline::no_packing(&histogram, &limits).unwrap().efficiency().sets;
    assert_eq!(none.into_iter().map(percent).collect::<Vec<_>>(), [11.4, 10.8]);
    let by = |k| -> Vec<f64> {
        let plan = baseline::one_set(&histogram, &limits, k).unwrap();
        plan.efficiency().sets.into_iter().map(percent).collect()
    };
    assert_eq!(by(0), [98.7, 85.9]);
    assert_eq!(by(1), [85.8, 93.3]);
}
