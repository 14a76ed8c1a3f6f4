//! Aromaticity by RDKit's model ("The RDKit Book", Aromaticity): rings and fused systems of up to six rings in which
//! the electrons that atoms give fulfil Hückel's rule of 4n + 2.

use super::element::{default_valence, is_more_electronegative, outer_electrons};
use super::molecule::fuse;
use super::{Molecule, Order};

/// Rings of more bonds are not fused with others: a little more than the outer ring of a porphyrin.
const LONGEST_FUSED: usize = 24;
/// Rings of a fused system that are taken together at most.
const MOST_RINGS: usize = 6;
/// Sets of rings that are tried at most in one fused system; molecules of real data have far fewer.
const MOST_SETS: usize = 1_000_000;

/// What an atom gives to a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gives {
    /// This number of electrons.
    Electrons(i32),
    /// One or two, as it is needed: an atom of no element.
    Any,
    /// It cannot be part of an aromatic ring.
    Nothing,
}

/// Marks aromatic atoms and bonds of a molecule in Kekulé's form.
pub(crate) fn perceive(molecule: &mut Molecule) {
    let mut gives = vec![None; molecule.atoms.len()];
    let mut candidates = Vec::new();
    for (number, ring) in molecule.rings.atoms.iter().enumerate() {
        for &atom in ring {
            gives[atom].get_or_insert_with(|| given_by(molecule, atom));
        }
        let is_candidate = ring.iter().all(|&atom| gives[atom] != Some(Gives::Nothing));
        if is_candidate && ring.iter().any(|&atom| molecule.atoms[atom].number != 0) {
            candidates.push(number);
        }
    }
    let bonds: Vec<&Vec<usize>> = candidates.iter().map(|&ring| &molecule.rings.bonds[ring]).collect();
    let (groups, neighbours) = fuse(&bonds, molecule.bonds.len(), LONGEST_FUSED, 1);
    let mut found = Found { atoms: vec![false; molecule.atoms.len()], bonds: vec![false; molecule.bonds.len()] };
    for group in groups {
        let mut is_in = vec![false; molecule.bonds.len()];
        group.iter().for_each(|&ring| bonds[ring].iter().for_each(|&bond| is_in[bond] = true));
        let total = is_in.iter().filter(|&&is_in| is_in).count();
        // Beyond 300 rings, sets of more than two are not tried, as in RDKit.
        let most = if group.len() > 300 { 2 } else { MOST_RINGS.min(group.len()) };
        let mut left = MOST_SETS;
        for size in 1..=most {
            if is_in.iter().zip(&found.bonds).filter(|&(&is_in, &done)| is_in && done).count() >= total {
                break;
            }
            let mut try_set = |set: &[usize]| {
                let set: Vec<usize> = set.iter().map(|&ring| candidates[ring]).collect();
                found.try_rings(molecule, &set, &gives);
            };
            for &first in &group {
                each_connected(&neighbours, first, size, &mut left, &mut try_set);
            }
        }
    }
    for (atom, _) in found.atoms.iter().enumerate().filter(|(_, is_found)| **is_found) {
        molecule.atoms[atom].is_aromatic = true;
    }
    for (bond, _) in found.bonds.iter().enumerate().filter(|(_, is_found)| **is_found) {
        molecule.bonds[bond].is_aromatic = true;
        if matches!(molecule.bonds[bond].order, Order::Single | Order::Double) {
            molecule.bonds[bond].order = Order::Aromatic;
        }
    }
}

/// Calls `then` once with each connected set of `size` rings whose lowest ring is `first` (Wernicke 2006). `left`
/// counts down the sets that may be tried.
fn each_connected(
    neighbours: &[Vec<usize>],
    first: usize,
    size: usize,
    left: &mut usize,
    then: &mut impl FnMut(&[usize]),
) {
    let above: Vec<usize> = neighbours[first].iter().copied().filter(|&ring| ring > first).collect();
    extend(neighbours, &mut vec![first], above, size, left, then);
}

fn extend(
    neighbours: &[Vec<usize>],
    set: &mut Vec<usize>,
    mut open: Vec<usize>,
    size: usize,
    left: &mut usize,
    then: &mut impl FnMut(&[usize]),
) {
    if *left == 0 {
        return;
    }
    if set.len() == size {
        *left -= 1;
        return then(set);
    }
    while let Some(ring) = open.pop() {
        let mut next = open.clone();
        for &other in &neighbours[ring] {
            let is_near = set.contains(&other) || set.iter().any(|&ring| neighbours[ring].contains(&other));
            if other > set[0] && !is_near {
                next.push(other);
            }
        }
        set.push(ring);
        extend(neighbours, set, next, size, left, then);
        set.pop();
    }
}

/// Atoms and bonds that were found aromatic.
struct Found {
    atoms: Vec<bool>,
    bonds: Vec<bool>,
}

