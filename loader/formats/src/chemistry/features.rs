//! OGB's nine features of an atom and three of a bond (`ogb.utils.features`), as numbers of categories, and what they
//! need: hybridization, which orbitals an atom's bonds and lone pairs need, and which bonds are conjugated: aromatic
//! ones, and multiple bonds next to an atom that can share electrons.

use super::aromaticity::free_electrons;
use super::element::outer_electrons;
use super::{Atom, Bond, Chirality, Hybridization, Molecule, Order, Stereo};
use crate::common::{Record, Values};
use graphpack_loader::Level;

/// Features of an atom.
pub(crate) const ATOM_FEATURES: usize = 9;
/// Features of a bond.
pub(crate) const BOND_FEATURES: usize = 3;

/// Fills `record` with a molecule as `smiles2graph` gives it: `x`, `edge_attr`, and each bond as two edges, one after
/// the other; coordinates as `pos` where the molecule has them.
pub(crate) fn fill(record: &mut Record, molecule: &Molecule) {
    record.nodes = molecule.atoms.len();
    let mut x = Vec::with_capacity(ATOM_FEATURES * molecule.atoms.len());
    for (number, atom) in molecule.atoms.iter().enumerate() {
        x.extend(of_atom(molecule, number, atom));
    }
    let edges = 2 * molecule.bonds.len();
    let [mut sources, mut targets] = [Vec::with_capacity(edges), Vec::with_capacity(edges)];
    let mut edge_attr = Vec::with_capacity(BOND_FEATURES * edges);
    for bond in &molecule.bonds {
        let (begin, end) = (bond.begin as i64, bond.end as i64);
        sources.extend([begin, end]);
        targets.extend([end, begin]);
        edge_attr.extend(of_bond(bond));
        edge_attr.extend(of_bond(bond));
    }
    record.edges = Some([sources, targets]);
    record.push("x", Level::NODE, ATOM_FEATURES, Values::I64(x));
    record.push("edge_attr", Level::EDGE, BOND_FEATURES, Values::I64(edge_attr));
    if !molecule.positions.is_empty() {
        record.push("pos", Level::NODE, 3, Values::F64(molecule.positions.as_flattened().to_vec()));
    }
}

/// Whether a molecule's own fields have this name.
pub(crate) fn is_taken(name: &str) -> bool {
    ["x", "edge_attr", "edge_index", "pos"].contains(&name)
}

fn of_atom(molecule: &Molecule, number: usize, atom: &Atom) -> [i64; ATOM_FEATURES] {
    // Where OGB's list ends, all others share one more category.
    let below =
        |value: i32, categories: i32| i64::from(if (0..categories).contains(&value) { value } else { categories });
    [
        below(i32::from(atom.number) - 1, 118),
        match atom.chirality {
            Chirality::None => 0,
            Chirality::Clockwise => 1,
            Chirality::Counterclockwise => 2,
            Chirality::SquarePlanar | Chirality::TrigonalBipyramidal | Chirality::Octahedral => 4,
        },
        below(molecule.total_degree(number), 11),
        below(atom.charge + 5, 11),
        below(molecule.hydrogens(number), 9),
        below(atom.radicals, 5),
        match atom.hybridization {
            Hybridization::Sp => 0,
            Hybridization::Sp2 => 1,
            Hybridization::Sp3 => 2,
            Hybridization::Sp3d => 3,
            Hybridization::Sp3d2 => 4,
            Hybridization::Unknown | Hybridization::S | Hybridization::Sp2d => 5,
        },
        atom.is_aromatic.into(),
        (molecule.rings.of_atom(number) > 0).into(),
    ]
}

fn of_bond(bond: &Bond) -> [i64; BOND_FEATURES] {
    let order = match bond.order {
        Order::Single => 0,
        Order::Double => 1,
        Order::Triple => 2,
        Order::Aromatic => 3,
        Order::Quadruple | Order::Dative => 4,
    };
    let stereo = match bond.stereo {
        Stereo::None => 0,
        Stereo::Z => 1,
        Stereo::E => 2,
        Stereo::Any => 5,
    };
    [order, stereo, bond.is_conjugated.into()]
}

/// Sets the hybridization of all atoms.
pub(crate) fn hybridize(molecule: &mut Molecule) {
    for atom in 0..molecule.atoms.len() {
        molecule.atoms[atom].hybridization = of(molecule, atom);
    }
}

fn of(molecule: &Molecule, atom: usize) -> Hybridization {
    let this = &molecule.atoms[atom];
    let degree = molecule.total_degree(atom);
    let orbitals = match (this.number, this.chirality, degree) {
        (0, ..) => return Hybridization::Unknown,
        (_, Chirality::Clockwise | Chirality::Counterclockwise, 4) => return Hybridization::Sp3,
        (_, Chirality::SquarePlanar, 2..=4) => return Hybridization::Sp2d,
        (_, Chirality::TrigonalBipyramidal, 2..=5) => return Hybridization::Sp3d,
        (_, Chirality::Octahedral, 2..=6) => return Hybridization::Sp3d2,
        (1 | 89.., ..) => degree,
        _ => degree + lone(molecule, atom),
    };
    match orbitals {
        0 | 1 => Hybridization::S,
        2 => Hybridization::Sp,
        3 => Hybridization::Sp2,
        // A conjugated atom is flat, like the second O of O=CO.
        4 if degree <= 3 && is_conjugated(molecule, atom) => Hybridization::Sp2,
        4 => Hybridization::Sp3,
        5 => Hybridization::Sp3d,
        6 => Hybridization::Sp3d2,
        _ => Hybridization::Unknown,
    }
}

/// Lone pairs and unpaired electrons.
fn lone(molecule: &Molecule, atom: usize) -> i32 {
    let this = &molecule.atoms[atom];
    let (outer, valence) = (outer_electrons(this.number), this.total_valence());
    let free = outer - (valence + this.charge);
    if valence + outer - this.charge < 8 { (free - this.radicals) / 2 + this.radicals } else { free / 2 }
}

fn is_conjugated(molecule: &Molecule, atom: usize) -> bool {
    molecule.incidence.of(atom).iter().any(|end| molecule.bonds[end.bond].is_conjugated)
}

/// Marks conjugated bonds.
pub(crate) fn conjugate(molecule: &mut Molecule) {
    molecule.bonds.iter_mut().for_each(|bond| bond.is_conjugated = bond.is_aromatic);
    for atom in 0..molecule.atoms.len() {
        if !matches!(molecule.total_degree(atom), 2 | 3) || !can_share(molecule, atom) {
            continue;
        }
        for (at, first) in molecule.incidence.of(atom).iter().enumerate() {
            if molecule.bonds[first.bond].twice_to(atom) < 3 {
                continue;
            }
            for (other, second) in molecule.incidence.of(atom).iter().enumerate() {
                if other != at && molecule.total_degree(second.atom) <= 3 && can_share(molecule, second.atom) {
                    molecule.bonds[first.bond].is_conjugated = true;
                    molecule.bonds[second.bond].is_conjugated = true;
                }
            }
        }
    }
}

/// Whether an atom can share electrons. Beyond the first row, elements like phosphorus and sulfur do not, except as the
/// end of a bond like that of a thiocarbonyl.
fn can_share(molecule: &Molecule, atom: usize) -> bool {
    let number = molecule.atoms[atom].number;
    let shares = match outer_electrons(number) {
        5 => number <= 10,
        6 => number <= 10 || molecule.total_degree(atom) < 2,
        _ => true,
    };
    shares && free_electrons(molecule, atom) > 0
}
