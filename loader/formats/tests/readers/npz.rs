//! npz files of structures.

use graphpack_core::Histogram;
use graphpack_formats::{npz, targets, xyz};
use graphpack_loader::{Edges, Source};
use std::path::Path;
use test_common::shared_data;

#[test]
fn qm9_is_read_from_both_files() {
    let Some(data) = shared_data() else { return };
    let read = |name: &str| data.join("qm9").join(name);
    let few = xyz::read(read("qm9_10k.xyz.gz")).unwrap();
    let few = targets::add(few, read("qm9_10k_targets.csv.gz"), &["binding_energy"]).unwrap();
    assert_eq!((few.len(), few.name(0)), (10_000, "dsgdb9nsd_000003"));
    let all = npz::read(read("qm9_128k_positions.npz")).unwrap();
    assert_eq!(all.len(), 128_744);
    let atoms: usize = (0..all.len()).map(|structure| all.z(structure).len()).sum();
    assert_eq!(atoms, 2_330_532);
    // The same molecules, by QM9's number; the second file is rounded to 0.001 angstrom.
    let place = (0..all.len()).find(|&structure| all.name(structure) == "3").unwrap();
    assert_eq!(all.z(place), few.z(0));
    for (a, b) in all.pos(place).iter().zip(few.pos(0)) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 6e-4), "{a:?} {b:?}");
    }
    let store = few.connect(Edges::Nearest(24)).unwrap();
    let histogram = Histogram::from_sizes((0..store.len()).map(|graph| store.size(graph).exact::<2>())).unwrap();
    assert!(histogram.entries().iter().all(|(size, _)| size.0[1] == size.0[0] * (size.0[0] - 1).min(24)));
    assert!(npz::read(Path::new("none.npz")).is_err());
}
