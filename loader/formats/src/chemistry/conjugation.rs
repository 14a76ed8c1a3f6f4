//! Which bonds are conjugated: aromatic ones, and multiple bonds next to an atom that can share electrons.

use super::Molecule;
use super::aromaticity::free_electrons;
use super::element::outer_electrons;

/// Marks conjugated bonds.
pub(crate) fn perceive(molecule: &mut Molecule) {
    molecule.bonds.iter_mut().for_each(|bond| bond.is_conjugated = bond.is_aromatic);
    for atom in 0..molecule.atoms.len() {
        if !matches!(molecule.total_degree(atom), 2 | 3) || !can_share(molecule, atom) {
            continue;
        }
        for (at, first) in molecule.incidence.of(atom).iter().enumerate() {
            if molecule.bonds[first.bond].twice_to(atom) < 3 {
                continue;
            }
            for (other, second) in molecule.incidence.of(atom).iter().enumerate() {
                if other != at && molecule.total_degree(second.atom) <= 3 && can_share(molecule, second.atom) {
                    molecule.bonds[first.bond].is_conjugated = true;
                    molecule.bonds[second.bond].is_conjugated = true;
                }
            }
        }
    }
}

/// Whether an atom can share electrons. Beyond the first row, elements like phosphorus and sulfur do not, except as the
/// end of a bond like that of a thiocarbonyl.
fn can_share(molecule: &Molecule, atom: usize) -> bool {
    let number = molecule.atoms[atom].number;
    let shares = match outer_electrons(number) {
        5 => number <= 10,
        6 => number <= 10 || molecule.total_degree(atom) < 2,
        _ => true,
    };
    shares && free_electrons(molecule, atom) > 0
}
