//! [`Known`]: names whose level and width are known, as ASE and MACE have them.

use graphpack_loader::Level;

/// The parts of a row of ASE's databases that have names of their own.
#[cfg(any(feature = "ase_db", feature = "aselmdb"))]
pub(super) const SECTIONS: [&str; 2] = ["key_value_pairs", "data"];

/// A name whose level and width are known.
pub(crate) struct Known {
    pub(crate) level: Level,
    /// The widths that it may have; any if none is listed.
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

/// Whether a name's numbers are floating point whatever the file says: `energy=0`.
pub(crate) fn is_float(name: &str) -> bool {
    known(name).is_some() && !["charge", "spin", "tags", "total_charge"].contains(&name)
}

/// The 3 x 3 numbers of a symmetric tensor in Voigt's order: xx, yy, zz, yz, xz, xy.
pub(crate) fn tensor(voigt: [f64; 6]) -> [f64; 9] {
    let [xx, yy, zz, yz, xz, xy] = voigt;
    [xx, xy, xz, xy, yy, yz, xz, yz, zz]
}
