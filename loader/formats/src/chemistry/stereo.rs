//! Stereochemistry: which of the turns and sides that a file gives are a matter of stereochemistry at all (RDKit's
//! legacy perception, the default up to its latest release).
//!
//! Ranks of atoms tell neighbours apart: Labute, "An Efficient Algorithm for the Determination of Topological RS
//! Chirality" (1996), as RDKit has it. They are those of Cahn, Ingold and Prelog for most molecules. Centres whose
//! neighbours in a ring are alike stand on the same side of the ring as another such centre or on the other side.

use super::element::{self, common_isotope};
use super::{BondEnd, Chirality, Direction, Handedness, Molecule, Order, Stereo};
use std::collections::{BTreeSet, VecDeque};

/// Rings smaller than this leave a double bond only one form.
const SMALLEST_RING: usize = 8;

/// Clears turns of atoms that are no stereocentres and finds the sides of double bonds.
pub(crate) fn perceive(molecule: &mut Molecule) {
    for bond in 0..molecule.bonds.len() {
        let can_turn = molecule.bonds[bond].order == Order::Double && is_free(molecule, bond);
        let this = &mut molecule.bonds[bond];
        let is_any = can_turn && (this.direction == Direction::Either || this.stereo == Stereo::Any);
        this.stereo = if is_any { Stereo::Any } else { Stereo::None };
    }
    let has_turns = molecule.atoms.iter().any(|atom| atom.chirality != Chirality::None);
    let mut has_sides = molecule.bonds.iter().enumerate().any(|(number, bond)| {
        let mut ends = [bond.begin, bond.end].into_iter().flat_map(|atom| molecule.incidence.of(atom));
        bond.order == Order::Double
            && is_free(molecule, number)
            && ends.any(|end| molecule.bonds[end.bond].direction.is_slanted())
    });
    if !has_turns && !has_sides {
        return;
    }
    let mut ranks = ranks_by_surroundings(molecule);
    // What is found of one centre can tell the neighbours of another apart.
    let mut has_centres = true;
    while has_centres || has_sides {
        let (mut atoms_changed, mut bonds_changed) = (false, false);
        if has_centres {
            (has_centres, atoms_changed) = assign_centres(molecule, &ranks);
        }
        if has_sides {
            (has_sides, bonds_changed) = assign_sides(molecule, &ranks);
        }
        if !(has_centres || has_sides) || !(atoms_changed || bonds_changed) {
            break;
        }
        ranks = ranks_by_stereo(molecule, &ranks);
    }
    let in_rings = ring_centres(molecule, &ranks);
    for (atom, is_in_ring) in in_rings.into_iter().enumerate() {
        let this = &mut molecule.atoms[atom];
        if !this.chirality.is_tetrahedral() || this.handedness.is_some() || is_in_ring {
            continue;
        }
        this.chirality = Chirality::None;
        // A hydrogen that was only written for the sake of the turn follows from the valence again.
        if this.written_hydrogens == 1 && this.charge == 0 && !this.is_aromatic {
            (this.written_hydrogens, this.only_written) = (0, false);
            // Not strict, so nothing is refused.
            let _ = element::assign_valence(molecule, atom, false);
        }
    }
}

/// Whether both forms of a double bond exist: it is in no small ring.
pub(crate) fn is_free(molecule: &Molecule, bond: usize) -> bool {
    !molecule.rings.has_bond_below(bond, SMALLEST_RING)
}

/// Assigns R and S. Returns whether a possible centre is left without, and whether one was assigned.
fn assign_centres(molecule: &mut Molecule, ranks: &[usize]) -> (bool, bool) {
    let (mut is_left, mut is_changed) = (false, false);
    for atom in 0..molecule.atoms.len() {
        if molecule.atoms[atom].handedness.is_some() || !can_be_centre(molecule, atom) {
            continue;
        }
        let ends = molecule.incidence.of(atom);
        let counted = ends.iter().filter(|end| counts_for(molecule, end.bond, atom));
        let mut seen: Vec<usize> = counted.map(|end| ranks[end.atom]).collect();
        seen.sort_unstable();
        let has_twins = seen.windows(2).any(|pair| pair[0] == pair[1]);
        let chirality = molecule.atoms[atom].chirality;
        if has_twins || chirality == Chirality::None {
            is_left = true;
            continue;
        }
        is_changed = true;
        let keys: Vec<usize> = ends.iter().map(|end| ranks[end.atom]).collect();
        // A hydrogen that is no atom is a fourth neighbour of the lowest rank, for which RDKit counts one swap.
        let odd = is_odd(&keys) != (keys.len() == 3 && molecule.hydrogens(atom) == 1);
        let is_s = chirality.turned_if(odd) == Chirality::Counterclockwise;
        molecule.atoms[atom].handedness = Some(if is_s { Handedness::S } else { Handedness::R });
    }
    (is_left, is_changed)
}

