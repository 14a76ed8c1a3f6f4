//! [`with_energies`]: a made-up energy for structures that have none.

use graphpack_loader::{Column, Level, Store};
use std::error::Error;

/// Gives each of these atoms' structures an energy `y`, in place of the one that they have: for each pair of atoms
/// nearer than 3 angstrom, the product of their atomic numbers times (3 - d)^2, in hundreds.
pub fn with_energies(atoms: Store) -> Result<Store, Box<dyn Error>> {
    let (z, pos) = (atoms.values::<i64>("z")?, atoms.values::<f32>("pos")?);
    let pos: &[[f32; 3]] = pos.as_chunks().0;
    let (mut start, mut energies) = (0, Vec::new());
    for size in atoms.sizes() {
        let end = start + size[0] as usize;
        let mut sum = 0.0;
        for i in start..end {
            for j in start..i {
                let distance = (0..3).map(|k| (pos[i][k] - pos[j][k]).powi(2)).sum::<f32>().sqrt();
                sum += (z[i] * z[j]) as f32 * (3.0 - distance).max(0.0).powi(2) / 100.0;
            }
        }
        energies.push(sum);
        start = end;
    }
    Ok(atoms.with_column(Column::new("y", Level::Graph, 1, energies))?)
}

/// The atomic numbers that occur, ascending.
pub fn elements(atoms: &Store) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut found: Vec<u8> = atoms.values::<i64>("z")?.into_iter().map(u8::try_from).collect::<Result<_, _>>()?;
    found.sort_unstable();
    found.dedup();
    Ok(found)
}
