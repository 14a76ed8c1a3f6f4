//! Edges are those that ASE, textbooks and a slow search find.

use crate::edges::{Atoms, CUBE, Edge, check, edges, length, store};
use graphpack_loader::{ConnectOptions, Connected, Edges};
use proptest::prelude::*;

/// Structures with the pairs and shifts that `ase.neighborlist.neighbor_list` 3.29 found: target, source, cells.
#[test]
fn pairs_and_shifts_are_those_of_ase() {
    let samples: Vec<serde_json::Value> = serde_json::from_str(include_str!("../data/neighbours_of_ase.json")).unwrap();
    for sample in samples {
        let numbers = |name: &str| -> Vec<f64> { serde_json::from_value(sample[name].clone()).unwrap() };
        let mut cell = [[0.0; 3]; 3];
        cell.as_flattened_mut().copy_from_slice(&numbers("cell"));
        let pbc = serde_json::from_value(sample["pbc"].clone()).unwrap();
        let atoms = (numbers("pos").as_chunks().0.to_vec(), cell, pbc);
        let found = edges(&atoms, Edges::Radius(sample["radius"].as_f64().unwrap())).unwrap();
        check(&atoms, &found);
        let row = |edge: &Edge| [[edge.target as i32, edge.source as i32].as_slice(), &edge.cells].concat();
        let mut rows: Vec<Vec<i32>> = found.iter().map(row).collect();
        rows.sort();
        let expected: Vec<Vec<i32>> = serde_json::from_value(sample["edges"].clone()).unwrap();
        assert_eq!(rows, expected, "{}", sample["name"]);
    }
}

#[test]
fn crystals_have_the_neighbours_that_textbooks_count() {
    let count = |atoms: &Atoms, rule| edges(atoms, rule).unwrap().len();
    let simple = (vec![[0.3, 9.0, -7.0]], CUBE, [true; 3]);
    assert_eq!([2.1, 2.9, 3.5].map(|radius| count(&simple, Edges::Radius(radius))), [6, 18, 26]);
    let centred = (vec![[0.0; 3], [1.0; 3]], CUBE, [true; 3]);
    assert_eq!([1.8, 2.1].map(|radius| count(&centred, Edges::Radius(radius))), [2 * 8, 2 * 14]);
    let shells: Vec<f64> = edges(&simple, Edges::Nearest(24)).unwrap().iter().map(|edge| edge.distance).collect();
    assert_eq!(shells, [[2.0; 6].as_slice(), &[8_f64.sqrt(); 12], &[12_f64.sqrt(); 6]].concat());
    for rule in [Edges::Radius(2.1), Edges::Nearest(3), Edges::NearestWithin { radius: 2.1, most: 3 }] {
        assert_eq!(count(&(vec![], CUBE, [true; 3]), rule), 0, "without atoms");
    }
    assert_eq!(count(&simple, Edges::FullyConnected), 0);
    assert_eq!(count(&centred, Edges::FullyConnected), 2);
    for (radius, most, expected) in [(2.1, 24, 6), (2.9, 24, 18), (2.9, 10, 10), (2.9, 0, 0)] {
        assert_eq!(count(&simple, Edges::NearestWithin { radius, most }), expected);
    }
    // Periodic along one vector and along two, whatever the others are.
    for (pbc, expected) in [([false, true, false], 2), ([true, true, false], 8), ([false; 3], 0)] {
        assert_eq!(count(&(vec![[0.0; 3]], CUBE, pbc), Edges::Radius(2.9)), expected);
        let mut cell = CUBE;
        (0..3).filter(|&k| !pbc[k]).for_each(|k| cell[k] = [f64::NAN; 3]);
        assert_eq!(count(&(vec![[0.0; 3]], cell, pbc), Edges::Radius(2.9)), expected);
    }
}

#[test]
fn an_atom_at_exactly_the_radius_is_outside() {
    let simple = (vec![[0.5; 3]], CUBE, [true; 3]);
    assert_eq!(edges(&simple, Edges::Radius(2.0)).unwrap().len(), 0);
    assert_eq!(edges(&simple, Edges::Radius(2.0_f64.next_up())).unwrap().len(), 6);
}

