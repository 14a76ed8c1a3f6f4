//! The sides of double bonds by coordinates, given to the single bonds beside them as `/` and `\`.

use super::wedges::{cross, dot};
use crate::chemistry::{Bond, Direction, Molecule, Order, stereo};

/// Gives the bonds beside double bonds their directions. A double bond whose sides cannot be told is drawn as crossed.
pub(super) fn assign(molecule: &mut Molecule) {
    for bond in &mut molecule.bonds {
        if bond.order == Order::Single {
            bond.is_wavy |= bond.direction == Direction::Wavy;
            bond.direction = Direction::None;
        }
    }
    let mut sides = Sides {
        counts: vec![0; molecule.bonds.len()],
        doubles: vec![Vec::new(); molecule.bonds.len()],
        is_open: vec![false; molecule.bonds.len()],
    };
    let mut order = Vec::new();
    for number in (0..molecule.bonds.len()).filter(|&number| is_candidate(molecule, number)) {
        let beside: Vec<usize> = beside(molecule, number).collect();
        for &single in &beside {
            sides.counts[single] += 1;
            sides.is_open[single] |=
                matches!(molecule.bonds[single].direction, Direction::None | Direction::Up | Direction::Down);
            sides.is_open[number] = true;
            if !sides.doubles[single].contains(&number) {
                sides.doubles[single].push(number);
            }
        }
        order.push((number, beside));
    }
    // Those beside most others first, as what they leave open is least; double bonds in rings last.
    let mut order: Vec<(usize, usize)> = order
        .into_iter()
        .map(|(number, beside)| {
            let count: usize = beside.iter().map(|&single| sides.counts[single]).sum();
            (if molecule.rings.has_bond(number) { count } else { 10 * count }, number)
        })
        .collect();
    order.sort_unstable();
    for (_, number) in order.into_iter().rev() {
        let mut next = vec![number];
        while let Some(number) = next.pop() {
            let following = sides.direct(molecule, number);
            next.extend(following.into_iter().rev());
        }
    }
}

fn is_candidate(molecule: &Molecule, number: usize) -> bool {
    let bond = &molecule.bonds[number];
    bond.order == Order::Double
        && bond.direction != Direction::Either
        && [bond.begin, bond.end].iter().all(|&atom| molecule.degree(atom) > 1)
        && stereo::is_free(molecule, number)
}

/// The single and aromatic bonds beside a double bond.
fn beside(molecule: &Molecule, number: usize) -> impl Iterator<Item = usize> {
    let bond = &molecule.bonds[number];
    let ends = [bond.begin, bond.end].into_iter().flat_map(|atom| molecule.incidence.of(atom));
    ends.map(|end| end.bond).filter(|&bond| is_line(&molecule.bonds[bond]))
}

fn is_line(bond: &Bond) -> bool {
    matches!(bond.order, Order::Single | Order::Aromatic)
}

struct Sides {
    /// For each single bond, the double bonds that it is beside.
    counts: Vec<usize>,
    doubles: Vec<Vec<usize>>,
    /// Single bonds without a direction and double bonds whose neighbours have none.
    is_open: Vec<bool>,
}

/// The bonds at one end of a double bond: the one that a direction is given to, and the other.
struct End {
    atom: usize,
    bond: usize,
    other: Option<usize>,
}

impl Sides {
    /// Gives the bonds beside a double bond directions. Returns the double bonds that these are beside, too.
    fn direct(&mut self, molecule: &mut Molecule, number: usize) -> Vec<usize> {
        if !std::mem::replace(&mut self.is_open[number], false) {
            return Vec::new();
        }
        let (begin, end) = (molecule.bonds[number].begin, molecule.bonds[number].end);
        let ends = self.end(molecule, number, begin).and_then(|first| Ok([first, self.end(molecule, number, end)?]));
        let ends = match ends {
            Ok(ends) => ends,
            Err(has_sides) => {
                if has_sides {
                    molecule.bonds[number].direction = Direction::Either;
                }
                return Vec::new();
            }
        };
        let Some((ends, are_opposite)) = opposite(molecule, ends) else {
            molecule.bonds[number].direction = Direction::Either;
            return Vec::new();
        };
        let open = ends.each_ref().map(|end| self.is_open[end.bond]);
        let following = ends.iter().filter(|end| self.is_open[end.bond]).flat_map(|end| &self.doubles[end.bond]);
        let following: Vec<usize> = following.copied().filter(|&double| self.is_open[double]).collect();
        // A direction is given as seen from the double bond.
        let seen_from = |molecule: &Molecule, end: &End| {
            let bond = &molecule.bonds[end.bond];
            if bond.begin == end.atom { bond.direction } else { bond.direction.reversed() }
        };
        let [first, second] = &ends;
        let first_seen = match open {
            [false, _] => seen_from(molecule, first),
            [true, false] => reversed_if(seen_from(molecule, second), are_opposite),
            [true, true] => Direction::Down,
        };
        if open[0] {
            give(molecule, first.bond, first.atom, first_seen);
        }
        if open[1] {
            give(molecule, second.bond, second.atom, reversed_if(first_seen, are_opposite));
        }
        for end in &ends {
            self.is_open[end.bond] = false;
            if let Some(other) = end.other.filter(|&other| self.is_open[other]) {
                give(molecule, other, end.atom, seen_from(molecule, end).reversed());
                self.is_open[other] = false;
            }
        }
        following
    }

