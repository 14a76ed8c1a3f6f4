//! Centres of stereochemistry whose neighbours in a ring are alike, but that stand on the same side of the ring as
//! another such centre or on the other side.

use super::{BondEnd, Chirality, Molecule};
use std::collections::{BTreeSet, VecDeque};

/// Which atoms are such centres, by the ranks of all atoms.
pub(crate) fn centres(molecule: &Molecule, ranks: &[usize]) -> Vec<bool> {
    let atoms = molecule.atoms.len();
    let (mut is_centre, mut has_partner) = (vec![false; atoms], vec![false; atoms]);
    let (mut seen, mut queued) = (vec![false; atoms], vec![false; atoms]);
    let mut bond_seen = vec![false; molecule.bonds.len()];
    let is_candidate = |atom: usize| {
        let this = &molecule.atoms[atom];
        this.chirality != Chirality::None && this.handedness.is_none() && is_candidate(molecule, atom, ranks)
    };
    for atom in 0..atoms {
        if seen[atom] || molecule.rings.of_atom(atom) == 0 || !is_candidate(atom) {
            continue;
        }
        // All candidates that ring bonds lead to.
        let mut queue = VecDeque::new();
        let mut follow = |from: usize, queue: &mut VecDeque<usize>, seen: &[bool], is_first: bool| {
            for end in molecule.incidence.of(from) {
                let is_new = !std::mem::replace(&mut bond_seen[end.bond], true) && molecule.rings.has_bond(end.bond);
                if is_new && !seen[end.atom] && (is_first || !queued[end.atom]) {
                    queue.push_back(end.atom);
                    queued[end.atom] = true;
                }
            }
        };
        follow(atom, &mut queue, &seen, true);
        let mut is_alone = queue.is_empty() || !has_partner[atom];
        while let Some(other) = queue.pop_front() {
            seen[other] = true;
            if is_candidate(other) {
                is_alone = false;
                (is_centre[atom], is_centre[other]) = (true, true);
                has_partner[other] = true;
            }
            follow(other, &mut queue, &seen, false);
        }
        if is_alone {
            is_centre[atom] = false;
        } else {
            has_partner[atom] = true;
        }
        seen[atom] = true;
    }
    is_centre.iter().zip(&has_partner).map(|(&is_centre, &has_partner)| is_centre && has_partner).collect()
}

/// Whether a ring atom can be such a centre: the ways around the ring are alike, its other neighbours are not.
fn is_candidate(molecule: &Molecule, atom: usize, ranks: &[usize]) -> bool {
    let rings = &molecule.rings;
    if rings.of_atom(atom) == 0 {
        return false;
    }
    // A nitrogen with three bonds turns inside out, except in rings of three and as a bridgehead.
    let is_nitrogen = molecule.atoms[atom].number == 7 && molecule.degree(atom) == 3;
    if is_nitrogen && !rings.has_atom_in(atom, 3) && !rings.is_bridgehead(&molecule.incidence, atom) {
        return false;
    }
    let (ring, other): (Vec<BondEnd>, Vec<BondEnd>) =
        molecule.incidence.of(atom).iter().copied().partition(|end| rings.has_bond(end.bond));
    let different = ring.iter().map(|end| ranks[end.atom]).collect::<BTreeSet<_>>().len();
    match other.as_slice() {
        [first, second] => ranks[first.atom] != ranks[second.atom],
        [_] => ring.len() >= 2,
        [] => matches!((ring.len(), different), (4, 3) | (3, 2)),
        _ => false,
    }
}
