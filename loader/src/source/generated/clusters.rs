//! Generated atoms, for trying things out: clusters of QM9's sizes, with an energy computed from the positions.

use crate::Random;
use crate::layout::{Level, PaddingValue, Schema};
use crate::source::{Column, Store};

/// Atomic number and strength in the energy of each element: hydrogen, carbon, nitrogen, oxygen.
const KINDS: [(i64, f64); 4] = [(1, 0.3), (6, 1.0), (7, 1.1), (8, 1.2)];
const ATTEMPTS: usize = 40;

/// Generates `count` clusters of 3 to 29 atoms, 18 on average, which depend on `seed` alone, with these fields: atomic
/// numbers `z` int64 `[nodes, 1]`, `pos` float32 `[nodes, 3]` and `y` float32 `[graphs, 1]`. `y` is the sum of
/// -0.3 a b / (1 + distance^2) over all pairs of atoms, where a and b depend on the elements: about as large as QM9's
/// binding energies in hartree.
///
/// ```
/// use graphpack_loader::{Data, Edges, clusters};
///
/// let data = Data::from(clusters::generate(1, 100)).connect(Edges::FullyConnected)?;
/// let size = data.size(0)?;
/// assert_eq!(size[1], size[0] * (size[0] - 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn generate(seed: u64, count: usize) -> Store {
    let (mut ptr, mut z, mut positions, mut energies) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for structure in 0..count {
        let mut random = Random::new(seed, structure as u64);
        // The sum of twelve uniform numbers has a standard deviation of one.
        let sum: u32 = (0..12).map(|_| random.below(1 << 16)).sum();
        let atoms = (18.5 + 3.0 * (f64::from(sum) / 65536.0 - 6.0)).clamp(3.0, 29.0) as usize;
        let mut kinds: Vec<usize> = vec![1];
        let mut pos = vec![[0.0; 3]];
        while pos.len() < atoms {
            let parent = random.below(pos.len() as u32) as usize;
            if KINDS[kinds[parent]].0 == 1 {
                continue;
            }
            let kind = [0, 0, 0, 0, 0, 1, 1, 1, 2, 3][random.below(10) as usize];
            let bond = if kind == 0 { 1.1 } else { 1.45 };
            pos.push(free_place(&mut random, &pos, parent, bond));
            kinds.push(kind);
        }
        let strength = |atom: usize| KINDS[kinds[atom]].1;
        let pairs = (0..atoms).flat_map(|i| (0..i).map(move |j| (i, j)));
        let energy: f64 =
            pairs.map(|(i, j)| -0.3 * strength(i) * strength(j) / (1.0 + squared(&pos[i], &pos[j]))).sum();
        energies.push(energy as f32);
        z.extend(kinds.iter().map(|&kind| KINDS[kind].0));
        positions.extend(pos.as_flattened().iter().map(|&x| x as f32));
        ptr.push(z.len() as u64);
    }
    let columns = vec![
        Column::new("z", Level::NODE, 1, z),
        Column::new("pos", Level::NODE, 3, positions).padded(PaddingValue::Positions),
        Column::new("y", Level::Graph, 1, energies),
    ];
    let fields = columns.iter().map(|column| column.field().clone()).collect();
    let schema = Schema::from_parts(&["nodes"], fields, vec![]).expect("names differ");
    Store::of_sets(schema, vec![ptr], vec![], columns).expect("columns that are filled together belong together")
}

/// Returns a random position at distance `bond` from the parent, or a little further, and at least 0.9 angstrom from
/// all other atoms.
fn free_place(random: &mut Random, pos: &[[f64; 3]], parent: usize, bond: f64) -> [f64; 3] {
    let mut bond = bond;
    loop {
        for _ in 0..ATTEMPTS {
            let direction = direction(random);
            let place = std::array::from_fn(|k| pos[parent][k] + bond * direction[k]);
            if pos.iter().all(|other| squared(other, &place) > 0.81) {
                return place;
            }
        }
        // Ends, because there is always room further out.
        bond *= 1.2;
    }
}

/// Returns a random vector of length one. It uses no functions but square roots, which are the same on every platform.
fn direction(random: &mut Random) -> [f64; 3] {
    loop {
        let vector: [f64; 3] = std::array::from_fn(|_| f64::from(random.below(1 << 20)) / f64::from(1 << 19) - 1.0);
        let square = squared(&vector, &[0.0; 3]);
        if (0.01..1.0).contains(&square) {
            return vector.map(|x| x / square.sqrt());
        }
    }
}

fn squared(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum()
}