    /// The bonds at one end. An error, whether the double bond could have sides, if none can be given a direction.
    fn end(&self, molecule: &Molecule, double: usize, atom: usize) -> Result<End, bool> {
        let (mut chosen, mut other, mut is_wavy, mut has_double) = (None, None, false, false);
        for end in molecule.incidence.of(atom).iter().filter(|end| end.bond != double) {
            let bond = &molecule.bonds[end.bond];
            if is_line(bond) {
                match chosen {
                    None => chosen = Some(end.bond),
                    // One that has a direction or that is beside more double bonds is better.
                    Some(before) if self.is_open[end.bond] && self.counts[end.bond] <= self.counts[before] => {
                        other = Some(end.bond);
                    }
                    Some(before) => (chosen, other) = (Some(end.bond), Some(before)),
                }
                if bond.is_wavy || bond.direction == Direction::Wavy {
                    is_wavy = true;
                    break;
                }
            }
            has_double |= bond.order == Order::Double;
        }
        match chosen {
            Some(bond) if !is_wavy && !has_double => Ok(End { atom, bond, other }),
            _ => Err(!has_double),
        }
    }
}

/// Whether the chosen bonds of both ends are on opposite sides. Where one continues the double bond in a line, the
/// other bond at its end is chosen instead; `None` if that does, too.
fn opposite(molecule: &Molecule, [mut first, mut second]: [End; 2]) -> Option<([End; 2], bool)> {
    let at = |atom: usize| molecule.positions[atom];
    let minus = |to: [f64; 3], from: [f64; 3]| [0, 1, 2].map(|axis| to[axis] - from[axis]);
    let tip = |end: &End| {
        let bond = &molecule.bonds[end.bond];
        at(if bond.begin == end.atom { bond.end } else { bond.begin })
    };
    let (begin, end) = (at(first.atom), at(second.atom));
    if is_line_up(minus(tip(&first), begin), minus(end, begin)) {
        first = End { bond: first.other?, other: Some(first.bond), ..first };
        if is_line_up(minus(tip(&first), begin), minus(end, begin)) {
            return None;
        }
    }
    if is_line_up(minus(tip(&second), end), minus(begin, end)) {
        second = End { bond: second.other?, other: Some(second.bond), ..second };
        // From the far end, as RDKit has it.
        if is_line_up(minus(tip(&second), begin), minus(begin, end)) {
            return None;
        }
    }
    let along = minus(end, begin);
    let normals = [cross(minus(tip(&first), begin), along), cross(minus(tip(&second), end), along)];
    let has_angle = normals.iter().all(|&normal| dot(normal, normal) > 0.0);
    let are_opposite = has_angle && dot(normals[0], normals[1]) <= 0.0;
    Some(([first, second], are_opposite))
}

/// Whether two bonds of an atom make a line, to 2 degrees.
fn is_line_up(first: [f64; 3], second: [f64; 3]) -> bool {
    let squared = dot(first, first) * dot(second, second);
    squared < 1e-6 || dot(first, second) < -0.999388 * squared.sqrt()
}

fn reversed_if(direction: Direction, is_reversed: bool) -> Direction {
    if is_reversed { direction.reversed() } else { direction }
}

/// Gives a bond a direction as seen from one of its atoms.
fn give(molecule: &mut Molecule, bond: usize, from: usize, direction: Direction) {
    let bond = &mut molecule.bonds[bond];
    bond.direction = reversed_if(direction, bond.begin != from);
}
