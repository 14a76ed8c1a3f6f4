//! Edges are those that ASE, textbooks and a slow search find.

use crate::edges::{Atoms, CUBE, Edge, check, edges, length, store};
use graphpack_loader::{Connect, Data, Edges};
use proptest::prelude::*;

/// Structures with the pairs and shifts that `ase.neighborlist.neighbor_list` 3.29 found, those in float32 like
/// matscipy 1.3: target, source, cells.
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
fn an_atom_at_the_radius_is_outside() {
    let simple = (vec![[0.5; 3]], CUBE, [true; 3]);
    for (radius, expected) in [(1.999_99, 0), (2.0, 0), (2.000_019, 0), (2.000_021, 6)] {
        assert_eq!(edges(&simple, Edges::Radius(radius)).unwrap().len(), expected, "{radius}");
    }
}

/// Atoms of a cubic cell, its length, and the number of neighbours that are nearer than each shell, all in lengths.
type Lattice = (Vec<[f64; 3]>, f64, Vec<(f64, usize)>);

fn lattices() -> [Lattice; 3] {
    let [h, q] = [0.5, 0.25];
    let (corner, faces) = ([0.0; 3], [[0.0, h, h], [h, 0.0, h], [h, h, 0.0]]);
    let fcc = [&[corner][..], &faces].concat();
    let diamond = fcc.iter().flat_map(|&at| [at, at.map(|x| x + q)]).collect();
    let shells = |squares: &[(f64, usize)]| squares.iter().map(|&(square, count)| (square.sqrt(), count)).collect();
    [
        (fcc, 3.61, shells(&[(0.5, 0), (1.0, 12), (1.5, 18), (2.0, 42), (2.5, 54), (3.0, 78)])),
        (vec![corner, [h; 3]], 2.87, shells(&[(0.75, 0), (1.0, 8), (2.0, 14), (2.75, 26), (3.0, 50)])),
        (diamond, 5.43, shells(&[(3.0 / 16.0, 0), (0.5, 4), (11.0 / 16.0, 16), (1.0, 28)])),
    ]
}

fn lattice(basis: &[[f64; 3]], length: f64, cells: i32, from: f64) -> Atoms {
    let axis = || (0..cells).map(f64::from);
    let corners = axis().flat_map(|i| axis().flat_map(move |j| axis().map(move |k| [i, j, k])));
    let pos =
        corners.flat_map(|corner| basis.iter().map(move |at| [0, 1, 2].map(|k| from + length * (corner[k] + at[k]))));
    let cell = [0, 1, 2].map(|row| [0, 1, 2].map(|k| if k == row { length * f64::from(cells) } else { 0.0 }));
    (pos.collect(), cell, [true; 3])
}

/// The same with all numbers as float32.
fn rounded((pos, cell, pbc): &Atoms) -> Atoms {
    let round = |x: f64| f64::from(x as f32);
    (pos.iter().map(|at| at.map(round)).collect(), cell.map(|vector| vector.map(round)), *pbc)
}

#[test]
fn a_shell_on_the_radius_is_in_or_out_as_a_whole() {
    for (basis, length, shells) in lattices() {
        for (cells, from) in [(1, 0.0), (2, 0.0), (3, -0.123), (2, 97.3)] {
            let exact = lattice(&basis, length, cells, from);
            // Written with six digits after the point, too.
            let digits = |x: f64| (x * 1e6).round() / 1e6;
            let written = (exact.0.iter().map(|at| at.map(digits)).collect(), exact.1, exact.2);
            for atoms in [&exact, &rounded(&exact), &(rounded(&exact).0, exact.1, exact.2), &written] {
                for &(shell, nearer) in &shells {
                    let found = edges(atoms, Edges::Radius(length * shell)).unwrap();
                    assert_eq!(found.len(), nearer * atoms.0.len(), "{shell} of {length}, {cells} cells from {from}");
                    let most = edges(atoms, Edges::NearestWithin { radius: length * shell, most: 10 }).unwrap();
                    assert_eq!(most.len(), nearer.min(10) * atoms.0.len());
                }
            }
        }
    }
}

/// The neighbours of all atoms, without their distances.
fn neighbours(edges: &[Edge]) -> Vec<(usize, usize, [i32; 3])> {
    let mut neighbours: Vec<_> = edges.iter().map(|edge| (edge.target, edge.source, edge.cells)).collect();
    neighbours.sort_unstable();
    neighbours
}

