//! [`perceive`]: what files leave out of a molecule, in the order in which RDKit finds it ("sanitization").

use super::{
    Chirality, Hybridization, MOST_RINGS, Molecule, Refusal, aromaticity, cleanup, conjugation, hybridization, kekule,
    ring_search, valence,
};

/// Finds valences, rings, aromaticity, conjugation and hybridization. A molecule whose valences cannot be, or whose
/// aromatic atoms do not pair up, is refused.
pub(crate) fn perceive(molecule: &mut Molecule) -> Result<(), Refusal> {
    if molecule.bonds.len() >= molecule.atoms.len() + MOST_RINGS {
        return Err(Refusal::new(format!("at most {MOST_RINGS} rings"), "more"));
    }
    cleanup::clean_up(molecule);
    valence::assign(molecule, true)?;
    molecule.rings = ring_search::rings(molecule);
    kekule::kekulize(molecule)?;
    valence::assign_radicals(molecule);
    aromaticity::perceive(molecule);
    conjugation::perceive(molecule);
    hybridization::perceive(molecule);
    for atom in 0..molecule.atoms.len() {
        let degree = molecule.total_degree(atom);
        let this = &mut molecule.atoms[atom];
        let can_be = match this.chirality {
            Chirality::None => true,
            Chirality::Clockwise | Chirality::Counterclockwise => this.hybridization == Hybridization::Sp3,
            Chirality::SquarePlanar => matches!(degree, 2..=4),
            Chirality::TrigonalBipyramidal => matches!(degree, 2..=5),
            Chirality::Octahedral => matches!(degree, 2..=6),
        };
        if !can_be {
            this.chirality = Chirality::None;
        }
    }
    // A hydrogen that aromatic bonds would take away, like that of pyrrole, counts as written from now on.
    for atom in 0..molecule.atoms.len() {
        let before = molecule.atoms[atom].implied_hydrogens();
        valence::assign_one(molecule, atom, false)?;
        let this = &mut molecule.atoms[atom];
        let lost = before - this.implicit_valence;
        if lost > 0 {
            this.written_hydrogens += lost;
        }
    }
    valence::assign(molecule, true)
}
