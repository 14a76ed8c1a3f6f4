//! Edges by distance: those that ASE, textbooks and a slow search find, made by the workers after the transform.

use graphpack_loader::{
    Batch, Column, ConnectOptions, Connected, DerivedError, Dtype, Edges, GraphRows, Level, Loader, Padding, Schema,
    Source, SourceError, Store, Triplets, clusters,
};
use proptest::prelude::*;
use std::sync::Arc;

/// Positions, cell and periodic directions of a structure.
type Atoms = (Vec<[f64; 3]>, [[f64; 3]; 3], [bool; 3]);

fn store(structures: &[Atoms]) -> Store {
    let schema = Schema::of(["nodes"]).field("pos", "nodes", Dtype::F64, 3).field("cell", "graph", Dtype::F64, 9);
    let schema = schema.field("pbc", "graph", Dtype::Bool, 3).build().unwrap();
    let pos: Vec<f64> = structures.iter().flat_map(|atoms| atoms.0.as_flattened()).copied().collect();
    let cell: Vec<f64> = structures.iter().flat_map(|atoms| atoms.1.as_flattened()).copied().collect();
    let pbc: Vec<bool> = structures.iter().flat_map(|atoms| atoms.2).collect();
    let ends = structures.iter().scan(0, |sum, atoms| {
        *sum += atoms.0.len() as u64;
        Some(*sum)
    });
    let ptr = [0].into_iter().chain(ends).collect();
    let columns = vec![
        Column::of(&schema, "pos", pos).unwrap(),
        Column::of(&schema, "cell", cell).unwrap(),
        Column::of(&schema, "pbc", pbc).unwrap(),
    ];
    Store::of_sets(schema, vec![ptr], vec![], columns).unwrap()
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Edge {
    source: usize,
    target: usize,
    distance: f64,
    cells: [i32; 3],
    shift: [f64; 3],
}

/// The edges of every graph.
fn edges_of(store: &Store) -> Vec<Vec<Edge>> {
    let (distances, shifts) = (store.values::<f64>("distance").unwrap(), store.values::<f64>("shift").unwrap());
    let cells = store.values::<i32>("cell_offsets").unwrap();
    let mut row = 0;
    let mut of_graph = |graph| {
        let (sources, targets) = store.edges(graph);
        let edges = sources.iter().zip(&targets).map(|(&source, &target)| {
            let at = row;
            row += 1;
            let (source, target, distance) = (source as usize, target as usize, distances[at]);
            let (cells, shift) = ([0, 1, 2].map(|k| cells[3 * at + k]), [0, 1, 2].map(|k| shifts[3 * at + k]));
            Edge { source, target, distance, cells, shift }
        });
        edges.collect()
    };
    (0..store.len()).map(&mut of_graph).collect()
}

/// The edges of one structure.
fn edges(atoms: &Atoms, rule: Edges) -> Result<Vec<Edge>, DerivedError> {
    let data = Connected::new(store(std::slice::from_ref(atoms)), rule)?;
    Ok(edges_of(&Store::collect(&data).unwrap()).remove(0))
}

fn length(a: [f64; 3]) -> f64 {
    (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
}

/// Errors unless vectors, lengths and order are what the documentation says.
fn check((pos, cell, _): &Atoms, edges: &[Edge]) {
    for edge in edges {
        let shift = [0, 1, 2].map(|axis| (0..3).map(|k| f64::from(edge.cells[k]) * cell[k][axis]).sum::<f64>());
        let vector = [0, 1, 2].map(|axis| pos[edge.source][axis] + edge.shift[axis] - pos[edge.target][axis]);
        assert!((0..3).all(|axis| (shift[axis] - edge.shift[axis]).abs() < 1e-9), "{edge:?}");
        assert!((length(vector) - edge.distance).abs() < 1e-9, "{edge:?}");
    }
    let key = |edge: &Edge| (edge.target, edge.distance.to_bits(), edge.source, edge.cells);
    assert!(edges.windows(2).all(|pair| key(&pair[0]) < key(&pair[1])), "the order");
}

/// Structures with the pairs and shifts that `ase.neighborlist.neighbor_list` 3.29 found: target, source, cells.
#[test]
fn pairs_and_shifts_are_those_of_ase() {
    let samples: Vec<serde_json::Value> = serde_json::from_str(include_str!("data/neighbours_of_ase.json")).unwrap();
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

const CUBE: [[f64; 3]; 3] = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];

#[test]
fn crystals_have_the_neighbours_that_textbooks_count() {
    let count = |atoms: &Atoms, rule| edges(atoms, rule).unwrap().len();
    let simple = (vec![[0.3, 9.0, -7.0]], CUBE, [true; 3]);
    assert_eq!([2.1, 2.9, 3.5].map(|radius| count(&simple, Edges::Radius(radius))), [6, 18, 26]);
    let centred = (vec![[0.0; 3], [1.0; 3]], CUBE, [true; 3]);
    assert_eq!([1.8, 2.1].map(|radius| count(&centred, Edges::Radius(radius))), [2 * 8, 2 * 14]);
    let shells: Vec<f64> = edges(&simple, Edges::Nearest(24)).unwrap().iter().map(|edge| edge.distance).collect();
    assert_eq!(shells, [[2.0; 6].as_slice(), &[8_f64.sqrt(); 12], &[12_f64.sqrt(); 6]].concat());
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
        "edges follow from a field \"x\", floating point [nodes, 3]; found no such field among pos, cell, pbc"
    );
    assert_eq!(
        refused(options().cells("pbc", "pbc")),
        "edges follow from a field \"pbc\", floating point [graph, 9]; found bool [graph, 3]"
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

/// Generated clusters.
fn molecules(count: usize) -> Arc<Store> {
    Arc::new(clusters::generate(1, count))
}

fn batches<S: Source + 'static>(data: S, workers: usize) -> Vec<Batch> {
    let loader = Loader::new(data).batch_graphs(8).shuffle(5).workers(workers).padding(Padding::Apart);
    loader.build().unwrap().epoch(1).map(Result::unwrap).collect()
}

#[test]
fn workers_make_the_batches_of_a_store_with_edges() {
    let data = Connected::new(molecules(100), Edges::NearestWithin { radius: 3.0, most: 9 }).unwrap();
    let stored = Store::collect(&data).unwrap();
    assert_eq!(stored.schema(), data.schema());
    let expected = batches(stored, 0);
    for workers in [0, 1, 3] {
        let made = batches(data.clone(), workers);
        assert_eq!(made.len(), expected.len());
        made.iter().zip(&expected).for_each(|(made, expected)| assert_eq!(made.bytes(), expected.bytes()));
    }
    // Triplets of edges that are made, and of edges that are there.
    let expected = batches(Triplets::new(Store::collect(&data).unwrap()).unwrap(), 0);
    let made = batches(Triplets::new(data).unwrap(), 2);
    made.iter().zip(&expected).for_each(|(made, expected)| assert_eq!(made.bytes(), expected.bytes()));
}

#[test]
fn padding_changes_no_edge() {
    let data = Connected::new(molecules(40), Edges::Radius(2.0)).unwrap();
    let stored = Store::collect(&data).unwrap();
    for batch in Loader::new(data).batch_graphs(4).build().unwrap().epoch(0) {
        for graph in batch.unwrap().graphs() {
            let [sources, targets]: [Vec<i64>; 2] = graph.index("edge_index").unwrap().try_into().unwrap();
            assert_eq!((sources, targets), stored.edges(graph.number() as usize));
        }
    }
}

/// A transform that moves all atoms apart or together.
fn scale(factor: f32) -> impl Fn(&mut GraphRows<'_>) -> Result<(), SourceError> + Send + Sync {
    move |graph| {
        graph.rows::<f32>("pos")?.iter_mut().for_each(|x| *x *= factor);
        Ok(())
    }
}

#[test]
fn a_transform_moves_atoms_before_edges_are_made() {
    let loader = |options, factor| {
        let data = Arc::new(Connected::with(molecules(60), options).unwrap());
        let loader = Loader::new(data.clone()).batch_graphs(8).workers(1).transform(scale(factor)).build().unwrap();
        let mut epoch = loader.epoch(0);
        let batches: Result<Vec<Batch>, _> = epoch.by_ref().collect();
        (data, batches, epoch.report().left_out())
    };
    let options = || ConnectOptions::new(Edges::Radius(2.0));
    let edges = |batches: &[Batch]| -> usize { batches.iter().map(|batch| batch.real().edges()).sum() };
    // Further apart there are fewer.
    let (data, batches, _) = loader(options(), 1.25);
    let expected = Connected::new(data, Edges::Radius(1.6)).map(drop).unwrap_err();
    assert!(expected.to_string().contains("cannot be added"));
    let near = Store::collect(&Connected::new(molecules(60), Edges::Radius(1.6)).unwrap()).unwrap();
    let all: usize = (0..60).map(|graph| near.size(graph)[1] as usize).sum();
    assert_eq!(edges(&batches.unwrap()), all);
    // Nearer there are more than were counted: an error, room for them, or the longest are left out.
    let error = loader(options(), 0.8).1.map(drop).unwrap_err().to_string();
    assert!(error.contains("edges, more than the"), "{error}");
    let (_, batches, left_out) = loader(options().margin(0.5), 0.8);
    let nearer = edges(&batches.unwrap());
    assert!(left_out == 0 && nearer > all);
    let (data, batches, left_out) = loader(options().margin(0.0), 0.8);
    let counted: usize = (0..60).map(|graph| data.size(graph)[1] as usize).sum();
    let batches = batches.unwrap();
    assert!(edges(&batches) <= counted);
    assert_eq!((left_out > 0, edges(&batches) as u64 + left_out), (true, nearer as u64));
    for batch in &batches {
        for graph in batch.graphs() {
            let distances = graph.rows::<f32>("distance").unwrap();
            let [_, targets] = <[Vec<i64>; 2]>::try_from(graph.index("edge_index").unwrap()).unwrap();
            assert!(targets.is_sorted() && distances.iter().all(|&distance| distance < 2.0));
        }
    }
}

#[test]
fn fields_are_chosen() {
    let data = store(&[(vec![[0.0; 3]], CUBE, [true; 3])]);
    let names = |options| {
        let data = Connected::with(data.clone(), options).unwrap();
        data.schema().fields().iter().map(|field| field.name.clone()).collect::<Vec<_>>()[3..].join(" ")
    };
    let options = || ConnectOptions::new(Edges::Radius(2.5));
    assert_eq!(names(options()), "distance cell_offsets shift");
    assert_eq!(names(options().fields(["cell_offsets"])), "cell_offsets");
    assert_eq!(names(options().fields([""; 0])), "");
    let level = Level::Set(1);
    let schema = Connected::with(data.clone(), options()).unwrap().schema().clone();
    assert!(schema.fields()[3..].iter().all(|field| field.level == level));
    let batch = |fields: &[&str]| {
        let data = Connected::with(data.clone(), options()).unwrap();
        let loader = Loader::new(data).batch_graphs(1).fields(fields.iter().copied()).build().unwrap();
        loader.epoch(0).next().unwrap()
    };
    let error = batch(&["distance"]).map(drop).unwrap_err().to_string();
    assert!(error.contains("do not carry \"pos\", which \"distance\" follows from"), "{error}");
    assert_eq!(batch(&["pos", "cell", "pbc", "distance"]).unwrap().real().edges(), 6);
    assert_eq!(batch(&["pbc"]).unwrap().real().edges(), 6);
}

#[test]
fn counts_are_kept_beside_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edges");
    let data = |radius, atoms| {
        let options = ConnectOptions::new(Edges::Radius(radius)).cache(&path);
        Connected::with(molecules(atoms), options).unwrap().size(7)
    };
    let first = data(2.0, 20);
    assert_eq!(data(2.0, 20), first);
    assert_ne!(data(3.0, 20), first);
    assert_eq!(data(2.0, 19), first);
}

#[test]
fn generated_structures_are_as_large_as_those_of_qm9() {
    let store = molecules(2000);
    let atoms: u32 = (0..2000).map(|graph| store.size(graph)[0]).sum();
    assert!((17.5..18.5).contains(&(f64::from(atoms) / 2000.0)), "{atoms} atoms");
    let connected = Store::collect(&Connected::new(store, Edges::FullyConnected).unwrap()).unwrap();
    assert!(connected.values::<f32>("distance").unwrap().iter().all(|&distance| distance > 0.89));
    assert!(connected.values::<f32>("y").unwrap().iter().all(|y| (-40.0..0.0).contains(y)));
}