#[test]
fn of_equally_far_neighbours_those_of_lower_number_are_chosen() {
    for (basis, length, _) in lattices() {
        for (cells, from) in [(1, 0.0), (2, 0.0), (2, 41.7)] {
            let exact = lattice(&basis, length, cells, from);
            let far = edges(&exact, Edges::Radius(2.1 * length)).unwrap();
            for k in [1, 3, 7, 12, 13, 20, 24] {
                let expected: Vec<_> = (0..exact.0.len())
                    .flat_map(|target| {
                        let mut of: Vec<_> = far.iter().filter(|edge| edge.target == target).collect();
                        of.sort_by_key(|edge| ((edge.distance * 1e3).round() as i64, edge.source, edge.cells));
                        neighbours(&of.into_iter().take(k).copied().collect::<Vec<_>>())
                    })
                    .collect();
                let rules = [Edges::Nearest(k), Edges::NearestWithin { radius: 2.1 * length, most: k }];
                for (atoms, rule) in [&exact, &rounded(&exact)].into_iter().zip(rules).chain([(&exact, rules[0])]) {
                    let found = edges(atoms, rule).unwrap();
                    check(atoms, &found);
                    assert_eq!(
                        neighbours(&found),
                        expected,
                        "{rule:?} in cubes of {length}, {cells} cells from {from}"
                    );
                }
            }
        }
    }
    // A ring around an atom, alone: no image tells its neighbours apart.
    let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.000_005]];
    for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0]] {
        let ring = ([&[[0.0; 3]][..], &order.map(|at| corners[at])].concat(), [[0.0; 3]; 3], [false; 3]);
        let found = edges(&ring, Edges::Nearest(3)).unwrap();
        let mut of_centre: Vec<_> = found.iter().filter(|edge| edge.target == 0).map(|edge| edge.source).collect();
        of_centre.sort_unstable();
        assert_eq!(of_centre, [1, 2, 3]);
    }
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
    let refused = |options| Data::from(atoms()).connect(options).map(drop).unwrap_err().to_string();
    let options = || Connect::from(Edges::Radius(1.0));
    assert_eq!(
        refused(options().positions("x")),
        "edges between atoms follow from positions: a field \"x\", float32 or float64 [nodes, 3]; found no positions among \
         the fields pos, cell, pbc"
    );
    assert_eq!(
        refused(options().cells("pbc", "pbc")),
        "edges between atoms follow from cells: a field \"pbc\", float32 or float64 [graph, 9]; found bool [graph, 3]"
    );
    assert!(refused(options().fields(["length"])).contains("distance, cell_offsets, shift; found \"length\""));
    assert!(refused(options().margin(-0.5)).starts_with("the margin must be at least 0"));
    let of_nearest = Connect::from(Edges::Nearest(3)).margin(0.5);
    assert_eq!(refused(of_nearest), "a margin of 0.5 widens a radius, but nearest:3 has none");
    let twice = Data::from(atoms()).connect(Edges::Radius(1.0)).unwrap().connect(Edges::Radius(2.0));
    assert!(twice.unwrap_err().to_string().contains("has edges already"));
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

/// Compares with the slow search, but for atoms at the radius. Of equally far ones, others may be chosen.
fn compare(atoms: &Atoms, rule: Edges, wanted: impl Fn(&[(usize, f64, usize, [i32; 3])]) -> usize) {
    let (found, slow) = (edges(atoms, rule).unwrap(), slow(atoms));
    check(atoms, &found);
    for target in 0..atoms.0.len() {
        let found: Vec<_> = found.iter().filter(|edge| edge.target == target).collect();
        let slow: Vec<_> = slow.iter().filter(|edge| edge.0 == target).copied().collect();
        assert_eq!(found.len(), wanted(&slow), "{rule:?}");
        for (found, slow) in found.iter().zip(&slow) {
            assert!((found.distance - slow.1).abs() < 1.1e-5 * slow.1 + 1e-9, "{found:?} {slow:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn neighbours_are_those_of_a_slow_search(atoms in structures(5, 1.5), k in 1..30_usize, radius in 1.0..3.0_f64) {
        let near = |slow: &[(usize, f64, usize, [i32; 3])]| slow.iter().filter(|edge| edge.1 < radius).count();
        let borders = slow(&atoms).iter().any(|edge| (edge.1 - radius).abs() < 1.1e-5 * radius);
        prop_assume!(!borders);
        compare(&atoms, Edges::Radius(radius), near);
        compare(&atoms, Edges::NearestWithin { radius, most: k }, |slow| near(slow).min(k));
        compare(&atoms, Edges::Nearest(k), |slow| slow.len().min(k));
    }

    #[test]
    fn neighbours_of_many_atoms_are_those_of_a_slow_search(atoms in structures(300, 9.0), radius in 0.5..4.0_f64) {
        // Far apart, so that the slow search has only one image of each.
        let alone = (atoms.0, [[0.0; 3]; 3], [false; 3]);
        prop_assume!(!slow(&alone).iter().any(|edge| (edge.1 - radius).abs() < 1.1e-5 * radius));
        compare(&alone, Edges::Radius(radius), |slow| slow.iter().filter(|edge| edge.1 < radius).count());
        compare(&alone, Edges::Nearest(7), |slow| slow.len().min(7));
    }
}
