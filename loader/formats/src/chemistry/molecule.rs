//! [`Molecule`]: its atoms and bonds, which bonds an atom has, its rings; [`Refusal`]: why a text is no molecule.

use super::atom::{Atom, Bond, Order};
use crate::FormatError;
use crate::common::quoted;
use graphpack_loader::Error;
use std::path::Path;

/// Atoms that a molecule may have: ranks of atoms take time that grows with their square.
pub(crate) const MOST_ATOMS: usize = 5_000;
/// Rings that a molecule may have: to find the smallest takes time that grows with their square.
pub(crate) const MOST_RINGS: usize = 1_000;

/// Atoms and bonds. [`perceive`](super::perceive) fills in what files leave out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Molecule {
    /// Atoms in the order of the file.
    pub atoms: Vec<Atom>,
    /// Bonds in the order in which RDKit numbers them.
    pub bonds: Vec<Bond>,
    /// Which bonds an atom has; [`connect`](Self::connect) makes it.
    pub incidence: Incidence,
    /// The rings, once they were found.
    pub rings: Rings,
    /// Coordinates of the atoms in angstrom; empty if the file has none.
    pub positions: Vec<[f64; 3]>,
}

impl Molecule {
    /// Makes the incidence of its bonds. Bonds must not change their atoms after this.
    pub(crate) fn connect(&mut self) {
        self.incidence = Incidence::new(self.atoms.len(), &self.bonds);
    }

    /// Number of atoms that an atom has bonds to.
    pub(crate) fn degree(&self, atom: usize) -> i32 {
        self.incidence.of(atom).len() as i32
    }

    /// Number of hydrogens that are not atoms of their own.
    pub(crate) fn hydrogens(&self, atom: usize) -> i32 {
        self.atoms[atom].written_hydrogens + self.atoms[atom].implied_hydrogens()
    }

    /// [`degree`](Self::degree) and [`hydrogens`](Self::hydrogens).
    pub(crate) fn total_degree(&self, atom: usize) -> i32 {
        self.degree(atom) + self.hydrogens(atom)
    }

    /// The bond between two atoms.
    pub(crate) fn bond_between(&self, first: usize, second: usize) -> Option<usize> {
        self.incidence.of(first).iter().find(|end| end.atom == second).map(|end| end.bond)
    }

    /// Whether an atom or one of its bonds is aromatic.
    pub(crate) fn is_in_aromatic(&self, atom: usize) -> bool {
        let bonds = || self.incidence.of(atom).iter().map(|end| &self.bonds[end.bond]);
        self.atoms[atom].is_aromatic || bonds().any(|bond| bond.is_aromatic || bond.order == Order::Aromatic)
    }
}

/// Which bonds each atom has, in the order of the bonds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Incidence {
    /// Where the ends of each atom begin, and where those of the last one stop.
    starts: Vec<usize>,
    ends: Vec<BondEnd>,
}

/// A bond of an atom, and the atom at its other end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BondEnd {
    /// The number of the bond.
    pub bond: usize,
    /// The other atom.
    pub atom: usize,
}

impl Incidence {
    /// Of `atoms` atoms with these bonds.
    pub(crate) fn new(atoms: usize, bonds: &[Bond]) -> Self {
        let mut starts = vec![0; atoms + 1];
        for bond in bonds {
            starts[bond.begin + 1] += 1;
            starts[bond.end + 1] += 1;
        }
        for atom in 0..atoms {
            starts[atom + 1] += starts[atom];
        }
        let mut next = starts.clone();
        let mut ends = vec![BondEnd { bond: 0, atom: 0 }; 2 * bonds.len()];
        for (number, bond) in bonds.iter().enumerate() {
            for (atom, other) in [(bond.begin, bond.end), (bond.end, bond.begin)] {
                ends[next[atom]] = BondEnd { bond: number, atom: other };
                next[atom] += 1;
            }
        }
        Self { starts, ends }
    }

    /// The bonds of an atom.
    pub(crate) fn of(&self, atom: usize) -> &[BondEnd] {
        &self.ends[self.starts[atom]..self.starts[atom + 1]]
    }
}

/// Rings of a molecule: a smallest set ("symmetrized SSSR" in RDKit).
#[derive(Clone, Debug, Default)]
pub(crate) struct Rings {
    /// The atoms of each ring, in the order in which they are bonded.
    pub atoms: Vec<Vec<usize>>,
    /// The bonds of each ring: bond `i` joins atoms `i` and `i + 1`.
    pub bonds: Vec<Vec<usize>>,
    /// For each atom, how many rings it is in.
    of_atom: Vec<usize>,
    /// For each bond, how many rings it is in and the size of the smallest.
    of_bond: Vec<(usize, usize)>,
}

