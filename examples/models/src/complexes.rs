//! [`complexes`]: generated proteins with ligands, a data set of two types of nodes and three of edges.

use graphpack_loader::schema::PaddingValue;
use graphpack_loader::{Column, Dtype, Error, Random, Schema, Store};

/// Features of a residue and of an atom, one of which is 1.
pub const FEATURES: [usize; 2] = [4, 3];
/// Nodes of one molecule that are nearer are connected, and nodes of both are in contact.
const NEAR: f64 = 2.0;

/// Returns `count` complexes of 8 to 31 residues and 3 to 10 atoms. How strongly they bind, `y`, is the sum over
/// contacts of a product of what both ends are, over their distance.
pub fn complexes(seed: u64, count: usize) -> Result<Store, Error> {
    let schema = Schema::of(&["protein", "ligand", "protein_edges", "ligand_edges", "contacts"])
        .field("protein.x", "protein", Dtype::F32, &[FEATURES[0]])
        .field("protein.pos", "protein", Dtype::F32, &[3])
        .padded("protein.pos", PaddingValue::Positions)
        .field("ligand.x", "ligand", Dtype::F32, &[FEATURES[1]])
        .field("ligand.pos", "ligand", Dtype::F32, &[3])
        .padded("ligand.pos", PaddingValue::Positions)
        .field("y", "graph", Dtype::F32, &[1])
        .index("protein_index", "protein_edges", &["protein", "protein"])
        .index("ligand_index", "ligand_edges", &["ligand", "ligand"])
        .index("contact_index", "contacts", &["protein", "ligand"]);
    let mut random = Random::new(seed, 0);
    let (mut x, mut pos, mut y) = ([vec![], vec![]], [vec![], vec![]], vec![]);
    let (mut indices, mut ptr) = (vec![vec![Vec::new(); 2]; 3], vec![vec![0_u64]; 5]);
    for _ in 0..count {
        let sizes = [8 + random.below(24), 3 + random.below(8)].map(|nodes| nodes as usize);
        let mut kinds =
            [0, 1].map(|of: usize| (0..sizes[of]).map(|_| random.below(FEATURES[of] as u32)).collect::<Vec<_>>());
        let places = sizes.map(|nodes| (0..nodes).map(|_| [0; 3].map(|_| 4.0 * random.unit())).collect::<Vec<_>>());
        let distance = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt().max(0.1);
        let mut strength = 0.0;
        for (route, [from, to]) in [[0, 0], [1, 1], [0, 1]].into_iter().enumerate() {
            for (source, &a) in places[from].iter().enumerate() {
                for (target, &b) in places[to].iter().enumerate() {
                    if distance(a, b) < NEAR && (from != to || source != target) {
                        indices[route][0].push(source as i64);
                        indices[route][1].push(target as i64);
                        if from != to {
                            let charges = (kinds[0][source] as f64 - 1.5) * (kinds[1][target] as f64 - 1.0);
                            strength += charges / distance(a, b);
                        }
                    }
                }
            }
            ptr[2 + route].push(indices[route][0].len() as u64);
        }
        for of in 0..2 {
            let one_hot = |kind: u32| (0..FEATURES[of] as u32).map(move |at| f32::from(u8::from(at == kind)));
            x[of].extend(kinds[of].drain(..).flat_map(one_hot));
            pos[of].extend(places[of].as_flattened().iter().map(|&coordinate| coordinate as f32));
            ptr[of].push(pos[of].len() as u64 / 3);
        }
        y.push(strength as f32);
    }
    let ([protein, ligand], [at_protein, at_ligand]) = (x, pos);
    let columns = [
        ("protein.x", protein),
        ("protein.pos", at_protein),
        ("ligand.x", ligand),
        ("ligand.pos", at_ligand),
        ("y", y),
    ];
    let columns = columns.into_iter().map(|(name, values)| Column::of(&schema, name, values));
    let columns = columns.collect::<Result<_, _>>()?;
    Store::of_sets(schema, ptr, indices, columns)
}
