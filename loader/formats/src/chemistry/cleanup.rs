//! Forms of writing that RDKit makes one: pentavalent nitrogen and phosphorus and oxides of halogens get charges.

use super::{Molecule, Order, valence};

/// Writes `N(=O)=O` as `[N+](=O)[O-]`, `N=N#N` as `N=[N+]=[N-]`, `C=P(=O)X` as `C=[P+]([O-])X` and `Cl(=O)(=O)(=O)O`
/// as `[Cl+3]([O-])([O-])([O-])O`.
pub(crate) fn clean_up(molecule: &mut Molecule) {
    for atom in 0..molecule.atoms.len() {
        if molecule.atoms[atom].charge != 0 {
            continue;
        }
        match molecule.atoms[atom].number {
            7 => nitrogen(molecule, atom),
            15 => phosphorus(molecule, atom),
            17 | 35 | 53 => halogen(molecule, atom),
            _ => {}
        }
    }
}

fn nitrogen(molecule: &mut Molecule, atom: usize) {
    // The valence without the allowance for aromatic atoms, as far as the atom itself is marked.
    let was_aromatic = std::mem::take(&mut molecule.atoms[atom].is_aromatic);
    let is_pentavalent = drawn_valence(molecule, atom) == 5;
    molecule.atoms[atom].is_aromatic = was_aromatic;
    if !is_pentavalent {
        return;
    }
    let found = molecule.incidence.of(atom).iter().find_map(|end| {
        let other = &molecule.atoms[end.atom];
        let lower = match (other.number, molecule.bonds[end.bond].order) {
            (8, Order::Double) => Order::Single,
            (7, Order::Triple) => Order::Double,
            _ => return None,
        };
        (other.charge == 0).then_some((*end, lower))
    });
    if let Some((end, lower)) = found {
        molecule.bonds[end.bond].order = lower;
        molecule.atoms[atom].charge = 1;
        molecule.atoms[end.atom].charge = -1;
    }
}

fn phosphorus(molecule: &mut Molecule, atom: usize) {
    if molecule.degree(atom) != 3 || drawn_valence(molecule, atom) != 5 {
        return;
    }
    let (mut oxide, mut has_other) = (None, false);
    for end in molecule.incidence.of(atom) {
        let other = &molecule.atoms[end.atom];
        if molecule.bonds[end.bond].order == Order::Double {
            match other.number {
                8 if other.charge == 0 => oxide = Some(*end),
                6 | 7 if molecule.degree(end.atom) >= 2 => has_other = true,
                _ => {}
            }
        }
    }
    if let (Some(end), true) = (oxide, has_other) {
        molecule.bonds[end.bond].order = Order::Single;
        molecule.atoms[atom].charge = 1;
        molecule.atoms[end.atom].charge = -1;
    }
}

fn halogen(molecule: &mut Molecule, atom: usize) {
    let only_oxygen = molecule.incidence.of(atom).iter().all(|end| molecule.atoms[end.atom].number == 8);
    if !only_oxygen || !matches!(drawn_valence(molecule, atom), 3 | 5 | 7) {
        return;
    }
    for end in molecule.incidence.of(atom) {
        if molecule.bonds[end.bond].order == Order::Double {
            molecule.bonds[end.bond].order = Order::Single;
            molecule.atoms[end.atom].charge = -1;
            molecule.atoms[atom].charge += 1;
        }
    }
}

fn drawn_valence(molecule: &Molecule, atom: usize) -> i32 {
    valence::explicit(molecule, atom, false).unwrap_or(0)
}
