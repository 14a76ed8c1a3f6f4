//! Hybridization: which orbitals an atom's bonds and lone pairs need.

use super::element::outer_electrons;
use super::{Chirality, Hybridization, Molecule};

/// Sets the hybridization of all atoms.
pub(crate) fn perceive(molecule: &mut Molecule) {
    for atom in 0..molecule.atoms.len() {
        molecule.atoms[atom].hybridization = of(molecule, atom);
    }
}

fn of(molecule: &Molecule, atom: usize) -> Hybridization {
    let this = &molecule.atoms[atom];
    let degree = molecule.total_degree(atom);
    let orbitals = match (this.number, this.chirality, degree) {
        (0, ..) => return Hybridization::Unknown,
        (_, Chirality::Clockwise | Chirality::Counterclockwise, 4) => return Hybridization::Sp3,
        (_, Chirality::SquarePlanar, 2..=4) => return Hybridization::Sp2d,
        (_, Chirality::TrigonalBipyramidal, 2..=5) => return Hybridization::Sp3d,
        (_, Chirality::Octahedral, 2..=6) => return Hybridization::Sp3d2,
        (1 | 89.., ..) => degree,
        _ => degree + lone(molecule, atom),
    };
    match orbitals {
        0 | 1 => Hybridization::S,
        2 => Hybridization::Sp,
        3 => Hybridization::Sp2,
        // A conjugated atom is flat, like the second O of O=CO.
        4 if degree <= 3 && is_conjugated(molecule, atom) => Hybridization::Sp2,
        4 => Hybridization::Sp3,
        5 => Hybridization::Sp3d,
        6 => Hybridization::Sp3d2,
        _ => Hybridization::Unknown,
    }
}

/// Lone pairs and unpaired electrons.
fn lone(molecule: &Molecule, atom: usize) -> i32 {
    let this = &molecule.atoms[atom];
    let (outer, valence) = (outer_electrons(this.number), this.total_valence());
    let free = outer - (valence + this.charge);
    if valence + outer - this.charge < 8 { (free - this.radicals) / 2 + this.radicals } else { free / 2 }
}

fn is_conjugated(molecule: &Molecule, atom: usize) -> bool {
    molecule.incidence.of(atom).iter().any(|end| molecule.bonds[end.bond].is_conjugated)
}
