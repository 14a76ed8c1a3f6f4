//! The search for the smallest rings: Figueras, "Ring Perception Using Breadth-First Search", J. Chem. Inf. Comput.
//! Sci. 36, 986 (1996), with RDKit's changes, whose choice among equal rings decides what is found aromatic.

use super::Molecule;
use super::molecule::Rings;
use super::ring_paths::{RingPaths, bonds_of, parts, smallest, walk};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Atoms of a ring from the highest number down, which tells rings apart. Ordered as RDKit orders sets of bits.
type Key = Vec<usize>;

/// Finds the rings of a molecule.
pub(crate) fn rings(molecule: &Molecule) -> Rings {
    let found = search(molecule).into_iter().map(|atoms| {
        let bonds = bonds_of(molecule, &atoms);
        (atoms, bonds)
    });
    Rings::new(molecule.atoms.len(), molecule.bonds.len(), found)
}

/// The rings of a molecule, each in the order in which its atoms are bonded.
fn search(molecule: &Molecule) -> Vec<Vec<usize>> {
    let mut search = Search {
        molecule,
        paths: RingPaths::new(molecule.atoms.len()),
        active: vec![true; molecule.bonds.len()],
        degrees: (0..molecule.atoms.len()).map(|atom| molecule.incidence.of(atom).len()).collect(),
        keys: BTreeSet::new(),
        ring_bonds: vec![false; molecule.bonds.len()],
        ring_atoms: vec![false; molecule.atoms.len()],
        ways: 200_000,
    };
    let mut rings = Vec::new();
    for part in parts(molecule) {
        let bonds = part.iter().map(|&atom| search.degrees[atom]).sum::<usize>() / 2;
        if part.len() < 3 || bonds < part.len() {
            continue;
        }
        match search.part(&part, bonds) {
            Some(found) => rings.extend(found),
            None => return walk(molecule),
        }
    }
    rings
}

struct Search<'a> {
    molecule: &'a Molecule,
    paths: RingPaths,
    /// Bonds that were not cut off yet.
    active: Vec<bool>,
    /// Numbers of active bonds.
    degrees: Vec<usize>,
    keys: BTreeSet<Key>,
    ring_bonds: Vec<bool>,
    ring_atoms: Vec<bool>,
    /// Ways that may still be followed in search of rings that were missed: a few molecules have endlessly many.
    ways: usize,
}

