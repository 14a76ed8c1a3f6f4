//! What readers of structures share: atoms and labels of a record.

use super::{Record, Values};
use graphpack_loader::Level;

/// Adds atomic numbers and positions, which must be elements and finite numbers. Errors say what was expected and
/// found.
pub(crate) fn push_atoms(record: &mut Record, z: Vec<i64>, pos: Vec<f64>) -> Result<(), (&'static str, String)> {
    if let Some(atom) = z.iter().position(|z| !(1..=118).contains(z)) {
        return Err(("atomic numbers from 1 to 118", format!("{} at atom {atom}", z[atom])));
    }
    if let Some(place) = pos.iter().position(|x| !x.is_finite()) {
        return Err(("finite positions", format!("{} at atom {}", pos[place], place / 3)));
    }
    record.nodes = z.len();
    record.push("z", Level::NODE, 1, Values::I64(z));
    record.push("pos", Level::NODE, 3, Values::F64(pos));
    Ok(())
}

/// Adds a label, unless it has NaN: then it is missing. Stresses of 6 numbers become those of 9.
pub(crate) fn push_label(record: &mut Record, name: &str, level: Level, width: usize, values: Values) {
    let missing = matches!(&values, Values::F64(numbers) if numbers.iter().any(|number| number.is_nan()));
    if missing {
        return;
    }
    let (width, values) = match values {
        // Voigt's order: xx, yy, zz, yz, xz, xy.
        Values::F64(v) if level == Level::Graph && width == 6 && ["stress", "virial", "virials"].contains(&name) => {
            (9, Values::F64([0, 5, 4, 5, 1, 3, 4, 3, 2].map(|at| v[at]).to_vec()))
        }
        values => (width, values),
    };
    record.push(name.to_owned(), level, width, values);
}

/// What a data set belongs to whose numbers for one structure of `atoms` atoms have `shape`, and its numbers per row. A
/// first dimension as long as there are atoms is one of atoms, unless a structure has one such quantity whatever its
/// number of atoms.
pub(crate) fn belongs(name: &str, shape: &[usize], atoms: usize) -> (Level, usize) {
    let last = name.rsplit('.').next().unwrap_or_default();
    if shape.first() == Some(&atoms) && !OF_GRAPHS.contains(&last) {
        return (Level::NODE, shape[1..].iter().product());
    }
    (Level::Graph, shape.iter().product())
}

/// Quantities of which a structure has one.
const OF_GRAPHS: [&str; 14] = [
    "cell",
    "dipole",
    "dipoles",
    "energy",
    "lattice",
    "pbc",
    "polarizability",
    "quadrupole",
    "scf_dipole",
    "scf_quadrupole",
    "stress",
    "total_charge",
    "virial",
    "virials",
];

/// As floating point numbers.
pub(crate) fn floats(values: Values) -> Vec<f64> {
    match values {
        Values::F64(numbers) => numbers,
        Values::I64(numbers) => numbers.into_iter().map(|number| number as f64).collect(),
        Values::Bool(numbers) => numbers.into_iter().map(f64::from).collect(),
    }
}
