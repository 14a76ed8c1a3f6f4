//! The turn of an atom's neighbours: in two dimensions by wedges, bonds drawn before or behind the paper; in three by
//! coordinates.

use crate::chemistry::{Chirality, Direction, Molecule, Order, element};
use std::f64::consts::PI;

/// Sets the turns of atoms at which wedges begin.
pub(super) fn turn_by_wedges(molecule: &mut Molecule) {
    let mut is_set = vec![false; molecule.atoms.len()];
    for bond in 0..molecule.bonds.len() {
        let (atom, direction) = (molecule.bonds[bond].begin, molecule.bonds[bond].direction);
        if direction == Direction::Wavy {
            molecule.atoms[atom].chirality = Chirality::None;
            is_set[atom] = true;
        } else if matches!(direction, Direction::Wedge | Direction::Dash) && !is_set[atom] {
            let chirality = turn_of_wedge(molecule, atom, bond);
            is_set[atom] = chirality != Chirality::None;
            let has_three = molecule.degree(atom) == 3;
            let this = &mut molecule.atoms[atom];
            this.chirality = chirality;
            // The hydrogen is one of the four neighbours now.
            if has_three && this.written_hydrogens == 0 && this.implied_hydrogens() == 1 {
                this.written_hydrogens = 1;
                // Not strict, so nothing is refused.
                let _ = element::assign_valence(molecule, atom, false);
            }
        }
    }
}

/// The turn that a wedge means.
fn turn_of_wedge(molecule: &Molecule, atom: usize, wedge: usize) -> Chirality {
    let ends = molecule.incidence.of(atom);
    let is_hydrogen = |atom: usize| molecule.atoms[atom].number == 1 && molecule.atoms[atom].isotope == 0;
    let has_hydrogen = ends.iter().any(|end| is_hydrogen(end.atom));
    let is_single = ends.iter().all(|end| molecule.bonds[end.bond].order == Order::Single);
    if !matches!((ends.len(), has_hydrogen), (4, _) | (3, false))
        || !(is_single || matches!(molecule.atoms[atom].number, 15 | 16))
    {
        return Chirality::None;
    }
    let centre = molecule.positions[atom];
    let vector = |other: usize| unit([0, 1].map(|axis| molecule.positions[other][axis] - centre[axis]));
    let Some(place) = ends.iter().position(|end| end.bond == wedge) else { return Chirality::None };
    let reference = vector(ends[place].atom);
    let others = ends.iter().filter(|end| end.bond != wedge);
    let others: Vec<(f64, [f64; 2], usize)> =
        others.map(|end| (angle(reference, vector(end.atom)), vector(end.atom), end.bond)).collect();
    let is_flipped = if let [first, second, third] = others.as_slice() {
        let is_before = |one: &(f64, [f64; 2], usize), other: &(f64, [f64; 2], usize)| usize::from(other.0 <= one.0);
        (is_before(first, second) + is_before(first, third) + is_before(second, third)) % 2 == 1
    } else {
        let [mut first, mut second] = [others[0], others[1]];
        let is_swapped = first.0 > second.0;
        if is_swapped {
            std::mem::swap(&mut first, &mut second);
        }
        match is_flipped_of_three(molecule, atom, wedge, reference, first, second) {
            Some(is_flipped) => is_flipped != is_swapped,
            None => return Chirality::None,
        }
    };
    let is_dash = molecule.bonds[wedge].direction == Direction::Dash;
    Chirality::Counterclockwise.turned_if(is_flipped ^ is_dash ^ (place % 2 == 1))
}

/// Whether the hydrogen of an atom with three neighbours turns them around; `None` if the wedges contradict each other
/// (InChI's Technical Manual, table 10).
fn is_flipped_of_three(
    molecule: &Molecule,
    atom: usize,
    wedge: usize,
    reference: [f64; 2],
    first: (f64, [f64; 2], usize),
    second: (f64, [f64; 2], usize),
) -> Option<bool> {
    let drawn = |bond: usize| {
        let bond = &molecule.bonds[bond];
        if bond.begin == atom { bond.direction } else { Direction::None }
    };
    let [own, one, two] = [drawn(wedge), drawn(first.2), drawn(second.2)];
    let is_other = |direction: Direction| direction != Direction::None && direction != own;
    let below = PI - 1e-3;
    if first.0 < below && angle(first.1, second.1) < below && angle(second.1, reference) < below {
        return (!is_other(one) && !is_other(two)).then_some(false);
    }
    if one == own && two == own {
        return None;
    }
    if is_other(one) {
        let has_two = two != Direction::None;
        let is_contradictory =
            first.0 >= PI || (second.0 > PI && has_two && one != two) || (second.0 <= PI && has_two && own != two);
        if is_contradictory {
            return None;
        }
    } else if own == two {
        return None;
    }
    // Where the neighbours stand in one half, the hydrogen is in the other.
    let (is_equal, is_wide) = (first.0 >= second.0, (second.0 - first.0).abs() >= PI - 1e-4);
    Some(is_equal != is_wide)
}

