//! [`alloys`]: generated crystals and molecules with the energies, forces and stresses of a simple potential.

use graphpack_loader::schema::PaddingValue;
use graphpack_loader::{Column, Dtype, Element, Error, Random, Schema, Store};

/// The elements, with the strength of each in a bond.
const ELEMENTS: [(i64, f64); 3] = [(13, 0.6), (29, 1.0), (47, 1.4)];
/// Beyond this distance, in angstrom, atoms do not feel each other; it is also less than the length of a cell's edges.
const CUTOFF: f64 = 4.0;
/// The distance of the least energy is a little above this.
const CORE: f64 = 2.5;

/// Generates structures of 2 to 8 atoms, two of three of them crystals. Each has `z`, `pos`, `cell`, `pbc`, `energy`
/// and `forces`, crystals also `stress`, as `has_stress` says; there are no edges. `T` is f32 or f64.
pub fn alloys<T: Element>(seed: u64, graphs: usize, from: fn(f64) -> T) -> Result<Store, Error> {
    let schema = Schema::of(&["nodes"])
        .field("z", "nodes", Dtype::I64, &[1])
        .field("pos", "nodes", T::DTYPE, &[3])
        .field("cell", "graph", T::DTYPE, &[9])
        .field("pbc", "graph", Dtype::Bool, &[3])
        .field("energy", "graph", T::DTYPE, &[1])
        .field("forces", "nodes", T::DTYPE, &[3])
        .field("stress", "graph", T::DTYPE, &[9])
        .field("has_stress", "graph", Dtype::Bool, &[1])
        .padded("pos", PaddingValue::Positions)
        .padded("cell", PaddingValue::Cell);
    let (mut ptr, mut z, mut numbers, mut flags) =
        (vec![0], vec![], <[Vec<T>; 5]>::default(), <[Vec<bool>; 2]>::default());
    for graph in 0..graphs as u64 {
        let structure = Structure::generate(&mut Random::new(seed, graph), graph % 3 > 0);
        let (energy, forces, stress) = structure.labels();
        z.extend(structure.atoms.iter().map(|&(element, _)| ELEMENTS[element].0));
        let pos: Vec<_> = structure.atoms.iter().map(|&(_, pos)| pos).collect();
        let cell = [0, 1, 2].map(|row| [0, 1, 2].map(|column| if row == column { structure.cell } else { 0.0 }));
        let found: [&[f64]; 5] = [pos.as_flattened(), cell.as_flattened(), &[energy], forces.as_flattened(), &stress];
        numbers.iter_mut().zip(found).for_each(|(numbers, found)| numbers.extend(found.iter().map(|&n| from(n))));
        flags[0].extend([structure.cell > 0.0; 3]);
        flags[1].push(structure.cell > 0.0);
        ptr.push(z.len() as u64);
    }
    let [pos, cell, energy, forces, stress] = numbers;
    let [pbc, has_stress] = flags;
    let columns = vec![
        Column::of(&schema, "z", z)?,
        Column::of(&schema, "pos", pos)?,
        Column::of(&schema, "cell", cell)?,
        Column::of(&schema, "pbc", pbc)?,
        Column::of(&schema, "energy", energy)?,
        Column::of(&schema, "forces", forces)?,
        Column::of(&schema, "stress", stress)?,
        Column::of(&schema, "has_stress", has_stress)?,
    ];
    Store::of_sets(schema, vec![ptr], vec![], columns)
}

/// A molecule, or a crystal with a cubic cell.
struct Structure {
    /// Elements and positions.
    atoms: Vec<(usize, [f64; 3])>,
    /// The length of the cell's edges; 0 for a molecule.
    cell: f64,
}

impl Structure {
    /// Puts atoms near the corners of cubes.
    fn generate(random: &mut Random, crystal: bool) -> Self {
        let cell = 2.0 * (2.4 + 0.5 * random.unit());
        let mut corners: Vec<u8> = (0..8).collect();
        random.shuffle(&mut corners);
        corners.truncate(2 + random.below(7) as usize);
        let atom = |corner: u8| {
            let place = |axis: u8| f64::from(corner >> axis & 1) * cell / 2.0;
            let pos = [0, 1, 2].map(|axis| place(axis) + 0.6 * (random.unit() - 0.5));
            (random.below(ELEMENTS.len() as u32) as usize, pos)
        };
        let atoms = corners.into_iter().map(atom).collect();
        Self { atoms, cell: if crystal { cell } else { 0.0 } }
    }

    /// Energy, forces and stress of the potential a (1 - r/R)^2 (C - r), summed over pairs.
    fn labels(&self) -> (f64, Vec<[f64; 3]>, [f64; 9]) {
        let (mut energy, mut forces, mut stress) = (0.0, vec![[0.0; 3]; self.atoms.len()], [0.0; 9]);
        let images: Vec<[f64; 3]> = match self.cell > 0.0 {
            true => {
                (0..27).map(|image| [image % 3, image / 3 % 3, image / 9].map(|n| (n - 1) as f64 * self.cell)).collect()
            }
            false => vec![[0.0; 3]],
        };
        for (at, (element, target)) in self.atoms.iter().enumerate() {
            for (other, source) in &self.atoms {
                for image in &images {
                    let vector = [0, 1, 2].map(|axis| source[axis] + image[axis] - target[axis]);
                    let r = vector.iter().map(|part| part * part).sum::<f64>().sqrt();
                    if r == 0.0 || r >= CUTOFF {
                        continue;
                    }
                    let (strength, near) = (4.0 * ELEMENTS[*element].1 * ELEMENTS[*other].1, 1.0 - r / CUTOFF);
                    energy += 0.5 * strength * near * near * (CORE - r);
                    let slope = -strength * near * (2.0 / CUTOFF * (CORE - r) + near);
                    (0..3).for_each(|axis| forces[at][axis] += slope * vector[axis] / r);
                    for (place, stress) in stress.iter_mut().enumerate() {
                        *stress += 0.5 * slope * vector[place / 3] * vector[place % 3] / r;
                    }
                }
            }
        }
        let volume = self.cell.powi(3);
        (energy, forces, stress.map(|virial| if volume > 0.0 { virial / volume } else { 0.0 }))
    }
}