impl Found {
    /// Marks rings if they are aromatic together: their atoms, and bonds that are in only one of them.
    fn try_rings(&mut self, molecule: &Molecule, set: &[usize], gives: &[Option<Gives>]) {
        let rings = &molecule.rings;
        let in_set = |lists: &[Vec<usize>]| -> Vec<usize> {
            let mut all: Vec<usize> = set.iter().flat_map(|&ring| &lists[ring]).copied().collect();
            all.sort_unstable();
            all
        };
        let atoms = in_set(&rings.atoms);
        // An atom within three rings gives nothing to the system around it.
        let around = atoms.chunk_by(|a, b| a == b).filter(|same| same.len() <= 2).map(|same| same[0]);
        if !fulfils_hueckel(around.map(|atom| gives[atom].unwrap_or(Gives::Nothing))) {
            return;
        }
        atoms.iter().for_each(|&atom| self.atoms[atom] = true);
        for same in in_set(&rings.bonds).chunk_by(|a, b| a == b).filter(|same| same.len() == 1) {
            self.bonds[same[0]] = true;
        }
    }
}

/// Whether electrons can be 4n + 2 in number.
fn fulfils_hueckel(gives: impl Iterator<Item = Gives>) -> bool {
    let (mut fewest, mut most, mut any) = (0, 0, 0);
    for gives in gives {
        match gives {
            Gives::Electrons(electrons) => (fewest, most) = (fewest + electrons, most + electrons),
            Gives::Any => (fewest, most, any) = (fewest + 1, most + 2, any + 1),
            Gives::Nothing => {}
        }
    }
    any <= 1 && if most >= 6 { (fewest..=most).any(|electrons| (electrons - 2) % 4 == 0) } else { most == 2 }
}

fn given_by(molecule: &Molecule, atom: usize) -> Gives {
    let electrons = electrons_given(molecule, atom);
    if electrons != Gives::Nothing && can_be_aromatic(molecule, atom) { electrons } else { Gives::Nothing }
}

/// What an atom gives to a ring by its bonds.
fn electrons_given(molecule: &Molecule, atom: usize) -> Gives {
    let this = &molecule.atoms[atom];
    let multiple = |in_ring: bool| {
        let ends = molecule.incidence.of(atom).iter();
        ends.filter(move |end| molecule.rings.has_bond(end.bond) == in_ring)
            .find(|end| molecule.bonds[end.bond].twice_to(atom) >= 4)
    };
    if this.number == 0 {
        return if multiple(true).is_some() { Gives::Electrons(1) } else { Gives::Any };
    }
    // A double bond out of the ring takes an electron where its other atom draws more.
    let outside = multiple(false);
    let is_drawn = outside.is_some_and(|end| is_more_electronegative(molecule.atoms[end.atom].number, this.number));
    match free_electrons(molecule, atom) {
        0 if outside.is_some() => Gives::Electrons(0),
        0 if multiple(true).is_some() => Gives::Electrons(1),
        1 if outside.is_some() => Gives::Electrons(if is_drawn { 0 } else { 1 }),
        1 if has_multiple_bond(molecule, atom) => Gives::Electrons(1),
        // The cations of tropylium and cyclopropenyl.
        1 if this.charge == 1 => Gives::Electrons(0),
        free @ 2.. => Gives::Electrons(if (free - i32::from(is_drawn)) % 2 == 1 { 1 } else { 2 }),
        _ => Gives::Nothing,
    }
}

fn has_multiple_bond(molecule: &Molecule, atom: usize) -> bool {
    let ends = molecule.incidence.of(atom).iter();
    let bonds = ends.filter(|end| molecule.bonds[end.bond].twice_to(atom) > 0).count() as i32;
    molecule.atoms[atom].explicit_valence != bonds + molecule.atoms[atom].written_hydrogens
}

/// Whether an atom's element and state allow it in an aromatic ring.
fn can_be_aromatic(molecule: &Molecule, atom: usize) -> bool {
    let this = &molecule.atoms[atom];
    if this.number > 18 && this.number != 34 && this.number != 52 {
        return false;
    }
    // No more than the default valence, which with a charge is that of the element with as many electrons.
    let alike = u8::try_from(i32::from(this.number) - this.charge).map_or(-1, default_valence);
    if default_valence(this.number) > 0 && this.total_valence() > alike {
        return false;
    }
    if this.radicals != 0 && (this.number != 6 || this.charge != 0) {
        return false;
    }
    let ends = molecule.incidence.of(atom).iter();
    let multiple = ends.filter(|end| matches!(molecule.bonds[end.bond].order, Order::Double | Order::Triple)).count();
    this.explicit_valence - molecule.degree(atom) <= 1 || multiple <= 1
}

/// Electrons of an atom that are in no single bond and can be shared with a ring or a conjugated system; negative if it
/// cannot share any.
pub(crate) fn free_electrons(molecule: &Molecule, atom: usize) -> i32 {
    let this = &molecule.atoms[atom];
    let default = default_valence(this.number);
    if default <= 1 {
        return -1;
    }
    let ends = molecule.incidence.of(atom).iter();
    let bonds = ends.filter(|end| molecule.bonds[end.bond].twice_to(atom) > 0).count() as i32;
    let degree = bonds + molecule.hydrogens(atom);
    if degree > 3 {
        return -1;
    }
    let lone = (outer_electrons(this.number) - default - this.charge).max(0);
    let free = default - degree + lone - this.radicals;
    // Of a triple bond only one electron counts.
    if free > 1 && this.explicit_valence - molecule.degree(atom) > 1 { 1 } else { free }
}
