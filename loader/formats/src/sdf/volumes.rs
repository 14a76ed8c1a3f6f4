//! The turn of an atom's neighbours by coordinates in three dimensions.

use crate::chemistry::{Chirality, Direction, Molecule, Order};

/// Sets the turns of all atoms.
pub(super) fn assign(molecule: &mut Molecule) {
    for atom in 0..molecule.atoms.len() {
        molecule.atoms[atom].chirality = turn(molecule, atom);
    }
}

fn turn(molecule: &Molecule, atom: usize) -> Chirality {
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
