//! [`RingClosures`]: numbers of rings, of which each stands at two atoms.

use super::written_bond::WrittenBond;
use crate::chemistry::{Bond, Direction, Molecule, Refusal};
use std::collections::{BTreeMap, HashSet};

/// Numbers of rings and where each stands in the text.
#[derive(Default)]
pub(crate) struct RingClosures {
    /// For each number, the atoms at which it stands, the bond written there, and its place among all numbers.
    marks: BTreeMap<u32, Vec<(usize, Option<WrittenBond>, usize)>>,
    count: usize,
}

impl RingClosures {
    /// Adds a number that stands at an atom.
    pub(crate) fn add(&mut self, ring: u32, atom: usize, bond: Option<WrittenBond>) {
        self.marks.entry(ring).or_default().push((atom, bond, self.count));
        self.count += 1;
    }

    /// Adds the bonds that close rings, in the order of the numbers. Returns those of each atom, in the order of the
    /// text.
    pub(crate) fn close(self, molecule: &mut Molecule) -> Result<Vec<Vec<usize>>, Refusal> {
        let mut places = vec![Vec::new(); molecule.atoms.len()];
        let mut bonded: HashSet<(usize, usize)> =
            molecule.bonds.iter().map(|bond| (bond.begin.min(bond.end), bond.begin.max(bond.end))).collect();
        for (ring, marks) in self.marks {
            let mut pairs = marks.chunks_exact(2);
            for pair in &mut pairs {
                let [(first, opening, at), (second, closing, other_at)] = [pair[0], pair[1]];
                if first == second {
                    return Err(Refusal::new(
                        "rings of several atoms",
                        format!("ring {ring} from atom {first} to itself"),
                    ));
                }
                if !bonded.insert((first.min(second), first.max(second))) {
                    let found = format!("ring {ring} between atoms {first} and {second}, which have one");
                    return Err(Refusal::new("one bond between two atoms", found));
                }
                let number = molecule.bonds.len();
                molecule.bonds.push(join(molecule, (first, opening), (second, closing)));
                places[first].push((at, number));
                places[second].push((other_at, number));
            }
            if let [(atom, ..)] = pairs.remainder() {
                return Err(Refusal::new("rings that are closed", format!("ring {ring} opened at atom {atom} only")));
            }
        }
        places.iter_mut().for_each(|places| places.sort_unstable());
        Ok(places.into_iter().map(|places| places.into_iter().map(|(_, bond)| bond).collect()).collect())
    }
}

/// One bond of what is written at both atoms. The first that has an order decides; without, the bond begins where the
/// ring is closed.
fn join(
    molecule: &Molecule,
    (first, opening): (usize, Option<WrittenBond>),
    (second, closing): (usize, Option<WrittenBond>),
) -> Bond {
    let (opening, closing) = (opening.unwrap_or_default(), closing.unwrap_or_default());
    let (begin, end, mut bond, other) = match opening.order {
        Some(_) => (first, second, opening, closing),
        None => (second, first, closing, opening),
    };
    if bond.direction == Direction::None {
        bond.direction = other.direction.reversed();
    }
    bond.between(molecule, begin, end)
}
