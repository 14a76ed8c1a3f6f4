//! Edges by distance: `Structures::connect` finds the neighbours that textbooks count and those that a slow search finds, also in
//! cells that repeat.

use graphpack_loader::{Edges, Source, Store, Structures};
use proptest::prelude::*;

/// (source, target, distance, shift) of all edges of a graph.
fn edges(store: &Store, graph: usize) -> Vec<(i64, i64, f32, [f32; 3])> {
    let (sources, targets) = store.edges(graph);
    let before: usize = (0..graph).map(|graph| store.size(graph)[1] as usize).sum();
    let distances = store.values::<f32>("distance").unwrap();
    let shifts = store.values::<f32>("shift").ok();
    let shift = |edge: usize| shifts.as_ref().map_or([0.0; 3], |shifts| [0, 1, 2].map(|k| shifts[3 * edge + k]));
    let rows = sources.iter().zip(&targets).enumerate();
    rows.map(|(row, (&from, &to))| (from, to, distances[before + row], shift(before + row))).collect()
}

fn crystal(atoms: &[[f32; 3]], cell: [[f64; 3]; 3]) -> Structures {
    let mut structures = Structures::new();
    structures.push("crystal", atoms.iter().map(|&pos| (14, pos)), Some(cell));
    structures
}

#[test]
fn crystals_have_the_neighbours_that_textbooks_count() {
    let cube = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
    let count = |structures: &Structures, edges| structures.connect(edges).unwrap().size(0);
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

    let flat = crystal(&[[0.0; 3]], [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
    let error = flat.connect(Edges::Radius(1.0)).unwrap_err().to_string();
    let expected = "graph 0: its edges cannot be counted: the vectors of the cell span a volume of 0, or their lengths differ too much";
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
