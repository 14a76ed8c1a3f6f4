//! Ranks of atoms, by which neighbours are told apart: Labute, "An Efficient Algorithm for the Determination of
//! Topological RS Chirality" (1996), as RDKit has it. They are those of Cahn, Ingold and Prelog for most molecules.

use super::element::common_isotope;
use super::{Handedness, Molecule, Order, Stereo};

/// Ranks by element, isotope and surroundings; atoms of equal rank cannot be told apart.
pub(crate) fn by_surroundings(molecule: &Molecule) -> Vec<usize> {
    let invariant = |atom: &super::Atom| {
        let mass = match i64::from(atom.isotope) - i64::from(common_isotope(atom.number)) {
            _ if atom.isotope == 0 => 0,
            mass @ 0.. => mass + 1,
            mass => mass,
        };
        let mass = (mass + 512).max(0) % 1024;
        let map = if atom.map == 0 { 0 } else { (i64::from(atom.map) + 1) % 1024 };
        (i64::from(atom.number) << 20) | (mass << 10) | map
    };
    let invariants: Vec<i64> = molecule.atoms.iter().map(invariant).collect();
    refine(molecule, rank(&invariants))
}

/// Ranks that tell apart, besides, what stereochemistry is known of the atoms.
pub(crate) fn by_stereo(molecule: &Molecule, ranks: &[usize]) -> Vec<usize> {
    let mut factor = 100;
    while factor < molecule.atoms.len() {
        factor *= 10;
    }
    let invariant = |(atom, &rank): (usize, &usize)| {
        let handed = match molecule.atoms[atom].handedness {
            None => 0,
            Some(Handedness::S) => 10,
            Some(Handedness::R) => 20,
        };
        let bonds = molecule.incidence.of(atom).iter().map(|end| &molecule.bonds[end.bond]);
        let sides = bonds.filter(|bond| bond.order == Order::Double).map(|bond| match bond.stereo {
            Stereo::E => 1,
            Stereo::Z => 2,
            _ => 0,
        });
        (rank * factor) as i64 + handed + sides.sum::<i64>()
    };
    let invariants: Vec<i64> = ranks.iter().enumerate().map(invariant).collect();
    refine(molecule, rank(&invariants))
}

/// Compares atoms of equal rank by the ranks of their neighbours, the highest first and each as often as the bond has
/// electrons, until no more atoms are told apart.
fn refine(molecule: &Molecule, mut ranks: Vec<usize>) -> Vec<usize> {
    let atoms = molecule.atoms.len();
    let count = |ranks: &[usize]| ranks.iter().max().map_or(0, |highest| highest + 1);
    let mut classes = count(&ranks);
    let mut entries: Vec<Vec<usize>> = vec![Vec::new(); atoms];
    let mut neighbours: Vec<(usize, usize)> = Vec::new();
    for _ in 0..=atoms / 2 {
        if classes == atoms {
            break;
        }
        for (atom, entry) in entries.iter_mut().enumerate() {
            neighbours.clear();
            for end in molecule.incidence.of(atom) {
                let bond = &molecule.bonds[end.bond];
                // A double bond to phosphorus with four neighbours counts as single.
                let is_ylide = bond.order == Order::Double
                    && molecule.atoms[end.atom].number == 15
                    && matches!(molecule.degree(end.atom), 3 | 4);
                neighbours.push((ranks[end.atom], if is_ylide { 1 } else { bond.order.twice() as usize }));
            }
            neighbours.sort_unstable_by_key(|&(rank, _)| std::cmp::Reverse(rank));
            entry.clear();
            entry.push(ranks[atom]);
            for &(rank, times) in &neighbours {
                entry.extend(std::iter::repeat_n(rank + 1, times));
            }
            entry.extend(std::iter::repeat_n(0, molecule.hydrogens(atom).max(0) as usize));
        }
        ranks = rank(&entries);
        let before = std::mem::replace(&mut classes, count(&ranks));
        if before >= classes {
            break;
        }
    }
    ranks
}

/// The number of smaller values that differ, of each value.
fn rank<T: Ord>(values: &[T]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&first, &second| values[first].cmp(&values[second]));
    let mut ranks = vec![0; values.len()];
    for pair in order.windows(2) {
        ranks[pair[1]] = ranks[pair[0]] + usize::from(values[pair[0]] != values[pair[1]]);
    }
    ranks
}
