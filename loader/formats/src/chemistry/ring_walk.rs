//! One walk over a molecule: its connected parts, and rings where the search for the smallest finds too few.

use super::Molecule;

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
