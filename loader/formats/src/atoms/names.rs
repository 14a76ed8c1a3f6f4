//! [`Known`]: names whose level and width are known, as ASE and MACE have them, and the units of some.

use graphpack_loader::Level;

/// The parts of a row of ASE's databases that have names of their own.
#[cfg(any(feature = "ase_db", feature = "aselmdb"))]
pub(super) const SECTIONS: [&str; 2] = ["key_value_pairs", "data"];

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
#[cfg(any(feature = "ase_db", feature = "aselmdb", feature = "hdf5", feature = "npz"))]
pub(crate) fn level_of(name: &str, shape: &[usize], atoms: usize) -> Option<Level> {
    let Known { level, widths } = known(name)?;
    // Three by three is a tensor of the structure.
    let of_atoms = widths.is_empty() && shape.len() >= 2 && shape[0] == atoms && *shape != [3, 3];
    Some(if of_atoms { Level::NODE } else { level })
}

/// The unit that a name has in ASE's conventions.
#[cfg(any(feature = "ase_db", feature = "aselmdb", feature = "hdf5"))]
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