#[test]
fn what_cannot_be_connected_is_named() {
    let refused = |atoms: Atoms, rule| edges(&atoms, rule).unwrap_err().to_string();
    let one = |cell, pbc| (vec![[0.0; 3]], cell, pbc);
    let flat = [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    let volume = "graph 0: its edges cannot be counted: the vectors of the cell span a volume of 0, or their lengths \
                  differ too much";
    assert_eq!(refused(one(flat, [true; 3]), Edges::Radius(1.0)), volume);
    assert_eq!(refused(one([[0.0; 3]; 3], [false, true, false]), Edges::Radius(1.0)), volume);
    assert_eq!(refused(one([[f64::NAN; 3]; 3], [true; 3]), Edges::Radius(1.0)), volume);
    // A volume, but a height that is no number.
    let endless = [[1e300, 1e300, 0.0], [0.0, 0.0, 1e-300], [1e10, 1e300, 0.0]];
    assert!(refused(one(endless, [true; 3]), Edges::Nearest(3)).contains("differ too much"));
    for rule in [Edges::Radius(1e4), Edges::Nearest(usize::MAX)] {
        let error = refused(one(CUBE, [true; 3]), rule);
        assert!(error.contains("at most 1000000 are supported"), "{error}");
    }
    let error = refused((vec![[0.0; 3], [0.0, f64::NAN, 1.0]], CUBE, [false; 3]), Edges::FullyConnected);
    assert!(error.ends_with("atom 1 is at (0, NaN, 1), expected finite numbers within a million cells"), "{error}");
    let error = refused((vec![[0.0, 1e9, 0.0]], CUBE, [true; 3]), Edges::Radius(1.0));
    assert!(error.contains("atom 0 is at (0, 1000000000, 0)"), "{error}");
    for radius in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
        assert!(refused(one(CUBE, [true; 3]), Edges::Radius(radius)).starts_with("the radius must be above 0"));
    }
    let atoms = || store(&[one(CUBE, [true; 3])]);
    let refused = |options| Connected::with(atoms(), options).map(drop).unwrap_err().to_string();
    let options = || ConnectOptions::new(Edges::Radius(1.0));
    assert_eq!(
        refused(options().positions("x")),
        "edges follow from a field \"x\", float32 or float64 [nodes, 3]; found no such field among pos, cell, pbc"
    );
    assert_eq!(
        refused(options().cells("pbc", "pbc")),
        "edges follow from a field \"pbc\", float32 or float64 [graph, 9]; found bool [graph, 3]"
    );
    assert!(refused(options().fields(["length"])).contains("distance, cell_offsets, shift; found \"length\""));
    assert!(refused(options().margin(-0.5)).starts_with("the margin must be at least 0"));
    let twice = Connected::new(Connected::new(atoms(), Edges::Radius(1.0)).unwrap(), Edges::Radius(2.0));
    assert!(twice.unwrap_err().to_string().starts_with("\"edges\" cannot be added"));
}

/// All images up to some cells away: further than any radius here reaches. By target, then distance.
fn slow((pos, cell, pbc): &Atoms) -> Vec<(usize, f64, usize, [i32; 3])> {
    let far = [0, 40, 16, 11][pbc.iter().filter(|&&periodic| periodic).count()];
    let range = |k: usize| if pbc[k] { -far..=far } else { 0..=0 };
    let mut found = Vec::new();
    for target in 0..pos.len() {
        for source in 0..pos.len() {
            for i in range(0) {
                for j in range(1) {
                    for k in range(2) {
                        let n = [i, j, k];
                        let apart = |axis: usize| {
                            let shift = (0..3).map(|k| f64::from(n[k]) * cell[k][axis]).sum::<f64>();
                            pos[source][axis] - pos[target][axis] + shift
                        };
                        if source != target || n != [0; 3] {
                            found.push((target, length([0, 1, 2].map(apart)), source, n));
                        }
                    }
                }
            }
        }
    }
    found.sort_by_key(|edge| (edge.0, edge.1.to_bits()));
    found
}

fn structures(atoms: usize, size: f64) -> impl Strategy<Value = Atoms> {
    let pos = proptest::collection::vec(prop::array::uniform3(-size..size), 1..atoms);
    let skew = prop::array::uniform3(prop::array::uniform3(-0.4..0.4_f64));
    (pos, skew, prop::array::uniform3(any::<bool>()), any::<bool>()).prop_map(|(pos, mut cell, pbc, left)| {
        let lengths = if left { [2.5, -3.0, 2.0] } else { [2.5, 3.0, 2.0] };
        (0..3).for_each(|k| cell[k][k] += lengths[k]);
        (pos, cell, pbc)
    })
}

/// Compares with the slow search, but for atoms that rounding may put on either side of the radius.
fn compare(atoms: &Atoms, rule: Edges, wanted: impl Fn(&[(usize, f64, usize, [i32; 3])]) -> usize) {
    let (found, slow) = (edges(atoms, rule).unwrap(), slow(atoms));
    check(atoms, &found);
    for target in 0..atoms.0.len() {
        let found: Vec<_> = found.iter().filter(|edge| edge.target == target).collect();
        let slow: Vec<_> = slow.iter().filter(|edge| edge.0 == target).copied().collect();
        assert_eq!(found.len(), wanted(&slow), "{rule:?}");
        for (found, slow) in found.iter().zip(&slow) {
            assert!((found.distance - slow.1).abs() < 1e-9, "{found:?} {slow:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn neighbours_are_those_of_a_slow_search(atoms in structures(5, 1.5), k in 1..30_usize, radius in 1.0..3.0_f64) {
        let near = |slow: &[(usize, f64, usize, [i32; 3])]| slow.iter().filter(|edge| edge.1 < radius).count();
        let borders = slow(&atoms).iter().any(|edge| (edge.1 - radius).abs() < 1e-9);
        prop_assume!(!borders);
        compare(&atoms, Edges::Radius(radius), near);
        compare(&atoms, Edges::NearestWithin { radius, most: k }, |slow| near(slow).min(k));
        compare(&atoms, Edges::Nearest(k), |slow| slow.len().min(k));
    }

    #[test]
    fn neighbours_of_many_atoms_are_those_of_a_slow_search(atoms in structures(300, 9.0), radius in 0.5..4.0_f64) {
        // Far apart, so that the slow search has only one image of each.
        let alone = (atoms.0, [[0.0; 3]; 3], [false; 3]);
        compare(&alone, Edges::Radius(radius), |slow| slow.iter().filter(|edge| edge.1 < radius).count());
        compare(&alone, Edges::Nearest(7), |slow| slow.len().min(7));
    }
}
