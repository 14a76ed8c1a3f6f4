//! Which of the rings that were found are kept, where they are more than a molecule has.

use super::Molecule;

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
