//! [`perceive`]: what files leave out of a molecule, in the order in which RDKit finds it ("sanitization"). First come forms
//! of writing that RDKit makes one ([`clean_up`]): pentavalent nitrogen and phosphorus and oxides of halogens get
//! charges. Hydrogens that a file writes as atoms become numbers at the atoms that they are bonded to
//! ([`remove_hydrogens`]).

use super::element::{self, valences};
use super::{
    Bond, Chirality, Direction, Hybridization, MOST_RINGS, Molecule, Order, Refusal, Stereo, aromaticity, features,
    kekule, ring_search,
};

/// Finds valences, rings, aromaticity, conjugation and hybridization. A molecule whose valences cannot be, or whose
/// aromatic atoms do not pair up, is refused.
pub(crate) fn perceive(molecule: &mut Molecule) -> Result<(), Refusal> {
    if molecule.bonds.len() >= molecule.atoms.len() + MOST_RINGS {
        return Err(Refusal::new(format!("at most {MOST_RINGS} rings"), "more"));
    }
    clean_up(molecule);
    element::assign_valences(molecule, true)?;
    molecule.rings = ring_search::rings(molecule);
    kekule::kekulize(molecule)?;
    element::assign_radicals(molecule);
    aromaticity::perceive(molecule);
    features::conjugate(molecule);
    features::hybridize(molecule);
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
        element::assign_valence(molecule, atom, false)?;
        let this = &mut molecule.atoms[atom];
        let lost = before - this.implicit_valence;
        if lost > 0 {
            this.written_hydrogens += lost;
        }
    }
    element::assign_valences(molecule, true)
}

/// Writes `N(=O)=O` as `[N+](=O)[O-]`, `N=N#N` as `N=[N+]=[N-]`, `C=P(=O)X` as `C=[P+]([O-])X` and `Cl(=O)(=O)(=O)O`
/// as `[Cl+3]([O-])([O-])([O-])O`.
fn clean_up(molecule: &mut Molecule) {
    for atom in 0..molecule.atoms.len() {
        if molecule.atoms[atom].charge != 0 {
            continue;
        }
        match molecule.atoms[atom].number {
            7 => nitrogen(molecule, atom),
            15 => phosphorus(molecule, atom),
            17 | 35 | 53 => halogen(molecule, atom),
            _ => {}
        }
    }
}

fn nitrogen(molecule: &mut Molecule, atom: usize) {
    // The valence without the allowance for aromatic atoms, as far as the atom itself is marked.
    let was_aromatic = std::mem::take(&mut molecule.atoms[atom].is_aromatic);
    let is_pentavalent = drawn_valence(molecule, atom) == 5;
    molecule.atoms[atom].is_aromatic = was_aromatic;
    if !is_pentavalent {
        return;
    }
    let found = molecule.incidence.of(atom).iter().find_map(|end| {
        let other = &molecule.atoms[end.atom];
        let lower = match (other.number, molecule.bonds[end.bond].order) {
            (8, Order::Double) => Order::Single,
            (7, Order::Triple) => Order::Double,
            _ => return None,
        };
        (other.charge == 0).then_some((*end, lower))
    });
    if let Some((end, lower)) = found {
        molecule.bonds[end.bond].order = lower;
        molecule.atoms[atom].charge = 1;
        molecule.atoms[end.atom].charge = -1;
    }
}

fn phosphorus(molecule: &mut Molecule, atom: usize) {
    if molecule.degree(atom) != 3 || drawn_valence(molecule, atom) != 5 {
        return;
    }
    let (mut oxide, mut has_other) = (None, false);
    for end in molecule.incidence.of(atom) {
        let other = &molecule.atoms[end.atom];
        if molecule.bonds[end.bond].order == Order::Double {
            match other.number {
                8 if other.charge == 0 => oxide = Some(*end),
                6 | 7 if molecule.degree(end.atom) >= 2 => has_other = true,
                _ => {}
            }
        }
    }
    if let (Some(end), true) = (oxide, has_other) {
        molecule.bonds[end.bond].order = Order::Single;
        molecule.atoms[atom].charge = 1;
        molecule.atoms[end.atom].charge = -1;
    }
}

fn halogen(molecule: &mut Molecule, atom: usize) {
    let only_oxygen = molecule.incidence.of(atom).iter().all(|end| molecule.atoms[end.atom].number == 8);
    if !only_oxygen || !matches!(drawn_valence(molecule, atom), 3 | 5 | 7) {
        return;
    }
    for end in molecule.incidence.of(atom) {
        if molecule.bonds[end.bond].order == Order::Double {
            molecule.bonds[end.bond].order = Order::Single;
            molecule.atoms[end.atom].charge = -1;
            molecule.atoms[atom].charge += 1;
        }
    }
}

fn drawn_valence(molecule: &Molecule, atom: usize) -> i32 {
    element::explicit_valence(molecule, atom, false).unwrap_or(0)
}

/// Removes hydrogen atoms as RDKit does when it reads a file. Those stay that are isotopes, have not exactly one bond,
/// are bonded to hydrogen or to no element, or say on which side of a double bond they are. With `are_written`, their
/// neighbours keep exactly this number; else only where valence would not give it back.
pub(crate) fn remove_hydrogens(molecule: &mut Molecule, are_written: bool) {
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
