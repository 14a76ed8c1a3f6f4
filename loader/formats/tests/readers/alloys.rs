//! The structures of `atoms`, which every format has, beside what ASE says of them.

use graphpack_formats::{Record, Values};
use std::fs;
use std::path::Path;

/// Compares structures with `truth.json`: atoms, energies, sums of positions and of absolute forces.
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
}

/// Compares the fields of a record with those of another, which may differ by rounding and have more.
pub(crate) fn assert_close(a: &Record, b: &Record, tolerance: f64) {
    assert_eq!(a.nodes, b.nodes, "{}", b.name);
    for field in &a.fields {
        let other = b.field(&field.name).unwrap_or_else(|| panic!("{}: no {}", b.name, field.name));
        assert_eq!((field.level, field.width), (other.level, other.width), "{}", field.name);
        match (&field.values, &other.values) {
            (Values::F64(a), Values::F64(b)) => {
                let far = a.iter().zip(b).find(|(a, b)| (*a - *b).abs() > tolerance);
                assert_eq!((a.len(), far), (b.len(), None), "{}", field.name);
            }
            (a, b) => assert_eq!(a, b, "{}", field.name),
        }
    }
}
