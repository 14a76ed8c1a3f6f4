//! Names of fields in one table for all readers: [`meaning`], what a name of a program is called here; [`known`], names
//! whose level and width are known, as ASE and MACE have them, and the units of some.

use crate::FormatError;
use graphpack_loader::{Error, Level};
use std::path::Path;

/// What programs call the parts of a structure and the labels that most have. The first name is the one of this
/// library; then ASE's and MACE's, ColabFit's and LeMaterial's, SchNetPack's, and the letters of PhysNet, SpookyNet and
/// sGDML.
const SYNONYMS: [&[&str]; 8] = [
    &["z", "numbers", "atomic_numbers", "nuclear_charges", "species", "species_at_sites", "_atomic_numbers", "Z"],
    &["pos", "positions", "coordinates", "coords", "cartesian_site_positions", "_positions", "R"],
    &["num_atoms", "n_atoms", "natoms", "nsites", "_n_atoms", "N"],
    &["cell", "cells", "lattice", "lattice_vectors", "_cell"],
    &["pbc", "_pbc"],
    &["energy", "energies", "E"],
    &["forces", "force", "atomic_forces", "F"],
    &["stress", "cauchy_stress", "stress_tensor"],
];

/// All names of what is called `name` here.
pub(crate) fn synonyms(name: &str) -> &'static [&'static str] {
    SYNONYMS.into_iter().find(|names| names[0] == name).unwrap_or_default()
}

/// What a name of a program is called here; the name itself if it is nothing that has several names.
pub(crate) fn meaning(name: &str) -> &str {
    SYNONYMS.into_iter().find(|names| names.contains(&name)).map_or(name, |names| names[0])
}

/// Whether a name says what its numbers are.
pub(crate) fn says_what(name: &str) -> bool {
    SYNONYMS.into_iter().any(|names| names.contains(&name)) || known(name).is_some()
}

/// Errors if several names of a file have this meaning.
pub(crate) fn expect_one(path: &Path, wanted: &str, names: &[&str]) -> Result<(), Error> {
    match names {
        [] | [_] => Ok(()),
        several => {
            let expected = format!("one {wanted}, and other names for the others, as a renaming gives them");
            Err(FormatError::wrong(path, "", expected, several.join(" and ")))
        }
    }
}

/// A name whose level and width are known.
pub(crate) struct Known {
    pub(crate) level: Level,
    /// The widths that it may have. If none is listed it may have any, and files may say that it is of another level:
    /// structures have dipoles, and so have atoms.
    pub(crate) widths: &'static [usize],
}

/// What is known of a name.
pub(crate) fn known(name: &str) -> Option<Known> {
    let (level, widths): (_, &[usize]) = match name {
        "forces" | "momenta" | "velocities" => (Level::NODE, &[3]),
        "magmoms" | "initial_magmoms" => (Level::NODE, &[1, 3]),
        "charges" | "initial_charges" | "masses" | "energies" | "tags" => (Level::NODE, &[1]),
        "stresses" => (Level::NODE, &[6, 9]),
        "born_effective_charges" => (Level::NODE, &[9]),
        "energy" | "free_energy" | "charge" | "spin" => (Level::Graph, &[1]),
        "stress" | "virial" | "virials" => (Level::Graph, &[6, 9]),
        "dielectric_tensor" => (Level::Graph, &[9]),
        "total_charge" => (Level::Graph, &[1]),
        "dipole" | "dipoles" | "polarizability" | "quadrupole" | "scf_dipole" | "scf_quadrupole" => (Level::Graph, &[]),
        _ => return None,
    };
    Some(Known { level, widths })
}

/// The level of an array whose name is known, of this shape, in a structure of `atoms` atoms.
pub(crate) fn level_of(name: &str, shape: &[usize], atoms: usize) -> Option<Level> {
    let Known { level, widths } = known(name)?;
    // Three by three is a tensor of the structure.
    let of_atoms = widths.is_empty() && shape.len() >= 2 && shape[0] == atoms && *shape != [3, 3];
    Some(if of_atoms { Level::NODE } else { level })
}

/// The unit that a name has in ASE's conventions.
pub(crate) fn unit_of(name: &str) -> Option<&'static str> {
    match name {
        "pos" | "cell" => Some("angstrom"),
        "energy" => Some("eV"),
        "forces" => Some("eV/angstrom"),
        "stress" => Some("eV/angstrom^3"),
        _ => None,
    }
}

/// Whether a name's numbers are floating point whatever the file says: `energy=0`.
pub(crate) fn is_float(name: &str) -> bool {
    known(name).is_some() && !["charge", "spin", "tags", "total_charge"].contains(&name)
}
