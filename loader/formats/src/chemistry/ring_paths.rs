//! Steps of the search for rings: walks along bonds, shortest paths, and which of many rings are kept.

use super::Molecule;
use std::collections::VecDeque;

/// Finds the smallest rings through an atom by walking from it in all directions at once. Its memory is used again.
pub(crate) struct RingPaths {
    /// For each atom that was reached in walk `seen.0`, from where and in how many steps.
    seen: Vec<(usize, usize, usize)>,
    /// For each atom, the last walk in which all its bonds were followed.
    finished: Vec<usize>,
    walk: usize,
}

/// In place of an atom where there is none.
const NONE: usize = usize::MAX;

impl RingPaths {
    /// For a molecule with this number of atoms.
    pub(crate) fn new(atoms: usize) -> Self {
        Self { seen: vec![(0, NONE, 0); atoms], finished: vec![0; atoms], walk: 0 }
    }

    /// All rings of the smallest size through `root`, along `active` bonds and not through `avoided`.
    pub(crate) fn smallest(
        &mut self,
        molecule: &Molecule,
        root: usize,
        active: &[bool],
        avoided: Option<usize>,
    ) -> Vec<Vec<usize>> {
        self.walk += 1;
        let walk = self.walk;
        if let Some(avoided) = avoided {
            self.finished[avoided] = walk;
        }
        let (mut rings, mut size) = (Vec::new(), usize::MAX);
        let mut queue = VecDeque::from([root]);
        self.seen[root] = (walk, NONE, 0);
        while let Some(atom) = queue.pop_front() {
            self.finished[atom] = walk;
            let (_, parent, steps) = self.seen[atom];
            let steps = steps + 1;
            if steps > size {
                break;
            }
            for end in molecule.incidence.of(atom) {
                if !active[end.bond] || self.finished[end.atom] == walk || parent == end.atom {
                    continue;
                }
                if self.seen[end.atom].0 != walk {
                    self.seen[end.atom] = (walk, atom, steps);
                    queue.push_back(end.atom);
                } else if let Some(ring) = self.join(root, atom, end.atom) {
                    if ring.len() > size {
                        return rings;
                    }
                    size = ring.len();
                    rings.push(ring);
                }
            }
        }
        rings
    }

    /// The ways from the root to two neighbours as one ring; `None` if they meet before the root.
    fn join(&self, root: usize, first: usize, second: usize) -> Option<Vec<usize>> {
        let way =
            |from: usize| std::iter::successors(Some(from), |&atom| Some(self.seen[atom].1).filter(|&a| a != NONE));
        let mut ring: Vec<usize> = way(first).collect();
        ring.reverse();
        for atom in way(second).take_while(|&atom| atom != root) {
            if ring.contains(&atom) {
                return None;
            }
            ring.push(atom);
        }
        Some(ring)
    }
}

/// Rings closed by each bond that leads back on one walk over the molecule: not the smallest, but every ring atom and
/// ring bond is in one.
pub(super) fn walk(molecule: &Molecule) -> Vec<Vec<usize>> {
    let atoms = molecule.atoms.len();
    let (mut rings, mut depth, mut done) = (Vec::new(), vec![usize::MAX; atoms], vec![false; atoms]);
    for first in 0..atoms {
        if done[first] {
            continue;
        }
        // The way to the current atom, each with the number of its next bond.
        let mut way = vec![(first, 0)];
        depth[first] = 0;
        while let Some(&(atom, next)) = way.last() {
            let Some(end) = molecule.incidence.of(atom).get(next) else {
                done[atom] = true;
                way.pop();
                continue;
            };
            let last = way.len() - 1;
            way[last].1 += 1;
            if depth[end.atom] == usize::MAX {
                depth[end.atom] = way.len();
                way.push((end.atom, 0));
            } else if !done[end.atom] && depth[end.atom] + 1 < last {
                rings.push(way[depth[end.atom]..].iter().rev().map(|&(atom, _)| atom).collect());
            }
        }
    }
    rings
}

/// The connected parts of a molecule, the atoms of each ascending.
pub(super) fn parts(molecule: &Molecule) -> Vec<Vec<usize>> {
    let mut part_of = vec![usize::MAX; molecule.atoms.len()];
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for first in 0..molecule.atoms.len() {
        if part_of[first] == usize::MAX {
            let mut stack = vec![first];
            part_of[first] = parts.len();
            while let Some(atom) = stack.pop() {
                for end in molecule.incidence.of(atom) {
                    if part_of[end.atom] == usize::MAX {
                        part_of[end.atom] = parts.len();
                        stack.push(end.atom);
                    }
                }
            }
            parts.push(Vec::new());
        }
        parts[part_of[first]].push(first);
    }
    parts
}

/// Keeps rings until all bonds are covered, the smallest first, and others that could stand in for one of them.
pub(super) fn smallest(molecule: &Molecule, mut rings: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    rings.sort_by_key(Vec::len);
    let bonds: Vec<Vec<usize>> = rings.iter().map(|ring| bonds_of(molecule, ring)).collect();
    let mut covered = vec![false; molecule.bonds.len()];
    let (mut open, mut kept) = (vec![true; rings.len()], vec![false; rings.len()]);
    let new = |covered: &[bool], ring: &[usize]| ring.iter().filter(|&&bond| !covered[bond]).count();
    for first in 0..rings.len() {
        if !open[first] || new(&covered, &bonds[first]) == 0 {
            continue;
        }
        kept[first] = true;
        bonds[first].iter().for_each(|&bond| covered[bond] = true);
        // Of the others of this size take those first that share most bonds with what is covered.
        let same = |other: &usize| rings[*other].len() == rings[first].len();
        let mut others: Vec<usize> = (first + 1..rings.len()).take_while(same).filter(|&other| open[other]).collect();
        while !others.is_empty() {
            let best = (0..others.len()).min_by_key(|&at| new(&covered, &bonds[others[at]])).unwrap_or(0);
            let best = others.remove(best);
            kept[best] = new(&covered, &bonds[best]) > 0;
            open[best] = false;
            bonds[best].iter().for_each(|&bond| covered[bond] = true);
        }
    }
    let mut counts = vec![0; molecule.bonds.len()];
    let is_kept = |&ring: &usize| kept[ring];
    (0..rings.len()).filter(is_kept).for_each(|ring| bonds[ring].iter().for_each(|&bond| counts[bond] += 1));
    // A ring may stand in for another of its size if it shares a bond with it and has all bonds that only this has.
    let stands_in = |extra: &usize| {
        (0..rings.len()).filter(is_kept).filter(|&ring| bonds[ring].len() == bonds[*extra].len()).any(|ring| {
            let has = |bond: &&usize| bonds[*extra].contains(bond);
            bonds[ring].iter().any(|bond| has(&bond))
                && bonds[ring].iter().filter(|&&bond| counts[bond] == 1).all(|bond| has(&bond))
        })
    };
    let extras = (0..rings.len()).filter(|&ring| !kept[ring]).filter(stands_in);
    (0..rings.len()).filter(is_kept).chain(extras).map(|ring| rings[ring].clone()).collect()
}

/// The bonds of a ring whose atoms are in the order in which they are bonded.
pub(super) fn bonds_of(molecule: &Molecule, ring: &[usize]) -> Vec<usize> {
    let next = ring.iter().cycle().skip(1);
    ring.iter().zip(next).filter_map(|(&atom, &next)| molecule.bond_between(atom, next)).collect()
}
