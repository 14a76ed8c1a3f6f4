//! [`RingPaths`]: the smallest rings through one atom.

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