impl Rings {
    /// The rings of a molecule with these numbers of atoms and bonds, each as its atoms and its bonds.
    pub(crate) fn new(atoms: usize, bonds: usize, found: impl Iterator<Item = (Vec<usize>, Vec<usize>)>) -> Self {
        let mut rings = Self { of_atom: vec![0; atoms], of_bond: vec![(0, 0); bonds], ..Self::default() };
        for (atoms, bonds) in found {
            for &atom in &atoms {
                rings.of_atom[atom] += 1;
            }
            for &bond in &bonds {
                let (count, smallest) = &mut rings.of_bond[bond];
                *smallest = if *count == 0 { atoms.len() } else { atoms.len().min(*smallest) };
                *count += 1;
            }
            rings.atoms.push(atoms);
            rings.bonds.push(bonds);
        }
        rings
    }

    /// How many rings an atom is in.
    pub(crate) fn of_atom(&self, atom: usize) -> usize {
        self.of_atom[atom]
    }

    /// Whether a bond is in a ring.
    pub(crate) fn has_bond(&self, bond: usize) -> bool {
        self.of_bond[bond].0 > 0
    }

    /// Whether a bond is in a ring of fewer than `size` bonds.
    pub(crate) fn has_bond_below(&self, bond: usize, size: usize) -> bool {
        self.has_bond(bond) && self.of_bond[bond].1 < size
    }

    /// Whether an atom is in a ring of this size.
    pub(crate) fn has_atom_in(&self, atom: usize, size: usize) -> bool {
        self.atoms.iter().any(|ring| ring.len() == size && ring.contains(&atom))
    }

    /// Whether an atom is where two rings that share several bonds part: it has three ring bonds, and each of its rings
    /// shares two bonds or more with another of them.
    pub(crate) fn is_bridgehead(&self, incidence: &Incidence, atom: usize) -> bool {
        let ends = || incidence.of(atom).iter().filter(|end| self.has_bond(end.bond));
        if ends().count() < 3 {
            return false;
        }
        let has_atom = |ring: &Vec<usize>| ends().any(|end| ring.contains(&end.bond));
        let own: Vec<&Vec<usize>> = self.bonds.iter().filter(|ring| has_atom(ring)).collect();
        let mut overlaps = vec![false; own.len()];
        for first in 0..own.len() {
            for second in first + 1..own.len() {
                if own[second].iter().filter(|bond| own[first].contains(bond)).nth(1).is_some() {
                    (overlaps[first], overlaps[second]) = (true, true);
                }
            }
            if !overlaps[first] {
                return false;
            }
        }
        true
    }
}

/// Groups rings that share bonds: the numbers of each group's rings, and of each ring those that it shares bonds with,
/// ascending. Rings of more than `longest` bonds and pairs that share more than `most` bonds do not count as sharing.
pub(crate) fn fuse(
    rings: &[&Vec<usize>],
    bonds: usize,
    longest: usize,
    most: usize,
) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
    let mut of_bond = vec![Vec::new(); bonds];
    for (number, ring) in rings.iter().enumerate().filter(|(_, ring)| ring.len() <= longest) {
        ring.iter().for_each(|&bond| of_bond[bond].push(number));
    }
    let mut neighbours = Vec::with_capacity(rings.len());
    let mut shared = vec![0; rings.len()];
    for (number, ring) in rings.iter().enumerate() {
        let mut touched: Vec<usize> = Vec::new();
        if ring.len() <= longest {
            for &other in ring.iter().flat_map(|&bond| &of_bond[bond]).filter(|&&other| other != number) {
                if shared[other] == 0 {
                    touched.push(other);
                }
                shared[other] += 1;
            }
        }
        touched.sort_unstable();
        neighbours.push(touched.iter().copied().filter(|&other| shared[other] <= most).collect::<Vec<usize>>());
        touched.iter().for_each(|&other| shared[other] = 0);
    }
    let mut groups = Vec::new();
    let mut done = vec![false; rings.len()];
    for first in 0..rings.len() {
        if done[first] {
            continue;
        }
        // Depth first, neighbours in ascending order.
        let (mut group, mut stack) = (Vec::new(), vec![first]);
        while let Some(ring) = stack.pop() {
            if !std::mem::replace(&mut done[ring], true) {
                group.push(ring);
                stack.extend(neighbours[ring].iter().rev().filter(|&&other| !done[other]));
            }
        }
        groups.push(group);
    }
    (groups, neighbours)
}

/// Why a text is no molecule: what was expected, and what was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found}")]
pub struct Refusal {
    /// What must be there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

impl Refusal {
    /// What must be there, and what is there instead.
    pub(crate) fn new(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { expected: expected.into(), found: found.into() }
    }

    /// The error of a record that has this text, or this name, at a place of a file.
    pub(crate) fn at(self, path: &Path, place: impl Into<String>, text: &str) -> Error {
        FormatError::wrong(path, place, self.expected, format!("{} in {}", self.found, quoted(text)))
    }
}