fn unit(vector: [f64; 2]) -> [f64; 2] {
    let length = vector[0].hypot(vector[1]);
    vector.map(|coordinate| coordinate / length)
}

/// The angle from one unit vector to another, counterclockwise from 0.
fn angle(from: [f64; 2], to: [f64; 2]) -> f64 {
    let cosine = from[0] * to[0] + from[1] * to[1];
    let angle = cosine.clamp(-1.0, 1.0).acos();
    if from[0] * to[1] - from[1] * to[0] < -1e-6 { 2.0 * PI - angle } else { angle }
}

/// Sets the turns of all atoms.
pub(super) fn turn_by_positions(molecule: &mut Molecule) {
    for atom in 0..molecule.atoms.len() {
        molecule.atoms[atom].chirality = turn_in_space(molecule, atom);
    }
}

fn turn_in_space(molecule: &Molecule, atom: usize) -> Chirality {
    let ends = molecule.incidence.of(atom);
    let is_wavy = |bond: usize| {
        let bond = &molecule.bonds[bond];
        bond.begin == atom && bond.order == Order::Single && bond.direction == Direction::Wavy
    };
    if ends.iter().any(|end| is_wavy(end.bond)) {
        return Chirality::None;
    }
    let counts = |bond: usize| molecule.bonds[bond].order != Order::Dative || molecule.bonds[bond].begin != atom;
    let centre = molecule.positions[atom];
    let vector = |other: usize| [0, 1, 2].map(|axis| molecule.positions[other][axis] - centre[axis]);
    let near: Vec<[f64; 3]> = ends.iter().filter(|end| counts(end.bond)).map(|end| vector(end.atom)).collect();
    let total = near.len() as i32 + molecule.hydrogens(atom);
    if near.len() < 3 || total > 6 {
        return Chirality::None;
    }
    let number = molecule.atoms[atom].number;
    if number >= 15 {
        let all: Vec<[f64; 3]> = ends.iter().map(|end| vector(end.atom)).collect();
        let other = of_more_than_four(&all);
        if other != Chirality::None {
            return other;
        }
    }
    if total > 4 || (total != 4 && number != 16 && number != 34) {
        return Chirality::None;
    }
    let volume = dot(near[0], cross(near[1], near[2]));
    match volume {
        ..-0.1 => Chirality::Clockwise,
        _ if volume > 0.1 => Chirality::Counterclockwise,
        _ => Chirality::None,
    }
}

/// The arrangement of neighbours of which some stand opposite each other, if it is not that of a tetrahedron.
fn of_more_than_four(vectors: &[[f64; 3]]) -> Chirality {
    let cosine =
        |first: [f64; 3], second: [f64; 3]| dot(first, second) / (dot(first, first) * dot(second, second)).sqrt();
    let mut is_paired = vec![false; vectors.len()];
    let mut pairs = 0;
    for first in 0..vectors.len() {
        for second in first + 1..vectors.len() {
            if cosine(vectors[first], vectors[second]) < -0.9 {
                if is_paired[first] || is_paired[second] {
                    return Chirality::None;
                }
                (is_paired[first], is_paired[second]) = (true, true);
                pairs += 1;
            }
        }
    }
    match (pairs, vectors.len()) {
        (1, 3) | (2, 4) => Chirality::SquarePlanar,
        (1, 4) => {
            let mut single = (0..4).filter(|&at| !is_paired[at]).map(|at| vectors[at]);
            let [first, second] = [single.next(), single.next()].map(Option::unwrap_or_default);
            let is_narrow = cosine(first, second) > 100_f64.to_radians().cos();
            if is_narrow { Chirality::Octahedral } else { Chirality::TrigonalBipyramidal }
        }
        (1, 5) => Chirality::TrigonalBipyramidal,
        (2, 5) | (3, 6) => Chirality::Octahedral,
        _ => Chirality::None,
    }
}

pub(super) fn cross(first: [f64; 3], second: [f64; 3]) -> [f64; 3] {
    [
        first[1] * second[2] - first[2] * second[1],
        first[2] * second[0] - first[0] * second[2],
        first[0] * second[1] - first[1] * second[0],
    ]
}

pub(super) fn dot(first: [f64; 3], second: [f64; 3]) -> f64 {
    first.iter().zip(second).map(|(first, second)| first * second).sum()
}
