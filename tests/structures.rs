//! Molecules and crystals: files, edges by distance, targets, and what is said of those that are damaged.

mod common;

use common::shared_data;
use flate2::{Compression, write::GzEncoder};
use graphpack_core::Histogram;
use graphpack_formats::StructureError;
use graphpack_formats::{npz, targets, xyz};
use graphpack_loader::{Edges, Source, Store, Structures};
use proptest::prelude::*;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const WATER: &str = "3\nwater\nO 0 0 0.1\nH 0.75 0 -0.45 extra\n1 -0.75 0 -0.45\n\n1\nhelium\nhe 0 0 0\n";
const TARGETS: &str = "name,num_atoms,energy,dipole\nwater,3,-0.36,0.83\nhelium,1,0,1e-3\n";

fn file(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    if name.ends_with(".gz") {
        let mut encoder = GzEncoder::new(fs::File::create(&path).unwrap(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap();
    } else {
        fs::write(&path, text).unwrap();
    }
    path
}

/// (source, target, distance, shift) of all edges of a graph.
fn edges(store: &Store, graph: usize) -> Vec<(i64, i64, f32, [f32; 3])> {
    let (sources, targets) = store.edges(graph);
    let before: usize = (0..graph).map(|graph| store.size(graph).0[1] as usize).sum();
    let distances = store.values::<f32>("distance").unwrap();
    let shifts = store.values::<f32>("shift").ok();
    let shift = |edge: usize| shifts.as_ref().map_or([0.0; 3], |shifts| [0, 1, 2].map(|k| shifts[3 * edge + k]));
    let rows = sources.iter().zip(&targets).enumerate();
    rows.map(|(row, (&from, &to))| (from, to, distances[before + row], shift(before + row))).collect()
}

#[test]
fn xyz_and_targets_become_graphs() {
    let folder = TempDir::new().unwrap();
    for (xyz, csv) in [("a.xyz", "a.csv"), ("a.xyz.gz", "a.csv.gz")] {
        let structures = xyz::read(file(&folder, xyz, WATER)).unwrap();
        let structures = targets::add(structures, file(&folder, csv, TARGETS), &["dipole", "energy"]).unwrap();
        assert_eq!((structures.len(), structures.name(1), structures.z(0)), (2, "helium", &[8, 1, 1][..]));
        let store = structures.connect(Edges::FullyConnected).unwrap();
        assert_eq!((store.size(0).0, store.size(1).0), ([3, 6], [1, 0]));
        assert_eq!(store.values::<i64>("z").unwrap(), [8, 1, 1, 2]);
        assert_eq!(store.values::<f32>("y").unwrap(), [0.83, -0.36, 0.001, 0.0]);
        let first = edges(&store, 0);
        assert_eq!(first.iter().map(|edge| (edge.0, edge.1)).take(2).collect::<Vec<_>>(), [(1, 0), (2, 0)]);
        assert!((first[0].2 - 0.930_054).abs() < 1e-5, "{}", first[0].2);
        let near = structures.connect(Edges::Radius(1.0)).unwrap();
        assert_eq!(near.size(0).0, [3, 4]);
        let nearest = structures.connect(Edges::Nearest(1)).unwrap();
        assert_eq!(
            edges(&nearest, 0).iter().map(|edge| (edge.0, edge.1)).collect::<Vec<_>>(),
            [(1, 0), (0, 1), (0, 2)]
        );
    }
}

#[test]
fn damaged_files_are_named_with_their_line() {
    let folder = TempDir::new().unwrap();
    let error = |text: &str| xyz::read(file(&folder, "b.xyz", text)).unwrap_err().to_string();
    let ends_with = |text: &str, expected: &str| {
        let message = error(text);
        assert!(message.ends_with(expected), "{message:?} does not end with {expected:?}");
    };
    ends_with("three\n", "b.xyz, line 1: \"three\" is not a number of atoms");
    ends_with("2\nx\nC 0 0 0\n", "b.xyz ends at line 3, atom 1 of the 2 atoms of \"x\"");
    let atom = "an element and three coordinates";
    ends_with("1\nx\nC 0 zero 0\n", &format!("b.xyz, line 3: \"C 0 zero 0\" is not {atom}"));
    ends_with("1\nx\nQq 0 0 0\n", &format!("b.xyz, line 3: \"Qq 0 0 0\" is not {atom}"));
    ends_with("1\nx\nC 0 0 inf\n", &format!("b.xyz, line 3: \"C 0 0 inf\" is not {atom}"));
    let message = error("1\nLattice=\"1 0 0 0 1 0 0 0\"\nC 0 0 0\n");
    assert!(
        message.contains("line 2")
            && message.ends_with("is not a comment whose Lattice has nine numbers and whose pbc is all T or all F"),
        "{message}"
    );
    let missing = xyz::read(folder.path().join("none.xyz")).unwrap_err();
    assert!(matches!(&missing, StructureError::Io { path, .. } if path.ends_with("none.xyz")), "{missing}");

    let packed = file(&folder, "c.xyz.gz", &WATER.repeat(200));
    fs::write(&packed, &fs::read(&packed).unwrap()[..60]).unwrap();
    assert!(matches!(xyz::read(&packed), Err(StructureError::Io { .. } | StructureError::Truncated { .. })));

    let water = xyz::read(file(&folder, "d.xyz", WATER)).unwrap();
    let target = |text: &str, column: &str| {
        targets::add(water.clone(), file(&folder, "d.csv", text), &[column]).unwrap_err().to_string()
    };
    for (text, column, expected) in [
        (TARGETS, "homo", "d.csv has no column \"homo\", only name, num_atoms, energy, dipole"),
        (&TARGETS.replace("helium", "neon"), "energy", "d.csv, line 3: name \"neon\", the structure has \"helium\""),
        (&TARGETS.replace(",3,", ",4,"), "energy", "d.csv, line 2: num_atoms \"4\", the structure has \"3\""),
        (&TARGETS.replace("0.83", "?"), "dipole", "d.csv, line 2: \"?\" is not a number"),
        (&TARGETS[..48], "energy", "d.csv has 1 rows, expected one for each of 2 structures"),
    ] {
        let message = target(text, column);
        assert!(message.ends_with(expected), "{message:?} does not end with {expected:?}");
    }
}

fn crystal(atoms: &[[f32; 3]], cell: [[f64; 3]; 3]) -> Structures {
    let mut structures = Structures::new();
    structures.push("crystal", atoms.iter().map(|&pos| (14, pos)), Some(cell));
    structures
}

#[test]
fn crystals_have_the_neighbours_that_textbooks_count() {
    let cube = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
    let count = |structures: &Structures, edges| structures.connect(edges).unwrap().size(0).0;
    let simple = crystal(&[[0.3, 9.0, -7.0]], cube);
    assert_eq!([2.1, 2.9, 3.5].map(|radius| count(&simple, Edges::Radius(radius))[1]), [6, 18, 26]);
    let centred = crystal(&[[0.0; 3], [1.0; 3]], cube);
    assert_eq!([1.8, 2.1].map(|radius| count(&centred, Edges::Radius(radius))[1]), [2 * 8, 2 * 14]);
    assert_eq!(count(&simple, Edges::Nearest(24)), [1, 24]);
    let shells = edges(&simple.connect(Edges::Nearest(24)).unwrap(), 0);
    assert_eq!(
        shells.iter().map(|edge| edge.2).collect::<Vec<_>>(),
        [[2.0; 6].as_slice(), &[8_f32.sqrt(); 12], &[12_f32.sqrt(); 6]].concat()
    );
    assert_eq!(count(&simple, Edges::FullyConnected), [1, 0]);
    let error = centred.connect(Edges::Nearest(usize::MAX)).unwrap_err().to_string();
    assert!(error.contains("images of atoms"), "{error}");

    let folder = TempDir::new().unwrap();
    let read = |pbc: &str| {
        let text = format!("1\nLattice=\"2 0 0 0 2 0 0 0 2\"{pbc}\nSi 0 0 0\n");
        xyz::read(file(&folder, "p.xyz", &text))
    };
    for (pbc, edges) in [("", 6), (" pbc=\"T T T\"", 6), (" pbc=\"F F F\"", 0)] {
        assert_eq!(count(&read(pbc).unwrap(), Edges::Radius(2.1)), [1, edges], "{pbc}");
    }
    assert!(read(" pbc=\"T T F\"").is_err());

    let flat = crystal(&[[0.0; 3]], [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
    let error = flat.connect(Edges::Radius(1.0)).unwrap_err().to_string();
    let expected =
        "structure 0 (\"crystal\"): the vectors of the cell span a volume of 0, or their lengths differ too much";
    assert_eq!(error, expected);
    // A volume, but a height that is no number.
    let endless = crystal(&[[0.0; 3]], [[1e300, 1e300, 0.0], [0.0, 0.0, 1e-300], [1e10, 1e300, 0.0]]);
    assert!(endless.connect(Edges::Nearest(3)).is_err());
    let error = simple.connect(Edges::Radius(1e4)).unwrap_err().to_string();
    assert!(error.contains("at most 1000000 are supported"), "{error}");
    assert!(simple.connect(Edges::Radius(-1.0)).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn neighbours_are_those_of_a_slow_search(
        atoms in proptest::collection::vec([-4.0..4.0_f32, -4.0..4.0_f32, -4.0..4.0_f32], 1..6),
        skew in [-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64],
        k in 1..30_usize,
    ) {
        let cell = [[2.5, 0.0, 0.0], [skew[0], 3.0, 0.0], [skew[1], skew[2], 2.0]];
        // All images up to 8 cells away: further than any radius here reaches.
        let slow = |target: usize| {
            let mut found = Vec::new();
            for source in 0..atoms.len() {
                for image in 0..17_i32.pow(3) {
                    let n = [image % 17 - 8, image / 17 % 17 - 8, image / 289 - 8];
                    if source != target || n != [0; 3] {
                        let at = |axis: usize| f64::from(atoms[source][axis]) - f64::from(atoms[target][axis]) + (0..3).map(|k| f64::from(n[k]) * cell[k][axis]).sum::<f64>();
                        found.push(((0..3).map(|axis| at(axis) * at(axis)).sum::<f64>().sqrt(), source));
                    }
                }
            }
            found.sort_by(|a, b| a.0.total_cmp(&b.0));
            found
        };
        let store = crystal(&atoms, cell).connect(Edges::Nearest(k)).unwrap();
        let near = crystal(&atoms, cell).connect(Edges::Radius(4.0)).unwrap();
        for target in 0..atoms.len() {
            let slow = slow(target);
            let found: Vec<_> = edges(&store, 0).into_iter().filter(|edge| edge.1 == target as i64).collect();
            prop_assert_eq!(found.len(), k);
            for (edge, expected) in found.iter().zip(&slow) {
                prop_assert!((f64::from(edge.2) - expected.0).abs() < 1e-4);
                let vector: f32 = (0..3).map(|axis| (atoms[edge.0 as usize][axis] + edge.3[axis] - atoms[target][axis]).powi(2)).sum();
                prop_assert!((vector.sqrt() - edge.2).abs() < 1e-3);
            }
            let within = edges(&near, 0).into_iter().filter(|edge| edge.1 == target as i64).count();
            let borders = |shift: f64| slow.iter().filter(|(distance, _)| *distance <= 4.0 + shift).count();
            prop_assert!((borders(-1e-6)..=borders(1e-6)).contains(&within));
        }
    }
}

#[test]
fn generated_structures_are_as_large_as_those_of_qm9() {
    let structures = Structures::generate(1, 2000);
    let atoms: usize = (0..2000).map(|structure| structures.z(structure).len()).sum();
    assert!((17.5..18.5).contains(&(atoms as f64 / 2000.0)), "{atoms} atoms");
    let store = structures.connect(Edges::FullyConnected).unwrap();
    assert!(store.values::<f32>("distance").unwrap().iter().all(|&distance| distance > 0.89));
    assert!(store.values::<f32>("y").unwrap().iter().all(|y| (-40.0..0.0).contains(y)));
    assert_eq!(Structures::generate(1, 3).pos(2), structures.pos(2));
}

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
    let histogram = Histogram::from_sizes((0..store.len()).map(|graph| store.size(graph))).unwrap();
    assert!(histogram.entries().iter().all(|(size, _)| size.0[1] == size.0[0] * (size.0[0] - 1).min(24)));
    assert!(npz::read(Path::new("none.npz")).is_err());
}
