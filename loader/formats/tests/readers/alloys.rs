//! The structures of `atoms`, which every format has, beside what ASE says of them.

use graphpack_formats::records::{Record, Values};
use graphpack_loader::{Column, Data, Dtype, Edges, Schema, Store};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Compares structures with `truth.json`: atoms, energies, sums of positions and of absolute forces, and the number of
/// edges within 4 and 6 angstrom that ASE finds.
pub(crate) fn assert_truth(data: &Path, records: &[Record], tolerance: f64) {
    let text = fs::read_to_string(data.join("atoms/truth.json")).unwrap();
    let truth: serde_json::Value = serde_json::from_str(&text).unwrap();
    let truth = truth["rows"].as_array().unwrap();
    assert_eq!(records.len(), truth.len());
    for (record, row) in records.iter().zip(truth) {
        let sum = |name: &str, of: fn(f64) -> f64| match record.field(name).map(|field| &field.values) {
            Some(Values::F64(values)) => values.iter().copied().map(of).sum::<f64>(),
            other => panic!("{}: {name} is {other:?}", record.name),
        };
        let found = [record.nodes as f64, sum("energy", |x| x), sum("pos", |x| x), sum("forces", f64::abs)];
        for (found, expected) in found.iter().zip(row.as_array().unwrap()) {
            let expected = expected.as_f64().unwrap();
            assert!((found - expected).abs() < tolerance, "{}: {found} is not {expected}", record.name);
        }
    }
    let atoms = Arc::new(atoms(records));
    for (radius, column) in [(4.0, 4), (6.0, 5)] {
        // An atom is outside, too, if it is nearer than the radius by no more than 1e-5 of it.
        let [connected, wider] = [radius, radius * (1.0 + 1.1e-5)]
            .map(|radius| Data::from(atoms.clone()).connect(Edges::Radius(radius)).unwrap());
        for (structure, row) in truth.iter().enumerate() {
            let [found, most] = [&connected, &wider].map(|connected| u64::from(connected.size(structure).unwrap()[1]));
            let expected = row[column].as_u64().unwrap();
            let name = &records[structure].name;
            assert!((found..=most).contains(&expected), "{name} within {radius}: {found} to {most}, not {expected}");
        }
    }
}

/// Positions and cells in float64.
fn atoms(records: &[Record]) -> Store {
    let floats = |name: &str| -> Vec<f64> {
        let of = |record: &Record| match &record.field(name).unwrap().values {
            Values::F64(values) => values.clone(),
            other => panic!("{name} is {other:?}"),
        };
        records.iter().flat_map(of).collect()
    };
    let pbc = records.iter().flat_map(|record| match &record.field("pbc").unwrap().values {
        Values::Bool(values) => values.clone(),
        other => panic!("pbc is {other:?}"),
    });
    let schema =
        Schema::of(&["nodes"]).field("pos", "nodes", Dtype::F64, &[3]).field("cell", "graph", Dtype::F64, &[9]);
    let schema = schema.field("pbc", "graph", Dtype::Bool, &[3]);
    let ends = records.iter().scan(0, |sum, record| {
        *sum += record.nodes as u64;
        Some(*sum)
    });
    let ptr = [0].into_iter().chain(ends).collect();
    let columns = vec![
        Column::of(&schema, "pos", floats("pos")).unwrap(),
        Column::of(&schema, "cell", floats("cell")).unwrap(),
        Column::of(&schema, "pbc", pbc.collect()).unwrap(),
    ];
    Store::of_sets(schema, vec![ptr], vec![], columns).unwrap()
}