/// Whether an atom has four different places around it, if all its neighbours differ: four neighbours, hydrogen among
/// them, or three and a lone pair that stays where it is.
fn can_be_centre(molecule: &Molecule, atom: usize) -> bool {
    let this = &molecule.atoms[atom];
    let bonds = molecule.incidence.of(atom).iter().filter(|end| counts_for(molecule, end.bond, atom)).count();
    let hydrogens = molecule.hydrogens(atom);
    match (bonds, bonds as i32 + hydrogens) {
        (_, ..3 | 5..) => false,
        // RDKit lets these alone have fewer than three neighbours.
        (..3, _) => matches!(this.number, 15 | 33),
        (3, _) if hydrogens != 1 => match this.number {
            // Elsewhere nitrogen turns inside out.
            7 => molecule.rings.has_atom_in(atom, 3) || molecule.rings.is_bridgehead(&molecule.incidence, atom),
            15 | 33 => true,
            16 | 34 => this.explicit_valence == 4 || (this.explicit_valence == 3 && this.charge == 1),
            _ => false,
        },
        _ => true,
    }
}

/// Whether a bond counts for the turn of an atom: a dative bond does only where it ends.
fn counts_for(molecule: &Molecule, bond: usize, atom: usize) -> bool {
    molecule.bonds[bond].order != Order::Dative || molecule.bonds[bond].begin != atom
}

/// Finds the sides of double bonds. Returns whether a bond is left without, and whether one was assigned.
fn assign_sides(molecule: &mut Molecule, ranks: &[usize]) -> (bool, bool) {
    let (mut is_left, mut is_changed) = (false, false);
    let mut cleared = Vec::new();
    for number in 0..molecule.bonds.len() {
        let bond = &molecule.bonds[number];
        let degrees = [bond.begin, bond.end].map(|atom| molecule.degree(atom));
        let is_open = bond.order == Order::Double && bond.stereo == Stereo::None && is_free(molecule, number);
        if !is_open || degrees.iter().any(|degree| !matches!(degree, 2 | 3)) {
            continue;
        }
        let ends = [bond.begin, bond.end].map(|atom| substituents(molecule, number, atom, ranks));
        if ends.iter().any(Vec::is_empty) {
            is_left = true;
            continue;
        }
        is_changed = true;
        let mut is_contradictory = false;
        for end in &ends {
            if let [first, second] = end.as_slice()
                && first.direction == second.direction
            {
                is_contradictory = true;
                cleared.extend([first.bond, second.bond]);
            }
        }
        if is_contradictory {
            continue;
        }
        // Of two substituents, the one of higher rank.
        let highest = ends.map(|end| match end.as_slice() {
            [first, second] if first.rank <= second.rank => second.direction,
            all => all[0].direction,
        });
        let atoms = [bond.begin, bond.end];
        let is_unknown = atoms.iter().any(|&atom| {
            let ends = molecule.incidence.of(atom).iter();
            molecule.atoms[atom].is_unknown_stereo || ends.map(|end| &molecule.bonds[end.bond]).any(|bond| bond.is_wavy)
        });
        molecule.bonds[number].stereo = match highest {
            _ if is_unknown => Stereo::Any,
            [begin, end] if begin == end => Stereo::Z,
            _ => Stereo::E,
        };
    }
    cleared.into_iter().for_each(|bond| molecule.bonds[bond].direction = Direction::None);
    (is_left, is_changed)
}

/// A neighbour at one end of a double bond.
struct Substituent {
    bond: usize,
    rank: usize,
    direction: Direction,
}

/// The neighbours at one end of a double bond, with directions as seen from there; none if no direction is given or if
/// they cannot be told apart.
fn substituents(molecule: &Molecule, bond: usize, atom: usize, ranks: &[usize]) -> Vec<Substituent> {
    let ends = molecule.incidence.of(atom).iter().filter(|end| end.bond != bond);
    let mut found: Vec<Substituent> = ends
        .map(|end| {
            let direction = molecule.bonds[end.bond].direction;
            let direction = if molecule.bonds[end.bond].begin == atom { direction } else { direction.reversed() };
            Substituent { bond: end.bond, rank: ranks[end.atom], direction }
        })
        .collect();
    let is_given = found.iter().any(|end| end.direction.is_slanted());
    if !is_given || (found.len() == 2 && found[0].rank == found[1].rank) {
        return Vec::new();
    }
    // The second neighbour is on the other side.
    if let [first, second] = found.as_mut_slice() {
        if !first.direction.is_slanted() {
            first.direction = second.direction.reversed();
        } else if !second.direction.is_slanted() {
            second.direction = first.direction.reversed();
        }
    }
    found
}

