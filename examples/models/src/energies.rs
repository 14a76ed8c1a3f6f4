//! [`with_energies`]: a made-up energy for structures that have none.

use graphpack_loader::{StoreError, Structures};

/// Gives each structure an energy: for each pair of atoms nearer than 3 angstrom, the product of their atomic numbers
/// times (3 - d)^2, in hundreds.
pub fn with_energies(mut structures: Structures) -> Result<Structures, StoreError> {
    let energy = |structure: usize| {
        let (z, pos) = (structures.z(structure), structures.pos(structure));
        let mut sum = 0.0;
        for (i, a) in pos.iter().enumerate() {
            for (j, b) in pos[..i].iter().enumerate() {
                let distance = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f32>().sqrt();
                sum += f32::from(z[i]) * f32::from(z[j]) * (3.0 - distance).max(0.0).powi(2) / 100.0;
            }
        }
        sum
    };
    let energies = (0..structures.len()).map(energy).collect();
    structures.set_targets(1, energies)?;
    Ok(structures)
}

/// The atomic numbers that occur, ascending.
pub fn elements(structures: &Structures) -> Vec<u8> {
    let mut found: Vec<u8> = (0..structures.len()).flat_map(|structure| structures.z(structure).to_vec()).collect();
    found.sort_unstable();
    found.dedup();
    found
}
