//! Structures, and the edges that they get.

use graphpack_loader::{Column, Data, Dtype, Edges, Error, Schema, Store};

/// Positions, cell and periodic directions of a structure.
pub(crate) type Atoms = (Vec<[f64; 3]>, [[f64; 3]; 3], [bool; 3]);

pub(crate) const CUBE: [[f64; 3]; 3] = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];

pub(crate) fn store(structures: &[Atoms]) -> Store {
    let schema =
        Schema::of(&["nodes"]).field("pos", "nodes", Dtype::F64, &[3]).field("cell", "graph", Dtype::F64, &[9]);
    let schema = schema.field("pbc", "graph", Dtype::Bool, &[3]);
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
pub(crate) struct Edge {
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) distance: f64,
    pub(crate) cells: [i32; 3],
    pub(crate) shift: [f64; 3],
}

/// The edges of every graph.
fn edges_of(store: &Store) -> Vec<Vec<Edge>> {
    let (distances, shifts) = (store.values::<f64>("distance").unwrap(), store.values::<f64>("shift").unwrap());
    let cells = store.values::<i32>("cell_offsets").unwrap();
    let mut row = 0;
    let mut of_graph = |graph| {
        let (sources, targets) = store.edges(graph).unwrap();
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
pub(crate) fn edges(atoms: &Atoms, rule: Edges) -> Result<Vec<Edge>, Error> {
    let data = Data::from(store(std::slice::from_ref(atoms))).connect(rule)?;
    Ok(edges_of(&Store::collect(data).unwrap()).remove(0))
}

pub(crate) fn length(a: [f64; 3]) -> f64 {
    (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
}

/// Errors unless vectors, lengths and order are what the documentation says.
pub(crate) fn check((pos, cell, _): &Atoms, edges: &[Edge]) {
    for edge in edges {
        let shift = [0, 1, 2].map(|axis| (0..3).map(|k| f64::from(edge.cells[k]) * cell[k][axis]).sum::<f64>());
        let vector = [0, 1, 2].map(|axis| pos[edge.source][axis] + edge.shift[axis] - pos[edge.target][axis]);
        assert!((0..3).all(|axis| (shift[axis] - edge.shift[axis]).abs() < 1e-9), "{edge:?}");
        assert!((length(vector) - edge.distance).abs() < 1e-9, "{edge:?}");
    }
    let key = |edge: &Edge| (edge.target, edge.distance.to_bits(), edge.source, edge.cells);
    assert!(edges.windows(2).all(|pair| key(&pair[0]) < key(&pair[1])), "the order");
}
