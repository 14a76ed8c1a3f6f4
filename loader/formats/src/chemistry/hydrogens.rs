//! Hydrogens that a file writes as atoms become numbers at the atoms that they are bonded to.

use super::element::valences;
use super::{Bond, Chirality, Direction, Molecule, Order, Stereo};

/// Removes hydrogen atoms as RDKit does when it reads a file. Those stay that are isotopes, have not exactly one bond,
/// are bonded to hydrogen or to no element, or say on which side of a double bond they are. With `are_written`, their
/// neighbours keep exactly this number; else only where valence would not give it back.
pub(crate) fn remove(molecule: &mut Molecule, are_written: bool) {
    let removed: Vec<bool> = (0..molecule.atoms.len()).map(|atom| can_go(molecule, atom)).collect();
    if !removed.contains(&true) {
        return;
    }
    for hydrogen in (0..removed.len()).rev().filter(|&atom| removed[atom]) {
        let end = molecule.incidence.of(hydrogen)[0];
        let number = molecule.atoms[end.atom].number;
        let total = molecule.atoms[end.atom].total_valence();
        let heavy = &mut molecule.atoms[end.atom];
        let is_higher = || valences(number)[1..].contains(&total);
        let is_chiral = heavy.chirality != Chirality::None;
        let is_aromatic = matches!(number, 7 | 15) && heavy.is_aromatic;
        if are_written || heavy.only_written || is_chiral || is_aromatic || is_higher() {
            heavy.written_hydrogens += 1;
        }
        // The hydrogen becomes the last neighbour: as many turns as there are bonds after its own.
        let is_gone = |atom: usize| removed[atom] && atom > hydrogen;
        let ends = molecule.incidence.of(end.atom).iter();
        let after = ends.filter(|other| other.bond > end.bond && !is_gone(other.atom)).count();
        heavy.chirality = heavy.chirality.turned_if(after % 2 == 1);
        pass_direction_on(molecule, end.bond, end.atom, &removed, hydrogen);
    }
    let mut number = vec![0; removed.len()];
    let mut next = 0;
    for (atom, &removed) in removed.iter().enumerate() {
        number[atom] = next;
        next += usize::from(!removed);
    }
    molecule.bonds.retain(|bond| !removed[bond.begin] && !removed[bond.end]);
    for bond in &mut molecule.bonds {
        (bond.begin, bond.end) = (number[bond.begin], number[bond.end]);
    }
    let mut stays = removed.iter().map(|removed| !removed);
    molecule.atoms.retain(|_| stays.next().unwrap_or(true));
    let mut stays = removed.iter().map(|removed| !removed);
    molecule.positions.retain(|_| stays.next().unwrap_or(true));
    molecule.connect();
}

/// If the bond of a hydrogen says on which side it is and no other single bond of its neighbour does, one of these says
/// it from now on.
fn pass_direction_on(molecule: &mut Molecule, own: usize, heavy: usize, removed: &[bool], hydrogen: usize) {
    let (direction, begins_here) = (molecule.bonds[own].direction, molecule.bonds[own].begin == heavy);
    if direction == Direction::Wavy && begins_here {
        molecule.atoms[heavy].is_unknown_stereo = true;
        return;
    }
    if !direction.is_slanted() {
        return;
    }
    let mut other = None;
    for end in molecule.incidence.of(heavy).iter().filter(|end| end.bond != own) {
        let is_gone = removed[end.atom] && end.atom > hydrogen;
        if is_gone || molecule.bonds[end.bond].order != Order::Single {
            continue;
        }
        if molecule.bonds[end.bond].direction != Direction::None {
            return;
        }
        other = Some(end.bond);
    }
    if let Some(other) = other {
        let is_flipped = begins_here && molecule.bonds[other].begin == heavy;
        molecule.bonds[other].direction = if is_flipped { direction.reversed() } else { direction };
    }
}

fn can_go(molecule: &Molecule, atom: usize) -> bool {
    let this = &molecule.atoms[atom];
    let [end] = molecule.incidence.of(atom) else { return false };
    let heavy = &molecule.atoms[end.atom];
    let is_tetrahedral = heavy.chirality.is_tetrahedral() || heavy.chirality == Chirality::None;
    if this.number != 1 || this.isotope != 0 || heavy.number <= 1 || !is_tetrahedral {
        return false;
    }
    let bond = &molecule.bonds[end.bond];
    let has_direction = bond.direction != Direction::None;
    let has_side = |bond: &Bond| has_direction || matches!(bond.stereo, Stereo::E | Stereo::Z);
    let decides = |bond: &Bond| bond.order == Order::Double && has_side(bond);
    let mut ends = molecule.incidence.of(end.atom).iter();
    molecule.degree(end.atom) != 2 || !ends.any(|end| decides(&molecule.bonds[end.bond]))
}
