//! OGB's nine features of an atom and three of a bond (`ogb.utils.features`), as numbers of categories.

use super::{Atom, Bond, Chirality, Hybridization, Molecule, Order, Stereo};
use crate::{Record, Values};
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