/// Whether an odd number of swaps sorts the keys.
pub(crate) fn is_odd<T: Ord>(keys: &[T]) -> bool {
    let swaps = |at: usize| keys[at + 1..].iter().filter(move |&later| *later < keys[at]).count();
    (0..keys.len()).map(swaps).sum::<usize>() % 2 == 1
}

/// Which atoms are such centres, by the ranks of all atoms.
fn ring_centres(molecule: &Molecule, ranks: &[usize]) -> Vec<bool> {
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

/// Ranks by element, isotope and surroundings; atoms of equal rank cannot be told apart.
fn ranks_by_surroundings(molecule: &Molecule) -> Vec<usize> {
    let invariant = |atom: &super::Atom| {
        let mass = match i64::from(atom.isotope) - i64::from(common_isotope(atom.number)) {
            _ if atom.isotope == 0 => 0,
            mass @ 0.. => mass + 1,
            mass => mass,
        };
        // Ten bits each, as RDKit packs them.
        let mass = (mass + 512).max(0) % 1024;
        let map = if atom.map == 0 { 0 } else { (i64::from(atom.map) + 1) % 1024 };
        (i64::from(atom.number) << 20) | (mass << 10) | map
    };
    let invariants: Vec<i64> = molecule.atoms.iter().map(invariant).collect();
    refine(molecule, rank(&invariants))
}

/// Ranks that tell apart, besides, what stereochemistry is known of the atoms.
fn ranks_by_stereo(molecule: &Molecule, ranks: &[usize]) -> Vec<usize> {
    // Below a rank there is room for R or S and for the sides of the double bonds, as in RDKit.
    let mut factor = 100;
    while factor < molecule.atoms.len() {
        factor *= 10;
    }
    let invariant = |(atom, &rank): (usize, &usize)| {
        let handed = match molecule.atoms[atom].handedness {
            None => 0,
            Some(Handedness::S) => 10,
            Some(Handedness::R) => 20,
        };
        let bonds = molecule.incidence.of(atom).iter().map(|end| &molecule.bonds[end.bond]);
        let sides = bonds.filter(|bond| bond.order == Order::Double).map(|bond| match bond.stereo {
            Stereo::E => 1,
            Stereo::Z => 2,
            _ => 0,
        });
        (rank * factor) as i64 + handed + sides.sum::<i64>()
    };
    let invariants: Vec<i64> = ranks.iter().enumerate().map(invariant).collect();
    refine(molecule, rank(&invariants))
}

/// Compares atoms of equal rank by the ranks of their neighbours, the highest first and each as often as the bond has
/// electrons, until no more atoms are told apart.
fn refine(molecule: &Molecule, mut ranks: Vec<usize>) -> Vec<usize> {
    let atoms = molecule.atoms.len();
    let count = |ranks: &[usize]| ranks.iter().max().map_or(0, |highest| highest + 1);
    let mut classes = count(&ranks);
    let mut entries: Vec<Vec<usize>> = vec![Vec::new(); atoms];
    let mut neighbours: Vec<(usize, usize)> = Vec::new();
    // RDKit ends after this number of rounds, so that ranks are the same where more would tell more apart.
    for _ in 0..=atoms / 2 {
        if classes == atoms {
            break;
        }
        for (atom, entry) in entries.iter_mut().enumerate() {
            neighbours.clear();
            for end in molecule.incidence.of(atom) {
                let bond = &molecule.bonds[end.bond];
                // A double bond to phosphorus with four neighbours counts as single.
                let is_ylide = bond.order == Order::Double
                    && molecule.atoms[end.atom].number == 15
                    && matches!(molecule.degree(end.atom), 3 | 4);
                neighbours.push((ranks[end.atom], if is_ylide { 1 } else { bond.order.twice() as usize }));
            }
            neighbours.sort_unstable_by_key(|&(rank, _)| std::cmp::Reverse(rank));
            entry.clear();
            entry.push(ranks[atom]);
            for &(rank, times) in &neighbours {
                entry.extend(std::iter::repeat_n(rank + 1, times));
            }
            entry.extend(std::iter::repeat_n(0, molecule.hydrogens(atom).max(0) as usize));
        }
        ranks = rank(&entries);
        let before = std::mem::replace(&mut classes, count(&ranks));
        if before >= classes {
            break;
        }
    }
    ranks
}

/// The number of smaller values that differ, of each value.
fn rank<T: Ord>(values: &[T]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&first, &second| values[first].cmp(&values[second]));
    let mut ranks = vec![0; values.len()];
    for pair in order.windows(2) {
        ranks[pair[1]] = ranks[pair[0]] + usize::from(values[pair[0]] != values[pair[1]]);
    }
    ranks
}