impl Search<'_> {
    /// The rings of one connected part; `None` if they are fewer than it must have.
    fn part(&mut self, part: &[usize], bonds: usize) -> Option<Vec<Vec<usize>>> {
        let mut found = Vec::new();
        let mut changed: BTreeSet<usize> = part.iter().copied().filter(|&atom| self.degrees[atom] < 2).collect();
        let mut done = vec![false; self.molecule.atoms.len()];
        let mut left = part.len();
        while left > 0 {
            while let Some(atom) = changed.pop_first() {
                if !std::mem::replace(&mut done[atom], true) {
                    left -= 1;
                    self.cut(atom, &mut changed);
                }
            }
            let corners = self.corners(part);
            if !corners.is_empty() {
                self.around_corners(&corners, &mut found);
                for &atom in &corners {
                    left -= usize::from(!std::mem::replace(&mut done[atom], true));
                    self.cut(atom, &mut changed);
                }
            } else if left > 0 {
                let Some(&atom) = part.iter().find(|&&atom| self.degrees[atom] == 3) else { break };
                self.around_junction(atom, &mut found);
                left -= usize::from(!std::mem::replace(&mut done[atom], true));
                self.cut(atom, &mut changed);
            }
        }
        let expected = bonds + 1 - part.len();
        if found.len() < expected {
            self.bridge(bonds, &mut found);
        }
        match found.len().cmp(&expected) {
            std::cmp::Ordering::Less => None,
            std::cmp::Ordering::Equal => Some(found),
            std::cmp::Ordering::Greater => Some(smallest(self.molecule, found)),
        }
    }

    /// Cuts the bonds of an atom off. Atoms that keep at most one bond are added to `changed`.
    fn cut(&mut self, atom: usize, changed: &mut BTreeSet<usize>) {
        for end in self.molecule.incidence.of(atom) {
            if std::mem::replace(&mut self.active[end.bond], false) {
                if self.degrees[end.atom] <= 2 {
                    changed.insert(end.atom);
                }
                self.degrees[end.atom] -= 1;
                self.degrees[atom] -= 1;
            }
        }
    }

    /// One atom of each chain of atoms with two bonds.
    fn corners(&self, part: &[usize]) -> Vec<usize> {
        let mut seen = vec![false; self.molecule.atoms.len()];
        let mut corners = Vec::new();
        for &first in part {
            if self.degrees[first] != 2 || std::mem::replace(&mut seen[first], true) {
                continue;
            }
            corners.push(first);
            let mut stack = vec![first];
            while let Some(atom) = stack.pop() {
                for end in self.molecule.incidence.of(atom).iter().filter(|end| self.active[end.bond]) {
                    if self.degrees[end.atom] == 2 && !std::mem::replace(&mut seen[end.atom], true) {
                        stack.push(end.atom);
                    }
                }
            }
        }
        corners
    }

    /// Finds the smallest rings around atoms with two bonds.
    fn around_corners(&mut self, corners: &[usize], found: &mut Vec<Vec<usize>>) {
        let mut finders: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
        // For each corner those that found one of its rings, too.
        let mut twins: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &corner in corners {
            let rings = self.paths.smallest(self.molecule, corner, &self.active, None);
            let is_none = rings.is_empty();
            for ring in rings {
                let key = key(&ring);
                if self.keys.insert(key.clone()) {
                    self.mark(&ring);
                    found.push(ring);
                }
                let finders = finders.entry(key).or_default();
                for &other in finders.iter().filter(|&&other| other != corner) {
                    twins.entry(corner).or_default().push(other);
                    twins.entry(other).or_default().push(corner);
                }
                finders.push(corner);
            }
            if is_none {
                // Only without a ring may its bonds be cut at once: another ring could need them.
                let mut changed = BTreeSet::from([corner]);
                while let Some(atom) = changed.pop_first() {
                    self.cut(atom, &mut changed);
                }
            }
        }
        // A ring that several corners found may hide a larger one: cut its other corners off and look again.
        for corners in finders.values().filter(|corners| corners.len() > 1) {
            let mut rings = Vec::new();
            for &corner in corners {
                let saved = (self.active.clone(), self.degrees.clone());
                for &twin in twins.get(&corner).into_iter().flatten() {
                    self.cut(twin, &mut BTreeSet::new());
                }
                rings.extend(self.paths.smallest(self.molecule, corner, &self.active, None));
                (self.active, self.degrees) = saved;
            }
            let smallest = rings.iter().map(Vec::len).min();
            rings.retain(|ring| Some(ring.len()) == smallest);
            self.add(rings, found);
        }
    }

    /// Finds the three smallest rings around an atom with three bonds, where none has two.
    fn around_junction(&mut self, atom: usize, found: &mut Vec<Vec<usize>>) {
        let rings = self.paths.smallest(self.molecule, atom, &self.active, None);
        let ends = self.molecule.incidence.of(atom).iter().filter(|end| self.active[end.bond]);
        let ends: Vec<usize> = ends.map(|end| end.atom).collect();
        // Which neighbours the missing rings must do without.
        let avoid: Vec<usize> = match rings.as_slice() {
            [first, second] => {
                ends.iter().copied().find(|end| first.contains(end) && second.contains(end)).into_iter().collect()
            }
            [only] => {
                let out = ends.iter().copied().find(|end| !only.contains(end));
                ends.iter().copied().filter(|&end| out.is_some_and(|out| end != out)).rev().collect()
            }
            _ => Vec::new(),
        };
        self.add(rings, found);
        for avoided in avoid {
            let rings = self.paths.smallest(self.molecule, atom, &self.active, Some(avoided));
            self.add(rings, found);
        }
    }

    fn add(&mut self, rings: Vec<Vec<usize>>, found: &mut Vec<Vec<usize>>) {
        for ring in rings {
            if self.keys.insert(key(&ring)) {
                found.push(ring);
            }
        }
    }

    fn mark(&mut self, ring: &[usize]) {
        bonds_of(self.molecule, ring).into_iter().for_each(|bond| self.ring_bonds[bond] = true);
        ring.iter().for_each(|&atom| self.ring_atoms[atom] = true);
    }

    /// Looks for rings through bonds between ring atoms that are in no ring yet.
    fn bridge(&mut self, bonds: usize, found: &mut Vec<Vec<usize>>) {
        let mut dead = vec![false; bonds];
        loop {
            let next = (0..bonds).find(|&number| {
                let bond = &self.molecule.bonds[number];
                !self.ring_bonds[number] && !dead[number] && self.ring_atoms[bond.begin] && self.ring_atoms[bond.end]
            });
            let Some(number) = next else { return };
            dead[number] = true;
            if let Some(ring) = self.shortest_new(number) {
                self.keys.insert(key(&ring));
                self.mark(&ring);
                found.push(ring);
            }
        }
    }

    /// The shortest ring through a bond and ring atoms that is not known yet.
    fn shortest_new(&mut self, bond: usize) -> Option<Vec<usize>> {
        let (begin, end) = (self.molecule.bonds[bond].begin, self.molecule.bonds[bond].end);
        let mut queue = VecDeque::from([vec![begin]]);
        while let Some(way) = queue.pop_front() {
            self.ways = self.ways.checked_sub(1)?;
            let &last = way.last()?;
            for next in self.molecule.incidence.of(last) {
                if next.atom == end {
                    if last != begin {
                        let ring: Vec<usize> = way.iter().copied().chain([end]).collect();
                        if !self.keys.contains(&key(&ring)) {
                            return Some(ring);
                        }
                    }
                } else if self.ring_atoms[next.atom] && !way.contains(&next.atom) {
                    queue.push_back(way.iter().copied().chain([next.atom]).collect());
                }
            }
        }
        None
    }
}

fn key(ring: &[usize]) -> Key {
    let mut key = ring.to_vec();
    key.sort_unstable_by(|first, second| second.cmp(first));
    key
}
